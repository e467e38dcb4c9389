// One's strength on the scale of the levels, with how sure that is.

import { h } from "../dom.js";
import { number, t } from "../i18n.js";
import { intervalTable, known } from "./intervals.js";

const LOWEST = 1, HIGHEST = 5, ENDS = [0.5, 5.5];

export function ratingPanel(ratings) {
  if (!ratings.length) return null;
  return h("section", { class: "panel rating" }, h("h2", {}, t("statistics.rating")), h("p", { class: "muted tiny" }, t("statistics.rating.how")),
    h("div", { class: "halves" }, ratings.map((rating) => h("div", {},
      h("h3", {}, t(`statistics.rating.${rating.players === 2 ? "two" : "more"}`)),
      known(rating.level) ? [h("p", { class: "big num" }, place(rating.level)),
        h("p", { class: "muted" }, t("statistics.rating.between", { low: place(rating.low), high: place(rating.high), count: rating.hands })), scale(rating)]
        : h("p", { class: "muted" }, t("statistics.rating.few", { count: rating.hands })),
      intervalTable(rating.against.map((row) => ({ label: t("common.level", { level: row.level }), hands: row.hands, interval: row.bb100 })),
        t("statistics.rating"), t("lobby.level"))))));
}

const place = (level) => (level < LOWEST ? t("statistics.rating.below") : level > HIGHEST ? t("statistics.rating.above") : number(level, 1));

// The levels on a line, the interval as a bar and the estimate as a mark.
function scale({ level, low, high }) {
  const at = (value) => (100 * (Math.min(ENDS[1], Math.max(ENDS[0], value)) - ENDS[0])) / (ENDS[1] - ENDS[0]);
  return h("div", { class: "level-scale", "aria-hidden": "true" },
    h("span", { class: "level-range", style: { left: `${at(low)}%`, width: `${at(high) - at(low)}%` } }),
    h("span", { class: "level-mark", style: { left: `${at(level)}%` } }),
    [1, 2, 3, 4, 5].map((each) => h("span", { class: "level-tick num", style: { left: `${at(each)}%` } }, number(each))));
}
