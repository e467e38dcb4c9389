// One spot: while it is solved its progress, afterwards its solution.

import { api } from "../api.js";
import { go } from "../app.js";
import { h, put } from "../dom.js";
import { number, t } from "../i18n.js";
import { cards } from "../components/card.js";
import { style, waiting } from "../components/shell.js";
import { show as missing } from "./missing.js";
import { cardsOf } from "../study/hands.js";
import { resultView } from "../study/result.js";
import { accuracy, isOver, remove, rename, statusBadge, titleOf } from "../study/saved.js";
import { copyText, exportSpot, linkTo } from "../study/share.js";
import { solvingPanel } from "../study/solving.js";

export async function show(root, { id }, query) {
  put(root, waiting());
  let info;
  try {
    [info] = await Promise.all([api.get(`/spots/${id}`), style("study")]);
  } catch (error) {
    if (![403, 404, 422].includes(error.status)) throw error;
    return missing(root);
  }
  const page = h("div", { class: "study spot" });
  let current = info, body = null;

  function open(next) {
    body?.stop?.();
    current = next;
    if (!isOver(current)) body = solvingPanel(current, (done) => { if (page.isConnected) open(done); });
    else if (current.status === "solved") body = resultView(current, { line: query.get("line") ?? "", other: query.get("with"), onmoved: moved });
    else body = failure();
    put(page, head(), body);
  }
  function moved(line, other) {
    const wanted = new URLSearchParams({ ...(line ? { line } : {}), ...(other ? { with: other } : {}) }).toString();
    history.replaceState(null, "", `/study/${id}${wanted ? `?${wanted}` : ""}`);
  }
  function head() {
    const { spot, summary } = current, percent = accuracy(current);
    const button = (key, act, kind = "small quiet") => h("button", { type: "button", class: `button ${kind}`, onclick: act }, t(`study.${key}`));
    const facts = [
      percent !== null ? h("span", { class: "badge", title: t("study.exploitability.help") },
        t("study.exploitability", { percent: number(percent, 2) })) : null,
      summary?.iterations ? h("span", { class: "muted tiny num" },
        t("study.solved-in", { iterations: number(summary.iterations), seconds: number(summary.seconds, 1) })) : null,
      summary?.raked ? h("span", { class: "badge warn", title: t("study.raked.help") }, t("study.raked")) : null,
      current.parent ? h("a", { class: "tiny", href: `/study/${current.parent}` }, t("study.parent")) : null,
    ];
    return h("header", { class: "spot-head" },
      h("div", { class: "spot-title" }, h("a", { class: "tiny", href: "/study?mine" }, t("study.back")), h("h1", {}, titleOf(current)),
        h("div", { class: "row spot-facts" }, cards(cardsOf(spot.board), { size: "s" }),
          h("span", { class: "num muted" }, t("study.list.chips", { pot: spot.pot, stack: spot.stack })), statusBadge(current), facts)),
      h("div", { class: "row spot-tools" },
        current.mine ? button("rename", async () => { const answer = await rename(current); if (answer) { current = { ...current,
          name: answer.name }; page.replaceChild(head(), page.firstChild); } }) : null,
        button("share", () => copyText(linkTo(id, body?.line ?? ""))), button("export", () => exportSpot(current.spot, current.name)),
        h("a", { class: "button small quiet", href: `/study?from=${id}` }, t("study.edit")),
        current.mine ? button("delete", async () => { if (await remove(current)) go("/study?mine"); }) : null));
  }
  function failure() {
    return h("section", { class: "panel narrow" }, h("h2", {},
      t(`study.status.${current.status}`)), current.error ? h("p", { class: "note bad" }, current.error) : h("p", {}, t("study.cancelled.help")),
      h("div", { class: "row" }, current.mine ? h("button", { type: "button", class: "button primary",
        onclick: async () => open(await api.post(`/spots/${id}/solve`)) }, t("study.solve-again")) : null,
        h("a", { class: "button", href: `/study?from=${id}` }, t("study.edit"))));
  }
  put(root, page);
  open(info);
  return () => body?.stop?.();
}
