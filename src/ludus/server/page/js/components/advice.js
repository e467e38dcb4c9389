// What the assistant says about a decision: the mix, what each action is worth, what that rests on, and the ranges.

import { h, put } from "../dom.js";
import { has, language, number, percent, signed, t } from "../i18n.js";
import { cardText } from "./card.js";
import { rangeGrid } from "./grid.js";
import { actionText, mixBar, mixRows } from "./mix.js";
import { sentence } from "./reasons.js";

// 'raise to 12' -> {key: "raise", amount: 12}: the key is the first word, amounts are chips.
function actionOf(name) {
  const [key] = name.split(" "), found = name.match(/\d+/);
  return { key, amount: found ? Number(found[0]) : null };
}

export const actionLabel = (name, money) => actionText(actionOf(name), money);

// The choices as rows and bars take them.
const choicesOf = (choices, money, unit, chosen, pick) => choices.map((choice) => ({
  key: actionOf(choice.name).key, label: actionLabel(choice.name, money), chance: choice.chance, value: choice.value / unit, error: (1.96 * choice.error) / unit,
  best: choice.best, chosen: choice.action === chosen, pick: pick && (() => pick(choice.action)),
}));

export const adviceBar = (advice, money, options = {}) => mixBar(choicesOf(advice.choices, money, advice.big_blind), options);

// Options: money (chips -> text), names (seat -> name), chosen (the action taken), more (an element beside the source), pick(action).
export function adviceView(advice, { money = number, names = {}, chosen, grids = true, more, pick } = {}) {
  const rows = mixRows(choicesOf(advice.choices, money, advice.big_blind, chosen, pick), { caption: t("review.mix"), unit: t("review.ev-bb"), digits: 2 });
  return h("div", { class: "advice" },
    advice.reasons?.length ? h("p", { class: "advice-words" }, sentence(advice.reasons)) : null,
    rows, h("p", { class: "advice-source muted tiny" }, sourceText(advice)), more,
    figures(advice), exploiting(advice, money, chosen), outs(advice), grids && advice.grids ? ranges(advice, names) : null);
}

const LEAST_ERROR = 0.0001; // a smaller one is not told apart

// What the figures come from, how far off they may be, and how long that took.
export function sourceText(advice) {
  const key = `review.source.${advice.source}`, { accuracy } = advice;
  return [
    t("review.from", { source: has(key) ? t(key) : advice.source }),
    typeof accuracy === "number" && t("review.accuracy", { error: percent(Math.max(accuracy, LEAST_ERROR), accuracy < 0.01 ? 2 : 0) }),
    language === "en" && advice.note,
    advice.seconds >= 0.1 && t("review.seconds", { seconds: number(advice.seconds, 1) }),
  ].filter(Boolean).join(" · ");
}

// Whom an equity is against, by the places of the opponents.
export const equityName = (places) => (places.length === 1 ? t("review.equity-place", { place: places[0] }) : t("review.equity-all", { players: places.length }));

function figures(advice) {
  const { equity, opponents, pot_odds: odds, needed = null, enough = null, minimum_defence: defence } = advice;
  const figure = (name, value, help, mark = "") => h("div", { class: `advice-figure ${mark}`, title: help }, h("dt", {}, name), h("dd", { class: "num" }, value));
  return h("dl", { class: "advice-figures" },
    figure(equityName(opponents.map(({ place }) => place)), percent(equity), t("review.equity-help"), enough === null ? "" : enough ? "enough" : "short"),
    needed !== null && figure(t("review.needed"), percent(needed), t("review.needed-help")),
    needed === null && odds > 0 && figure(t("review.odds"), percent(odds), t("review.odds-help")),
    defence !== null && defence !== undefined && figure(t("review.defence"), percent(defence), t("review.defence-help")),
    advice.outs.length > 0 && figure(t("review.outs"), number(advice.outs.length), t("review.outs-help")),
    opponents.length > 1 && figure(t("review.equity-each"), opponents.map((each) => `${each.place} ${percent(each.equity)}`).join(" · "), t("review.equity-help"), "each"));
}

function outs(advice) {
  if (!advice.outs.length) return null;
  return h("details", { class: "advice-outs" }, h("summary", {}, t("review.outs-list", { count: advice.outs.length })),
    h("p", {}, advice.outs.flatMap((out) => [cardText(out), " "])));
}

// Only where enough is known of them that the gain is clear.
function exploiting(advice, money, chosen) {
  const { exploiting: choices, exploiting_gain: gain, exploiting_hands: hands, big_blind: unit } = advice;
  if (!choices?.length || !gain) return null;
  return h("details", { open: true }, h("summary", {}, t("review.exploiting")),
    h("p", { class: "muted tiny" }, t("review.exploiting-gain", { gain: signed(gain.mean / unit, 2), error: number((1.96 * gain.error) / unit, 2), hands })),
    mixRows(choicesOf(choices, money, unit, chosen), { caption: t("review.exploiting"), unit: t("review.ev-bb"), digits: 2 }));
}

// Tabs: the own range and that of every opponent who is still in.
function ranges(advice, names) {
  const others = new Map(advice.opponents.map((each) => [String(each.seat), each]));
  const keys = Object.keys(advice.grids).filter((key) => advice.grids[key] && (key === "own" || others.has(key)))
    .sort((a, b) => (a === "own") - (b === "own")); // opponents first: that is what one wants to know
  if (!keys.length) return null;
  const body = h("div", { role: "tabpanel", class: "advice-range" });
  const title = (key) => (key === "own" ? t("review.own-range") : names[key] ?? others.get(key).place);
  const tabs = keys.map((key) => h("button", { type: "button", role: "tab", onclick: () => show(key) }, title(key)));
  function show(key) {
    tabs.forEach((tab, i) => {
      tab.setAttribute("aria-selected", String(keys[i] === key));
      tab.tabIndex = keys[i] === key ? 0 : -1;
    });
    const other = others.get(key);
    put(body, rangeGrid({ weights: scaled(advice.grids[key]), label: t("review.range-of", { name: title(key) }) }),
      other && h("p", { class: "muted tiny" }, t("review.range-share", { place: other.place, share: percent(other.share), equity: percent(other.equity) })),
      other && h("details", { class: "tiny" }, h("summary", {}, t("hand.text")), h("code", {}, other.range)));
  }
  const bar = h("div", { class: "tabs", role: "tablist", "aria-label": t("review.ranges"), onkeydown: (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key], at = tabs.indexOf(document.activeElement);
    if (!by || at < 0) return;
    const next = (at + by + tabs.length) % tabs.length;
    show(keys[next]);
    tabs[next].focus();
    event.stopPropagation();
  } }, tabs);
  show(keys[0]);
  return h("details", { class: "advice-ranges", open: true }, h("summary", {}, t("review.ranges")), bar, body);
}

// The likeliest class fills its cell: a narrow range stays readable.
function scaled(weights) {
  const most = Math.max(...Object.values(weights), 1e-9);
  return most >= 1 ? weights : Object.fromEntries(Object.entries(weights).map(([name, weight]) => [name, weight / most]));
}
