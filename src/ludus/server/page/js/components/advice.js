// What the assistant says about a decision: the mix, what each action is worth, what that rests on, and the ranges.

import { h, put } from "../dom.js";
import { has, language, number, percent, signed, t } from "../i18n.js";
import { cardText } from "./card.js";
import { rangeGrid } from "./grid.js";
import { mixBar, mixRows } from "./mix.js";
import { sentence } from "./reasons.js";

// 'raise to 12' -> {key: "raise", amount: 12}: the key is the first word, amounts are chips.
export function actionOf(name) {
  const [key] = name.split(" "), found = name.match(/\d+/);
  return { key, amount: found ? Number(found[0]) : null };
}

export function actionLabel(name, money) {
  const { key, amount } = actionOf(name);
  return amount === null ? t(`review.do.${key}`) : t(`review.do.${key}-amount`, { amount: money(amount) });
}

// An action as something done: "You raised to 12".
const choicesOf = (choices, money, unit, chosen) => {
  const best = choices.reduce((top, choice) => (choice.value > top.value ? choice : top));
  return choices.map((choice) => ({
    key: actionOf(choice.name).key, label: actionLabel(choice.name, money), chance: choice.chance, value: choice.value / unit,
    best: choice === best, chosen: choice.action === chosen,
  }));
};

export const adviceBar = (advice, money, options = {}) => mixBar(choicesOf(advice.choices, money, advice.big_blind), options);

// Options: money (chips -> text), names (seat -> name), chosen (the action taken), open (grids unfolded).
export function adviceView(advice, { money = number, names = {}, chosen, grids = true } = {}) {
  const rows = mixRows(choicesOf(advice.choices, money, advice.big_blind, chosen), { caption: t("review.mix"), unit: t("review.ev-bb"), digits: 2 });
  return h("div", { class: "advice" },
    advice.reasons?.length ? h("p", { class: "advice-words" }, sentence(advice.reasons)) : null,
    rows, figures(advice, money), exploiting(advice, money, chosen), outs(advice),
    grids && advice.grids ? ranges(advice, names) : null,
    h("p", { class: "advice-source muted tiny" }, sourceText(advice)));
}

function sourceText(advice) {
  const key = `review.source.${advice.source}`;
  const source = t("review.from", { source: has(key) ? t(key) : advice.source });
  return [source, language === "en" && advice.note, advice.seconds >= 0.1 && t("review.seconds", { seconds: number(advice.seconds, 1) })].filter(Boolean).join(" · ");
}

function figures(advice) {
  const { equity, pot_odds: odds, minimum_defence: defence } = advice;
  const enough = equity >= odds;
  const figure = (name, value, help, mark = "") => h("div", { class: `advice-figure ${mark}`, title: help }, h("dt", {}, name), h("dd", { class: "num" }, value));
  return h("dl", { class: "advice-figures" },
    figure(t("review.equity"), percent(equity), t("review.equity-help"), odds ? (enough ? "enough" : "short") : ""),
    odds > 0 && figure(t("review.odds"), percent(odds), t("review.odds-help")),
    defence !== null && defence !== undefined && figure(t("review.defence"), percent(defence), t("review.defence-help")),
    advice.outs.length > 0 && figure(t("review.outs"), number(advice.outs.length), t("review.outs-help")));
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
      other && h("details", { class: "tiny" }, h("summary", {}, t("review.range-text")), h("code", {}, other.range)));
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
