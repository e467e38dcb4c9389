// Hands one by one: the combinations of a class, and the whole range as a table that can be sorted.

import { h, put } from "../dom.js";
import { number, percent, t } from "../i18n.js";
import { cardText } from "../components/card.js";
import { actionText, mixBar } from "../components/mix.js";
import { choicesOf, classOf } from "./hands.js";
import { chipDigits, shown } from "./summary.js";

const MORE = 40;

// The combinations of one class: mix, EV of every action, EV, equity, weight.
export function classDetail() {
  const element = h("div", { class: "class-detail" });
  element.update = (view, player, name) => {
    if (!name) { put(element, h("p", { class: "empty" }, t("study.detail.choose"))); return; }
    const hands = Object.entries(view.hands?.[player] ?? {}).filter(([hand]) => classOf(hand) === name);
    const acts = player === view.player, digits = chipDigits(view.pot), total = view.classes?.[player]?.[name];
    if (!hands.length) { put(element, h("h3", {}, name), h("p", { class: "empty" }, t("study.detail.none", { name }))); return; }
    const head = [t("study.column.hand"), t("study.column.weight"), ...(acts ? view.phrases.map((each) => actionText(each)) : []), t("study.column.ev"),
      t("study.column.equity")];
    put(element,
      h("div", { class: "row spread" }, h("h3", {}, name),
        total ? h("p", { class: "tiny muted num" }, t("study.detail.class",
          { combos: number(total.combos * total.reach, 1), ev: shown(total.ev, (value) => number(value, digits)),
          equity: shown(total.equity, (value) => percent(value, 1)) })) : null),
      acts && total?.strategy ? mixBar(choicesOf(view.phrases, total.strategy)) : null,
      h("div", { class: "scroll" }, h("table", { class: "dense combos" },
        h("caption", { class: "visually-hidden" }, t("study.detail.caption", { name })),
        h("thead", {}, h("tr", {}, head.map((text, at) => h("th", { scope: "col", class: at ? "num" : "" }, text)))),
        h("tbody", {}, hands.sort((one, two) => two[1].reach - one[1].reach).map(([hand, row]) => combo(hand, row, view, acts, digits))))),
      acts ? h("p", { class: "tiny muted" }, t("study.detail.help")) : null);
  };
  return element;
}

function combo(hand, row, view, acts, digits) {
  const best = acts ? Math.max(...row.action_ev.map((value) => value ?? -Infinity)) : null;
  return h("tr", { class: row.reach < 1e-4 ? "gone" : "" },
    h("th", { scope: "row" }, cardText(hand), acts ? mixBar(choicesOf(view.phrases, row.strategy), { thin: true }) : null),
    h("td", { class: "num" }, percent(row.reach)),
    acts ? row.strategy.map((chance, at) => h("td", { class: `num action-cell${row.action_ev[at] === best ? " best" : ""}` },
      h("span", {}, percent(chance)), h("small", {}, shown(row.action_ev[at], (value) => number(value, digits))))) : null,
    h("td", { class: "num" }, shown(row.ev, (value) => number(value, digits))),
    h("td", { class: "num" }, shown(row.equity, (value) => percent(value, 1))));
}

// All hands of a player, best first; a click on a heading sorts by it, another turns it round.
export function handTable(onclass) {
  const element = h("div", { class: "hand-table" });
  let sort = "ev", down = true, room = MORE, view = null, player = null;

  const value = { hand: ([hand]) => hand, weight: ([, row]) => row.reach, ev: ([, row]) => row.ev, equity: ([, row]) => row.equity };
  function compare(one, two) {
    const by = value[sort] ?? (([, row]) => row.strategy[Number(sort)]);
    const [a, b] = [by(one), by(two)];
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1; // hands without a value come last either way
    return (a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1);
  }
  function draw() {
    const hands = Object.entries(view.hands?.[player] ?? {}).filter(([, row]) => row.reach > 0.005).sort(compare);
    const acts = player === view.player, digits = chipDigits(view.pot);
    const column = (key, text, kind = "num") => h("th", { scope: "col", class: kind, "aria-sort": sort === key ? (down ? "descending" : "ascending") : null },
      h("button",
        { type: "button", class: "sorter", onclick: () => { if (sort === key) down = !down; else { sort = key; down = key !== "hand"; } draw(); } }, text));
    const row = ([hand, data]) => h("tr", {},
      h("th", { scope: "row" }, h("button", { type: "button", class: "linklike", onclick: () => onclass(classOf(hand)) }, cardText(hand))),
      h("td", { class: "num" }, percent(data.reach)),
      acts ? h("td", { class: "mix-cell" }, mixBar(choicesOf(view.phrases, data.strategy), { thin: true })) : null,
      h("td", { class: "num" }, shown(data.ev, (ev) => number(ev, digits))),
      h("td", { class: "num" }, shown(data.equity, (equity) => percent(equity, 1))));
    put(element,
      acts ? h("label", { class: "row tiny" }, t("study.sort-by"), sorter()) : null,
      h("div", { class: "scroll hands-scroll" }, h("table", { class: "dense" },
        h("caption", { class: "visually-hidden" }, t("study.hands.caption")),
        h("thead", {}, h("tr", {}, column("hand", t("study.column.hand"), ""), column("weight", t("study.column.weight")),
          acts ? h("th", { scope: "col" }, t("study.column.mix")) : null,
          column("ev", t("study.column.ev")), column("equity", t("study.column.equity")))),
        h("tbody", {}, hands.slice(0, room).map(row)))),
      hands.length > room ? h("button", { type: "button", class: "button small", onclick: () => { room += 200; draw(); } },
        t("study.more", { count: hands.length - room })) : null);
  }
  function sorter() {
    const box = h("select", { class: "inline-select", onchange: () => { sort = box.value; down = true; draw(); } },
      [["ev", t("study.column.ev")], ["equity", t("study.column.equity")], ["weight", t("study.column.weight")],
        ...view.phrases.map((phrase, at) => [String(at), actionText(phrase)])]
        .map(([key, text]) => h("option", { value: key }, text)));
    box.value = sort === "hand" ? "ev" : sort;
    return box;
  }
  element.update = (next, who) => {
    if (view !== next || player !== who) room = MORE;
    if (!value[sort] && (who !== next.player || Number(sort) >= (next.actions?.length ?? 0))) sort = "ev";
    [view, player] = [next, who];
    draw();
  };
  return element;
}
