// How a strategy mixes its actions: stacked bars and rows with values.

import { h } from "../dom.js";
import { number, percent, signed, t } from "../i18n.js";

const RAISES = 4;

// An action in words: {key: "raise", amount: 150} is "Raise to 150".
export const actionText = ({ key, amount }, say = number) => (amount === null ? t(`common.action.${key}`)
  : t(`common.action.${key}.amount`, { amount: say(amount) }));

// The colour of an action; among several bets or raises `rank` 0, 1, 2... goes from the smallest to the largest.
export function actionColour(key, rank) {
  if (key === "fold") return "var(--fold)";
  if (key === "check" || key === "call") return "var(--call)";
  if (key === "all-in") return "var(--allin)";
  return rank === undefined ? "var(--raise)" : `var(--raise-${Math.min(rank, RAISES - 1)})`;
}

// Each choice with its colour; bets and raises are ranked in their order unless a choice has a rank of its own.
export function coloured(choices) {
  const many = choices.filter((choice) => choice.key === "bet" || choice.key === "raise").length > 1;
  let rank = 0;
  return choices.map((choice) => {
    const own = choice.rank ?? (many && (choice.key === "bet" || choice.key === "raise") ? rank++ : undefined);
    return { ...choice, colour: choice.colour ?? actionColour(choice.key, own) };
  });
}

const spoken = (choices) => choices.map(({ label, key, chance }) => `${label ?? t(`common.action.${key}`)} ${percent(chance)}`).join(", ");

// One bar of all choices: [{key, label?, chance}]. Options: thin.
export function mixBar(choices, { thin = false } = {}) {
  const shown = coloured(choices).filter(({ chance }) => chance > 0.0005);
  return h("div", { class: `mix${thin ? " thin" : ""}`, role: "img", "aria-label": spoken(shown) },
    shown.map(({ chance, colour, label, key }) =>
      h("span", { style: { width: `${chance * 100}%`, background: colour }, title: `${label ?? t(`common.action.${key}`)} ${percent(chance, 1)}` },
        chance >= 0.09 ? percent(chance) : "")));
}

// A row for each choice: [{key, label?, chance, value?, error?, best?, chosen?, pick?()}]. Options: caption, unit (head of the value column), digits.
export function mixRows(choices, { caption, unit, digits = 2 } = {}) {
  const valued = choices.some(({ value }) => value !== undefined && value !== null);
  const marked = choices.some(({ best }) => best);
  const top = Math.max(...choices.map(({ value }) => value ?? -Infinity));
  const row = ({ key, label = t(`common.action.${key}`), chance, value, error, best, chosen, colour, pick }) =>
    h("tr", { class: [(marked ? best : valued && value === top) && "best", chosen && "chosen"].filter(Boolean).join(" ") },
      h("th", { scope: "row" }, pick ? h("button", { type: "button", class: "pick", onclick: pick }, label) : label, chosen && h("span", { class: "visually-hidden" }, t("common.chosen"))),
      h("td", { class: "share", "aria-hidden": "true" }, h("span", {}, h("span", { style: { width: `${chance * 100}%`, background: colour } }))),
      h("td", { class: "num" }, percent(chance, chance > 0 && chance < 0.01 ? 1 : 0)),
      valued && h("td", { class: "num value", title: error > 0 && `± ${number(error, digits)}` }, value === undefined || value === null ? "–" : signed(value, digits)));
  return h("table", { class: "mixrows" },
    caption && h("caption", { class: "visually-hidden" }, caption),
    h("thead", { class: valued ? null : "visually-hidden" }, h("tr", {},
      h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, t("common.action"))),
      h("td", {}),
      h("th", { scope: "col", class: "num" }, h("span", { class: "visually-hidden" }, t("common.frequency"))),
      valued && h("th", { scope: "col", class: "num" }, unit ?? t("common.ev")))),
    h("tbody", {}, coloured(choices).map(row)));
}

// What the colours mean: [{key, label?}].
export function mixLegend(choices) {
  return h("ul", { class: "legend" }, coloured(choices).map(({ key, label, colour }) =>
    h("li", {}, h("i", { style: { background: colour } }), label ?? t(`common.action.${key}`))));
}
