// For beginners: who acts when, and why the last seat plays the most hands. The figures are those of the shipped charts.

import { api } from "../api.js";
import { h, put } from "../dom.js";
import { percent, t } from "../i18n.js";
import { figure, remember, says, section } from "./parts.js";

const SEATS = ["UTG", "HJ", "CO", "BTN", "SB"]; // who may raise first in, in turn

export async function lessonPage(root) {
  const place = h("div", { class: "position-bars", "aria-busy": "true" });
  put(root, h("h1", {}, t("basics.position.title")), h("p", { class: "lead" }, t("basics.position.lead")),
    section("basics.position.order", says("basics.position.order.1"),
      h("dl", { class: "panel seats-list" }, [...SEATS, "BB"].map((seat) => [h("dt", {}, seat), h("dd", {}, t(`basics.seat.${seat}`))])), says("basics.position.order.2")),
    section("basics.position.hands", says("basics.position.hands.1"), figure("basics.position.caption", place), says("basics.position.hands.2"),
      h("p", {}, h("a", { href: "/study/charts" }, t("basics.position.charts")))),
    section("learn.remember", remember("basics.position.remember.1", "basics.position.remember.2")));
  draw(place).catch((error) => put(place, h("p", { class: "muted" }, error.message)));
}

async function draw(place) {
  const rows = [];
  for (const at of SEATS.keys()) rows.push(await api.get("/charts", { players: 6, stack: 100, line: SEATS.slice(0, at).map(() => "F").join("-") }));
  const opens = rows.map(({ decision }) => decision.actions.filter(({ kind }) => kind !== "fold").reduce((sum, { share }) => sum + share, 0));
  place.removeAttribute("aria-busy");
  put(place, SEATS.map((seat, at) => h("a", { class: "position-row", href: `/study/charts?players=6&stack=100&line=${SEATS.slice(0, at).map(() => "F").join("-")}` },
    h("span", {}, seat), h("span", { class: "position-bar", style: { width: `${100 * opens[at]}%` } }), h("span", { class: "num" }, percent(opens[at])))));
}
