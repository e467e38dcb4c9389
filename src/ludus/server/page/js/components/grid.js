// The 169 starting hands as a 13 x 13 grid: pairs on the diagonal, suited above it, offsuit below.

import { h, put } from "../dom.js";
import { percent, t } from "../i18n.js";
import { RANKS } from "./card.js";
import { coloured } from "./mix.js";

export const classAt = (row, column) =>
  row === column ? RANKS[row] + RANKS[row] : row < column ? `${RANKS[row]}${RANKS[column]}s` : `${RANKS[column]}${RANKS[row]}o`;
export const CLASSES = RANKS.split("").flatMap((_, row) => RANKS.split("").map((__, column) => classAt(row, column)));
export const combos = (hand) => (hand.length === 2 ? 6 : hand[2] === "s" ? 4 : 12);

// weights: {class: 0..1}, the height filled (null: all full). strategy: {class: [{key, chance}]}, its colours side by side.
// shares: {class: 0..1}, what is said of a cell where its height is scaled. heat: {class: {colour, text?}}, a colour of its own (see heatColour) and a short text in the cell: EV, equity.
// onselect(class) at a click or Enter; onhover(class | null); with onpaint(class, weight) cells are painted with `brush` by
// dragging or Space, onpainted() follows once. element.update({weights, strategy, heat, selected, brush}) changes what it is given.
export function rangeGrid({ weights = null, shares = null, strategy = null, heat = null, onselect, onhover, onpaint, onpainted, brush = 1, selected = null, label }) {
  const state = { weights, shares, strategy, heat, selected, brush };
  const cells = new Map();
  let current = selected ?? "AA", painting = null;
  const weightOf = (hand) => (state.weights ? state.weights[hand] ?? 0 : (state.strategy ?? state.heat) && !(state.strategy ?? state.heat)[hand] ? 0 : 1);

  function draw(hand) {
    const cell = cells.get(hand), weight = weightOf(hand), mix = coloured(state.strategy?.[hand] ?? []).filter(({ chance }) => chance > 0);
    const warm = weight > 0 ? state.heat?.[hand] : null;
    cell.style.backgroundImage = warm ? `linear-gradient(${warm.colour}, ${warm.colour})` : weight > 0 ? stripes(mix) : "none";
    cell.style.backgroundSize = `100% ${warm ? 100 : weight * 100}%`;
    put(cell.lastChild, warm?.text ?? "");
    cell.classList.toggle("on", !warm && weight > 0.6);
    cell.classList.toggle("none", weight === 0);
    cell.setAttribute("aria-selected", String(hand === state.selected));
    const actions = mix.map(({ key, label: name, chance }) => `${name ?? t(`common.action.${key}`)} ${percent(chance)}`);
    const share = state.shares?.[hand] ?? weight;
    cell.setAttribute("aria-label", [hand, share < 1 && percent(share), warm?.text, ...actions].filter(Boolean).join(", "));
    cell.title = [hand, state.weights && percent(share, 1), warm?.text, ...actions].filter(Boolean).join("\n");
  }
  function focus(hand) {
    cells.get(current).tabIndex = -1;
    current = hand;
    cells.get(hand).tabIndex = 0;
    cells.get(hand).focus();
  }
  function paint(hand, weight) {
    if (weightOf(hand) === weight) return;
    state.weights = { ...state.weights, [hand]: weight };
    draw(hand);
    onpaint(hand, weight);
  }
  function select(hand) {
    const before = state.selected;
    state.selected = hand;
    if (before) draw(before);
    if (hand) draw(hand);
    onselect?.(hand);
  }
  const opposite = (hand) => (Math.abs(weightOf(hand) - state.brush) < 1e-9 ? 0 : state.brush);
  const handAt = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-hand]");

  function key(event) {
    const place = CLASSES.indexOf(current), row = Math.floor(place / 13), column = place % 13;
    const to = {
      ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1], ArrowDown: [row + 1, column], ArrowUp: [row - 1, column],
      Home: [row, 0], End: [row, 12], PageUp: [0, column], PageDown: [12, column],
    }[event.key];
    if (to) focus(classAt(Math.max(0, Math.min(12, to[0])), Math.max(0, Math.min(12, to[1]))));
    else if (event.key === " " && onpaint) { paint(current, opposite(current)); onpainted?.(); }
    else if (event.key === "Enter" || event.key === " ") select(current);
    else return;
    event.preventDefault();
  }

  const rows = RANKS.split("").map((_, row) => h("div", { role: "row" }, RANKS.split("").map((__, column) => {
    const hand = classAt(row, column);
    const cell = h("div", { role: "gridcell", class: row === column ? "pair" : "", tabindex: hand === current ? 0 : -1, dataset: { hand } }, hand, h("small", { "aria-hidden": "true" }));
    cells.set(hand, cell);
    return cell;
  })));
  const element = h("div", {
    class: `grid13${onpaint ? " paint" : ""}`, role: "grid", "aria-label": label, onkeydown: key,
    onpointerdown(event) {
      const hand = event.target.closest("[data-hand]")?.dataset.hand;
      if (!hand || event.button) return;
      cells.get(current).tabIndex = -1;
      current = hand;
      cells.get(hand).tabIndex = 0;
      if (!onpaint) return;
      event.preventDefault();
      element.setPointerCapture(event.pointerId);
      painting = opposite(hand);
      paint(hand, painting);
    },
    onpointermove(event) {
      const cell = painting === null ? event.target.closest("[data-hand]") : handAt(event);
      if (!cell || !element.contains(cell)) return;
      if (painting === null) onhover?.(cell.dataset.hand); else paint(cell.dataset.hand, painting);
    },
    onpointerup() { if (painting !== null) { painting = null; onpainted?.(); } },
    onpointercancel() { if (painting !== null) { painting = null; onpainted?.(); } },
    onpointerleave: () => onhover?.(null),
    onclick(event) {
      const hand = event.target.closest("[data-hand]")?.dataset.hand ?? (onpaint ? current : null);
      if (hand) select(hand);
    },
    onfocusin: (event) => onhover?.(event.target.dataset.hand ?? null),
  }, rows);
  element.update = (changes = {}) => { Object.assign(state, changes); CLASSES.forEach(draw); };
  element.update();
  return element;
}

// A ground for text from red over nothing to green; share from -1 to 1.
export const heatColour = (share) =>
  `color-mix(in srgb, var(${share < 0 ? "--bad" : "--good"}) ${Math.round(Math.min(1, Math.abs(share)) * 42)}%, var(--panel))`;

function stripes(mix) {
  if (!mix.length) return "linear-gradient(var(--call), var(--call))";
  let from = 0;
  const total = mix.reduce((sum, { chance }) => sum + chance, 0);
  const stops = mix.map(({ chance, colour }) => {
    const to = from + (chance / total) * 100, stop = `${colour} ${from.toFixed(1)}% ${to.toFixed(1)}%`;
    from = to;
    return stop;
  });
  return `linear-gradient(to right, ${stops.join(", ")})`;
}
