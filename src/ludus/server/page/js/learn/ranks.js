// For beginners: which hand beats which, how often each comes, and a small quiz.

import { button } from "../components/forms.js";
import { cards, RANKS, SUITS } from "../components/card.js";
import { h, put } from "../dom.js";
import { percent, t } from "../i18n.js";
import { handOf } from "../table/made.js";
import { figure, remember, says, section } from "./parts.js";

const KINDS = [ // kind, an example, and how many of the 133,784,560 hands of seven cards make it
  ["royal", "AsKsQsJsTs", 4324], ["straight-flush", "9h8h7h6h5h", 37_260], ["four", "QsQhQdQc4d", 224_848], ["full", "KsKhKd7c7h", 3_473_184],
  ["flush", "AdJd8d5d3d", 4_047_644], ["straight", "Tc9h8s7d6c", 6_180_020], ["three", "8s8h8dKcJh", 6_461_620], ["two-pair", "AcAh6s6dQc", 31_433_400],
  ["pair", "JsJd9h5c2s", 58_627_800], ["high", "AhQd9c6s3h", 23_294_460],
];
const ALL = 133_784_560;
const split = (text) => text.match(/../g);

export async function lessonPage(root) {
  const table = h("div", { class: "scroll" }, h("table", { class: "rank-table" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("basics.ranks.hand")), h("td", {}), h("th", { scope: "col", class: "num" }, t("basics.ranks.often")))),
    h("tbody", {}, KINDS.map(([kind, example, count]) => h("tr", {}, h("th", { scope: "row" }, t(`basics.kind.${kind}`)), h("td", {}, cards(split(example), { size: "s" })),
      h("td", { class: "num" }, percent(count / ALL, count < 100_000 ? 4 : 1)))))));
  put(root, h("h1", {}, t("basics.ranks.title")), h("p", { class: "lead" }, t("basics.ranks.lead")),
    section("basics.ranks.order", says("basics.ranks.order.1"), figure("basics.ranks.caption", table), says("basics.ranks.order.2", "basics.ranks.order.3")),
    section("basics.ranks.quiz", says("basics.ranks.quiz.1"), quiz()),
    section("learn.remember", remember("basics.ranks.remember.1", "basics.ranks.remember.2")));
}

// Seven cards, and what they make: two in the hand, five on the board. Strong hands come more often than in life.
function quiz() {
  const place = h("figure", { class: "panel stack quiz" });
  let right = 0, asked = 0;
  function deal() {
    const deck = RANKS.split("").flatMap((rank) => [...SUITS].map((suit) => rank + suit)), wanted = KINDS[Math.floor(Math.random() * KINDS.length)][0];
    let seven = [];
    for (let tries = 0; tries < 4000; tries++) {
      seven = Array.from({ length: 7 }, (_, i) => { const at = i + Math.floor(Math.random() * (52 - i)); [deck[i], deck[at]] = [deck[at], deck[i]]; return deck[i]; });
      if (handOf(seven).kind === wanted) break;
    }
    const { kind } = handOf(seven), says_ = h("p", { role: "status" });
    const answers = h("div", { class: "row" }, KINDS.map(([name]) => button(t(`basics.kind.${name}`), (event) => answer(name, event.currentTarget), "small")));
    function answer(name, pressed) {
      asked += 1;
      right += name === kind;
      pressed.classList.add(name === kind ? "right" : "wrong");
      for (const each of answers.children) each.disabled = true;
      put(says_, t(name === kind ? "basics.ranks.right" : "basics.ranks.wrong", { hand: t(`basics.kind.${kind}`) }), " ", t("basics.ranks.score", { right, asked }), " ",
        button(t("drill.next"), deal, "small"));
      says_.querySelector("button").focus();
    }
    put(place, h("div", { class: "row" }, cards(seven.slice(0, 2), { size: "m" }), h("span", { class: "muted" }, "+"), cards(seven.slice(2), { size: "m" })), answers, says_);
  }
  deal();
  return place;
}
