// What the exploiter has learnt about the reader: how often it plays against their habits, and which those are.

import { h } from "../dom.js";
import { number, percent, t } from "../i18n.js";

// found: the answer of GET /learnt. Nothing when one has never met it.
export function learnt({ heads_up: duel, larger }) {
  if (!duel.hands && !larger.hands) return null;
  return h("section", { class: "panel", id: "learnt" }, h("h2", {}, t("statistics.learnt")), h("p", { class: "muted tiny" }, t("statistics.learnt.how")),
    duel.hands > 0 && part(t("lobby.preset.heads-up"), duel), larger.hands > 0 && part(t("statistics.learnt.larger"), larger));
}

function part(title, { hands, trust, habits }) {
  return h("div", {}, h("h3", {}, title), h("p", {}, t("statistics.learnt.trust", { hands, trust: percent(trust) })),
    habits.length ? table(title, habits) : h("p", { class: "muted" }, t("statistics.learnt.none")));
}

function table(title, habits) {
  const action = (name) => t(`common.action.${name}`), head = (text) => h("th", { scope: "col", class: "num" }, text);
  return h("div", { class: "scroll" }, h("table", { class: "figures" }, h("caption", { class: "visually-hidden" }, title),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("statistics.learnt.spot")),
      [t("statistics.learnt.times"), action("fold"), `${action("check")} / ${action("call")}`, `${action("bet")} / ${action("raise")}`].map(head))),
    h("tbody", {}, habits.map(({ street, bets, chances, done, balanced }) => h("tr", {},
      h("th", { scope: "row" }, t(`statistics.learnt.bets.${bets}`, { street: t(`review.street.${street}`) })), h("td", { class: "num" }, number(chances)),
      done.map((share, i) => h("td", { class: "num nowrap" }, `${percent(share)} (${percent(balanced[i])})`)))))));
}
