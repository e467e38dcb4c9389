// Means with their 95 % intervals: in words, and as rows of a table with whiskers on a common scale.

import { h } from "../dom.js";
import { number, signed, t } from "../i18n.js";

export const known = (value) => value !== null && value !== undefined && Number.isFinite(value);
const bounded = (interval) => interval && known(interval.low) && known(interval.high);

export function inWords(interval, precision = 1, say = signed) {
  if (!interval || !known(interval.mean)) return "–";
  const digits = Math.max(Math.abs(interval.mean), (interval.high - interval.low) / 2 || 0) >= 100 ? 0 : precision;
  const figure = bounded(interval) ? t("statistics.within", { mean: say(interval.mean, digits), half: number((interval.high - interval.low) / 2, digits) })
    : say(interval.mean, digits);
  return interval.too_few ? t("statistics.toofew", { figure }) : figure;
}

// rows: [{label, hands, interval: {mean, low, high, too_few}, href?}]; the bar runs from zero to the mean, the whisker over the interval.
export function intervalTable(rows, caption, first) {
  const ends = rows.flatMap(({ interval }) => [interval?.mean, ...(bounded(interval) ? clipped(interval) : [])]).filter(known);
  const low = Math.min(0, ...ends), high = Math.max(0, ...ends), span = high - low || 1;
  const at = (value) => `${(100 * (Math.min(Math.max(value, low), high) - low)) / span}%`;
  return h("div", { class: "scroll" }, h("table", { class: "figures" },
    h("caption", { class: "visually-hidden" }, caption),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, first), h("th", { scope: "col", class: "num" }, t("shell.hands")),
      h("th", { scope: "col", class: "num" }, t("statistics.bb100")), h("th", { class: "whisker-head", "aria-hidden": "true" }))),
    h("tbody", {}, rows.map((row) => h("tr", {},
      h("th", { scope: "row" }, row.href ? h("a", { href: row.href }, row.label) : row.label),
      h("td", { class: "num" }, number(row.hands)),
      h("td", { class: "num nowrap" }, inWords(row.interval)),
      h("td", { "aria-hidden": "true", class: "whisker-cell" }, row.interval && known(row.interval.mean) ? whisker(row.interval, at) : null))))));
}

// Intervals of a handful of hands would squeeze all others together: they are cut for the drawing.
function clipped({ mean, low, high }) {
  const most = Math.max(3 * Math.abs(mean), 100);
  return [Math.max(low, mean - most), Math.min(high, mean + most)];
}

function whisker(interval, at) {
  const { mean } = interval;
  const wide = (from, to) => ({ left: at(from), width: `calc(${at(to)} - ${at(from)})` });
  return h("span", { class: "whisker" },
    h("span", { class: "zero", style: { left: at(0) } }),
    h("span", { class: `length ${mean >= 0 ? "up" : "down"}`, style: wide(Math.min(0, mean), Math.max(0, mean)) }),
    bounded(interval) ? h("span", { class: "range", style: wide(interval.low, interval.high) }) : null);
}
