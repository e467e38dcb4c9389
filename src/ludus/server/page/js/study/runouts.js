// Where a card comes: the deck to choose from, coloured by what each card does, and the same as a table.

import { h, put } from "../dom.js";
import { number, percent, t } from "../i18n.js";
import { cardText } from "../components/card.js";
import { deck } from "./board.js";
import { choicesOf, DECK, longer, playerName } from "./hands.js";
import { warmth } from "./heat.js";
import { actionColour } from "../components/mix.js";
import { chipDigits, shown } from "./summary.js";

// onwalk(line), onhover(line). element.update(view, walk).
export function runoutPanel({ onwalk, onhover }) {
  let view = null, report = null, measure = "equity-oop", sort = "deck", down = true;
  const cards = deck({ label: t("study.card.choose"), state, onpick: (name) => { if (allowed(name)) onwalk(longer(view.line, name)); } });
  cards.addEventListener("pointerover", (event) => { const name = event.target.closest("[data-card]")?.dataset.card; if (name && allowed(name)) hint(name); });
  cards.addEventListener("focusin", (event) => hint(event.target.dataset.card));
  const said = h("p", { class: "tiny num runout-said", "aria-live": "polite" }), tools = h("div", { class: "row" }), table = h("div", {});
  const element = h("section", { class: "panel runouts" }, h("div", { class: "row spread" }, h("h2", {}, t("study.card.choose")), tools), cards, said, table);
  let timer = null, shade = warmth;

  const allowed = (name) => !view?.all_in && (view?.cards ?? []).includes(name);
  const columns = () => [
    ["ev-oop", t("study.runout.ev", { who: playerName("oop") }), (row) => row.ev.oop],
    ["ev-ip", t("study.runout.ev", { who: playerName("ip") }), (row) => row.ev.ip],
    ["equity-oop", t("study.runout.equity", { who: playerName("oop") }), (row) => row.equity.oop],
    ["equity-ip", t("study.runout.equity", { who: playerName("ip") }), (row) => row.equity.ip],
    ...choicesOf(report?.phrases ?? []).map((choice, at) => [`action-${at}`, `${playerName(report.player)}: ${choice.label}`,
      (row) => row.frequencies[at] ?? null, actionColour(choice.key, choice.rank)]),
  ].filter(([, , value]) => report?.cards.some((row) => value(row) !== null && value(row) !== undefined));
  const chosen = () => columns().find(([key]) => key === measure);
  const text = (key, value) => shown(value, (number_) => (key.startsWith("ev") ? number(number_, chipDigits(view.pot)) : percent(number_, 1)));

  // How often is told by the shade of the action, EV and equity by where they stand between the worst and the best card.
  function colourer([, , of, colour]) {
    if (colour) return (value) => `color-mix(in oklab, ${colour} ${Math.round(100 * value)}%, var(--panel))`;
    const values = report.cards.map(of).filter((value) => value !== null && value !== undefined), low = Math.min(...values), high = Math.max(...values);
    return (value) => warmth((value - low) / (high - low || 1));
  }
  function state(name) {
    const row = report?.cards.find((each) => each.card === name);
    if (!row || !chosen()) return { disabled: !(view?.cards ?? []).includes(name) };
    const value = chosen()[2](row);
    return value === null || value === undefined ? {} : { colour: shade(value),
      text: measure.startsWith("ev") ? number(value, 0) : String(Math.round(100 * value)) };
  }
  function hint(name) {
    clearTimeout(timer);
    if (!name) return;
    timer = setTimeout(() => { if (allowed(name)) onhover(longer(view.line, name)); }, 120); // not for every card on the way
    const row = report?.cards.find((each) => each.card === name);
    put(said, row ? [cardText([name]), " ", columns().map(([key, label, value]) => `${label} ${text(key, value(row))}`).join(" · ")] : "");
  }
  function draw() {
    const known = columns();
    if (!known.some(([key]) => key === measure)) measure = known[0]?.[0] ?? measure;
    const box = h("select", { "aria-label": t("study.runout.colour"), onchange: () => { measure = box.value; draw(); } },
      known.map(([key, label]) => h("option", { value: key }, label)));
    box.value = measure;
    put(tools, known.length ? box : null);
    if (chosen()) shade = colourer(chosen());
    cards.update();
    put(table, h("details", { open: true }, h("summary", {}, t("study.runout.table")), h("div", { class: "scroll runout-scroll" }, rows(known))));
  }
  function rows(known) {
    const value = { deck: (row) => DECK.indexOf(row.card), share: (row) => row.share }[sort] ?? known.find(([key]) => key === sort)?.[2] ?? (() => 0);
    const sign = (sort === "deck") === down ? 1 : -1; // the deck goes from the ace down, numbers from the largest
    const sorted = [...report.cards].sort((one, two) => sign * ((value(one) ?? -Infinity) - (value(two) ?? -Infinity)));
    const head = (key, label, kind = "num") => h("th", { scope: "col", class: kind, "aria-sort": sort === key ? (down ? "descending" : "ascending") : null },
      h("button", { type: "button", class: "sorter", onclick: () => { down = sort === key ? !down : true; sort = key; draw(); } }, label));
    const shades = Object.fromEntries(known.map((column) => [column[0], colourer(column)]));
    const fill = (colour) => ({ backgroundImage: `linear-gradient(${colour}, ${colour})` });
    const cell = (key, of) => h("td", { class: "num heat-cell", style: of === null || of === undefined ? {} : fill(shades[key](of)) }, text(key, of));
    return h("table", { class: "dense" }, h("caption", { class: "visually-hidden" }, t("study.runout.table")),
      h("thead", {}, h("tr", {}, head("deck", t("study.runout.card"), ""), head("share", t("study.runout.share")),
        known.map(([key, label]) => head(key, label)))),
      h("tbody", {},
        h("tr", { class: "mean" }, h("th", { scope: "row" }, t("study.runout.mean")), h("td", { class: "num" }, ""),
          known.map(([key, , of]) => h("td", { class: "num" }, text(key, of(report.mean))))),
        sorted.map((row) => h("tr", {},
          h("th", { scope: "row" }, allowed(row.card) ? h("button",
            { type: "button", class: "linklike", onclick: () => onwalk(longer(view.line, row.card)) }, cardText([row.card])) : cardText([row.card])),
          h("td", { class: "num" }, percent(row.share, 1)), known.map(([key, , of]) => cell(key, of(row)))))));
  }
  element.update = async (next, walk) => {
    const same = view?.line === next.line;
    view = next;
    if (!same) {
      report = null;
      put(tools);
      put(said, t(view.all_in ? "study.runout.all-in" : "study.runout.loading"));
      put(table, h("p", { class: "empty" }, h("span", { class: "spinner" })));
      cards.update();
    }
    try {
      const answer = await walk.runouts(view.line);
      if (view !== next) return;
      report = answer;
      if (!same) put(said, t(view.all_in ? "study.runout.all-in" : "study.runout.help"));
      draw();
    } catch (error) { if (view === next) put(table, h("p", { class: "note bad" }, error.message)); }
  };
  return element;
}
