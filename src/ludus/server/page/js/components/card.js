// Playing cards: "Ah" is a face, "??" a back, "" an empty place.

import { h } from "../dom.js";
import { t } from "../i18n.js";

const SHAPES = { // 24 x 24
  s: "M12 1.8C9.7 6 2.9 9.5 2.9 14.3c0 2.7 2 4.5 4.3 4.5 1.6 0 3-.8 3.9-2.2-.2 2.2-1.1 4-2.8 5.4h7.4c-1.7-1.4-2.6-3.2-2.8-5.4.9 1.4 2.3 2.2 3.9 2.2 2.3 0 4.3-1.8 4.3-4.5C21.1 9.5 14.3 6 12 1.8z",
  h: "M12 21.8C10.2 18.6 2.3 14.4 2.3 8.3 2.3 5 4.7 2.7 7.5 2.7c2 0 3.6 1.2 4.5 3.1.9-1.9 2.5-3.1 4.5-3.1 2.8 0 5.2 2.3 5.2 5.6 0 6.1-7.9 10.3-9.7 13.5z",
  d: "M12 1.5c1.9 3.9 4.6 7.4 8.1 10.5-3.5 3.1-6.2 6.6-8.1 10.5-1.9-3.9-4.6-7.4-8.1-10.5C7.4 8.9 10.1 5.4 12 1.5z",
  c: "M12 1.9a4.7 4.7 0 0 1 4.1 7 4.7 4.7 0 1 1-3.3 8.1c.3 2 1.2 3.7 2.7 5h-7c1.5-1.3 2.4-3 2.7-5a4.7 4.7 0 1 1-3.3-8.1 4.7 4.7 0 0 1 4.1-7z",
};
export const RANKS = "AKQJT98765432";
export const SUITS = "shdc";

export function suitSymbol(suit) {
  return h("svg:svg", { viewBox: "0 0 24 24", class: `suit suit-${suit}`, "aria-hidden": "true" }, h("svg:path", { d: SHAPES[suit] }));
}

export const cardName = (code) =>
  code === "??" ? t("common.card.hidden") : t("common.card", { rank: t(`common.rank.${code[0]}`), suit: t(`common.suit.${code[1]}`) });
const shownRank = (rank) => (rank === "T" ? "10" : rank);

// An element for one card; size "s" | "m" | "l". In its CSS --card is the width, everything follows from it.
export function card(code, { size = "m", dim = false } = {}) {
  const kind = (name) => `card ${size} ${name}${dim ? " dim" : ""}`;
  if (!code) return h("span", { class: kind("slot"), "aria-hidden": "true" });
  if (code === "??") return h("span", { class: kind("back"), role: "img", "aria-label": cardName(code) });
  return h("span", { class: kind(`suit-${code[1]}`), role: "img", "aria-label": cardName(code), dataset: { card: code } },
    h("b", { "aria-hidden": "true" }, shownRank(code[0])), suitSymbol(code[1]));
}

// A row of cards; `slots` fills it with empty places up to that number (5 for a board). "AhKh" and ["Ah", "Kh"] are the same.
export function cards(list, { size = "m", slots = 0, dim = false, label } = {}) {
  const codes = split(list);
  const places = [...codes, ...Array(Math.max(0, slots - codes.length)).fill("")];
  return h("span", { class: "cards", role: label ? "group" : null, "aria-label": label }, places.map((code) => card(code, { size, dim })));
}

// Cards within a line of text: rank and coloured suit, no frame.
export function cardText(list) {
  const codes = split(list);
  return h("span", { class: "cardtext", role: "img", "aria-label": codes.map(cardName).join(", ") },
    codes.map((code) => (code === "??" ? h("span", {}, "?") : h("span", { class: `suit-${code[1]}` }, shownRank(code[0]), suitSymbol(code[1])))));
}

export const split = (list) => (typeof list === "string" ? list.match(/../g) ?? [] : list ?? []);
