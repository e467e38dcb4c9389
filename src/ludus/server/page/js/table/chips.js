// Piles of chips, drawn.

import { h } from "../dom.js";

const COINS = [[100, "e"], [25, "d"], [5, "c"], [1, "b"], [0, "a"]]; // big blinds a chip is worth, and its colour

function coins(blinds) {
  const pile = [];
  for (const [worth, colour] of COINS) {
    while (worth ? blinds >= worth && pile.length < 10 : blinds > 1e-9 && !pile.length) {
      pile.push(colour);
      blinds -= worth || blinds;
    }
  }
  return pile.slice(0, 10);
}

// An amount in big blinds as one or two piles of at most five chips.
export function chips(blinds) {
  const all = coins(blinds), piles = [all.slice(0, 5), all.slice(5)].filter((pile) => pile.length);
  const tallest = Math.max(1, ...piles.map((pile) => pile.length)), height = 8 + 3 * tallest, width = 15 * Math.max(1, piles.length);
  const svg = h("svg:svg", { class: "chip-pile", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
  piles.forEach((pile, column) => pile.forEach((colour, i) => {
    const x = 7.5 + 15 * column, y = height - 4.5 - 3 * i;
    svg.append(
      h("svg:path", { class: `coin-edge coin-${colour}`, d: `M${x - 7} ${y - 1.5}v2a7 3.6 0 0 0 14 0v-2z` }),
      h("svg:ellipse", { class: `coin coin-${colour}`, cx: x, cy: y - 1.5, rx: 7, ry: 3.4 }),
      h("svg:ellipse", { class: "coin-ring", cx: x, cy: y - 1.5, rx: 4.3, ry: 1.9 }),
    );
  }));
  return svg;
}
