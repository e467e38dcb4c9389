// One spot: while it is solved its progress, afterwards its solution.

import { api } from "../api.js";
import { go } from "../app.js";
import { h, put } from "../dom.js";
import { number, percent as share, t } from "../i18n.js";
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
  let current = info, body = null, line = query.get("line") ?? "";

  function open(next) {
    body?.stop?.();
    current = next;
    if (!isOver(current)) body = solving();
    else if (current.status === "solved") body = resultView(current, { line, other: query.get("with"), onmoved: moved });
    else body = failure();
    put(page, head(), body);
  }
  // Its progress, and above it an estimate once there is one.
  function solving() {
    let result = null;
    const panel = solvingPanel(current, (done) => { if (page.isConnected) open(done); }, look), element = h("div", { class: "stack" }, panel);
    function look(found) {
      if (result) return; // told again after a lost connection
      const figures = Object.fromEntries(Object.entries(found).map(([name, value]) => [name, share(value / 100, 1)]));
      result = resultView(current, { line, onmoved: (to) => moved(to, query.get("with")), tabs: ["hand", "hands"] });
      put(element, h("p", { class: "note warn estimate" }, t("study.estimate", figures), " ", found.measured ? null : t("study.estimate.far")), result, panel);
    }
    if (current.estimate) look(current.estimate);
    element.stop = () => { panel.stop(); result?.stop(); };
    return element;
  }
  function moved(to, other) {
    line = to;
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
        button("share", () => copyText(linkTo(id, line))), button("export", () => exportSpot(current.spot, current.name)),
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
