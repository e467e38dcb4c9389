// The chart of hands in its different lights: what is played, what it is worth, how it stands, how much of it is there.

import { h, put } from "../dom.js";
import { number, percent, signed, t } from "../i18n.js";
import { segmented } from "../components/forms.js";
import { rangeGrid } from "../components/grid.js";
import { mixLegend } from "../components/mix.js";
import { choicesOf, playerName } from "./hands.js";
import { chipDigits } from "./summary.js";

// From bad (0) over the middle to good (1).
export function warmth(value) {
  const at = Math.max(0, Math.min(1, value));
  if (at < 0.5) return `color-mix(in oklab, var(--warm-middle) ${200 * at}%, var(--raise))`;
  return `color-mix(in oklab, var(--call) ${200 * at - 100}%, var(--warm-middle))`;
}

// A difference from -1 to 1, blue when positive and orange when negative.
function diverging(value) {
  const colour = value < 0 ? "var(--series-1)" : "var(--series-0)", part = Math.round(60 * Math.min(1, Math.abs(value)));
  return `color-mix(in oklab, ${colour} ${part}%, var(--panel))`;
}

// Short numbers for small cells.
function brief(value, digits) {
  const places = Math.abs(value) >= 10 ? 0 : Math.min(digits, 1), text = number(value, places);
  return Math.abs(value) < 0.5 / 10 ** places ? number(0, places) : text; // never a zero with a sign
}

function cellsOf(view, mode, player) {
  const rows = view.classes?.[player] ?? {}, digits = chipDigits(view.pot);
  const values = Object.values(rows).map((row) => row.ev).filter((value) => value !== null);
  const low = Math.min(0, ...values), high = Math.max(view.pot, ...values);
  const look = {
    ev: ({ ev }) => ev !== null && { colour: warmth((ev - low) / (high - low || 1)), text: brief(ev, digits) },
    equity: ({ equity }) => equity !== null && { colour: warmth(equity), text: String(Math.round(100 * equity)) },
  }[mode];
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, look(row)]).filter(([, cell]) => cell));
}

// Cells {class: {colour, text}} on a grid; `hot` ones are strong colours that take the text of actions.
function paintHeat(grid, heat, selected, hot) {
  grid.update({ weights: null, shares: null, strategy: null, heat, selected });
  grid.classList.toggle("hot", hot);
}

// onselect(class). element.update(view, {selected, difference}); `difference`: {cells, legend} when two solutions are compared.
export function rangeView({ onselect, onmode }) {
  let view = null, mode = "strategy", player = null, chosen = null, selected = null, difference = null;
  const grid = rangeGrid({ weights: {}, label: t("study.grid"), onselect: (name) => { selected = name; onselect(name); } });
  const tools = h("div", { class: "row spread range-tools" }), legend = h("div", { class: "range-legend" });
  const element = h("section", { class: "panel range-view" }, tools, grid, legend);

  function tool() {
    const modes = ["strategy", "ev", "equity", "range", ...(difference ? ["difference"] : [])];
    if (!modes.includes(mode)) mode = "strategy";
    put(tools, view.kind !== "decision" ? h("h2", {}, t("study.ranges-here")) :
      segmented(modes.map((value) => ({ value, label: t(`study.mode.${value}`) })), mode,
        (value) => { mode = value; draw(); onmode?.(); }, { label: t("study.mode") }),
      segmented(["oop", "ip"].map((value) => ({ value, label: playerName(value) })), player,
        (value) => { chosen = value; player = value; draw(); onmode?.(); }, { label: t("study.whose") }));
  }
  function draw() {
    const decides = view.kind === "decision"; // elsewhere there is only the range
    if (decides && mode === "difference") { paintHeat(grid, difference.cells(player), selected, false); put(legend, difference.legend(player)); return; }
    if (decides && (mode === "ev" || mode === "equity")) { paintHeat(grid, cellsOf(view, mode, player), selected, true); put(legend, scale(mode)); return; }
    const rows = view.classes?.[player] ?? {}, acts = decides && player === view.player && mode === "strategy";
    const shares = Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, row.reach])), most = Math.max(...Object.values(shares), 1e-9);
    const full = acts || most < 0.5 ? most : 1; // thin ranges are drawn larger than they are
    grid.classList.remove("hot");
    grid.update({
      heat: null, shares, selected, weights: Object.fromEntries(Object.entries(shares).map(([name, share]) => [name,
        Math.max(acts ? 0.18 : 0.03, share / full)])),
      strategy: acts ? Object.fromEntries(Object.entries(rows).filter(([, row]) => row.strategy).map(([name, row]) => [name,
        choicesOf(view.phrases, row.strategy)])) : null,
    });
    const text = t(decides && mode === "strategy" ? "study.grid.waits" : "study.grid.weights", { who: playerName(player) });
    put(legend, acts ? mixLegend(choicesOf(view.phrases)) : h("p", { class: "muted tiny" }, text,
      full < 1 && !acts ? ` ${t("study.grid.full", { share: percent(full, 1) })}` : ""));
  }
  const scale = (key) => h("div", { class: "heat-scale tiny muted" },
    h("span", {}, t(`study.scale.${key}.low`)), h("i", { "aria-hidden": "true" }), h("span", {}, t(`study.scale.${key}.high`)));

  element.update = (next, options = {}) => {
    view = next;
    selected = options.selected ?? null;
    difference = options.difference ?? null;
    if (options.mode) mode = options.mode;
    const acts = view.kind === "decision" && mode === "strategy"; // what is played is what one comes for
    player = (acts ? view.player : chosen) ?? view.player ?? player ?? "oop";
    tool();
    draw();
  };
  element.select = (name) => { selected = name; draw(); };
  Object.defineProperty(element, "player", { get: () => player });
  Object.defineProperty(element, "mode", { get: () => mode });
  return element;
}

// Differences {class: number} as cells; the largest has the full colour.
export function differenceCells(values, digits) {
  const most = Math.max(1e-9, ...Object.values(values).map(Math.abs));
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { colour: diverging(value / most), text: signed(value, digits) }]));
}
