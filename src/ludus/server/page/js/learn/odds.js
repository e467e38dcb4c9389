// For beginners: what a call has to win to pay, and how often a draw comes in.

import { field, slider } from "../components/forms.js";
import { h, put } from "../dom.js";
import { number, percent, t } from "../i18n.js";
import { figure, remember, says, section } from "./parts.js";

const UNSEEN = 47; // cards that one has not seen on the flop
const DRAWS = [["gutshot", 4], ["overcards", 6], ["open", 8], ["flush", 9], ["both", 15]];

export async function lessonPage(root) {
  put(root, h("h1", {}, t("basics.odds.title")), h("p", { class: "lead" }, t("basics.odds.lead")),
    section("basics.odds.price", says("basics.odds.price.1", "basics.odds.price.2"), price(), says("basics.odds.price.3")),
    section("basics.odds.outs", says("basics.odds.outs.1"), draws(), says("basics.odds.outs.2")),
    section("learn.remember", remember("basics.odds.remember.1", "basics.odds.remember.2", "basics.odds.remember.3"),
      h("p", {}, h("a", { href: "/drill?theme=river-facing-bet" }, t("basics.odds.drill")))));
}

function price() {
  const state = { pot: 10, bet: 5 }, says_ = h("p", { class: "big-line" }), bar = h("div", { class: "price-bar", "aria-hidden": "true" });
  const update = () => {
    const { pot, bet } = state, needed = bet / (pot + 2 * bet);
    put(says_, t("basics.odds.needed", { bet, total: pot + 2 * bet, needed: percent(needed, 1) }));
    put(bar, h("span", { class: "yours", style: { width: `${100 * needed}%` } }, percent(needed)), h("span", {}, t("basics.odds.there", { pot: pot + bet })));
  };
  const control = (name, max) => field(t(`basics.odds.${name}`), slider({ min: 1, max, value: state[name], format: (value) => t("common.bb", { amount: number(value) }), oninput: (value) => { state[name] = value; update(); } }));
  update();
  return figure("basics.odds.caption", h("div", { class: "columns" }, control("pot", 40), control("bet", 60)), bar, says_);
}

// Of the two cards to come at least one helps: 1 - (47 - outs)(46 - outs) / (47 * 46).
const byRiver = (outs) => 1 - ((UNSEEN - outs) * (UNSEEN - 1 - outs)) / (UNSEEN * (UNSEEN - 1));

function draws() {
  const head = (key) => h("th", { scope: "col", class: key === "draw" ? "" : "num" }, t(`basics.odds.${key}`));
  return figure(null, h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["draw", "number", "turn", "river", "rule"].map(head))),
    h("tbody", {}, DRAWS.map(([name, outs]) => h("tr", {}, h("th", { scope: "row" }, t(`basics.draw.${name}`)), h("td", { class: "num" }, number(outs)),
      h("td", { class: "num" }, percent(outs / UNSEEN, 1)), h("td", { class: "num" }, percent(byRiver(outs), 1)), h("td", { class: "num muted" }, t("basics.odds.about", { turn: percent((2 * outs) / 100), river: percent((4 * outs) / 100) }))))))));
}
