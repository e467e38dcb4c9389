// For people who write programs: how to begin, what a table's socket says, and all operations of the API.

import { style } from "../components/shell.js";
import { h, put } from "../dom.js";
import { t } from "../i18n.js";

const OPENAPI = "/openapi.json";
const START = (origin) => `curl -X POST ${origin}/api/guests -H 'content-type: application/json' -d '{"name": "My bot"}'
curl -H "Authorization: Bearer TOKEN" ${origin}/api/me
curl -X POST -H "Authorization: Bearer TOKEN" -H 'content-type: application/json' \\
  -d '{"opponents": [{"agent": "blueprint", "level": 3}]}' ${origin}/api/tables`;
const SOCKET = `{"type": "ready"}
{"type": "act", "hand": ID, "turn": 3, "action": "raise", "to": 18}
{"type": "seed", "hand": ID, "seed": "32 hex digits"}
{"type": "rebuy"}
{"type": "away"}
{"type": "back"}
{"type": "leave"}
{"type": "say", "text": "well played"}
{"type": "ping"}`;

export async function show(root) {
  const [answer] = await Promise.all([fetch(OPENAPI), style("learn")]), { paths } = await answer.json();
  const rows = Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, { tags = [], summary, operationId }]) => ({ path, method, tag: tags[0] ?? "", summary: summary ?? operationId })));
  const groups = [...new Set(rows.map(({ tag }) => tag))];
  put(root, h("article", { class: "lesson" }, h("h1", {}, t("basics.programs.title")), h("p", { class: "lead" }, t("basics.programs.lead")),
    h("section", {}, h("h2", {}, t("basics.programs.start")), h("p", {}, t("basics.programs.start.1")), h("pre", {}, START(location.origin)), h("p", {}, t("basics.programs.start.2"), " ", h("a", { href: "/account" }, t("shell.account")), ".")),
    h("section", {}, h("h2", {}, t("basics.programs.socket")), h("p", {}, t("basics.programs.socket.1")), h("pre", {}, SOCKET), h("p", {}, t("basics.programs.socket.2"))),
    h("section", {}, h("h2", {}, t("basics.programs.all")), h("p", {}, t("basics.programs.all.1"), " ", h("a", { href: OPENAPI, target: "_blank" }, OPENAPI)),
      groups.map((group) => h("details", { class: "panel operations" }, h("summary", {}, group || t("basics.programs.other")), h("table", {},
        h("tbody", {}, rows.filter(({ tag }) => tag === group).map(({ path, method, summary }) => h("tr", {}, h("td", {}, h("code", {}, method.toUpperCase())), h("td", {}, h("code", {}, path)), h("td", { class: "muted" }, summary))))))))));
}
