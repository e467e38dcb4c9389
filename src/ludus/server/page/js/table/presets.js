// Sizes of bets at one click: times the bet before the flop, per cent of the pot after it, as the player likes them.

import { field, input } from "../components/forms.js";
import { number, t } from "../i18n.js";
import { prefer, preferences } from "../preferences.js";

const NAMES = { 33: "third", 50: "half", 75: "three-quarters", 100: "pot" };
const MOST = 6, LARGEST = { before: 50, after: 1000 };

// The sizes that make sense now: [{label, to}], `to` in chips of the street. state: {before: whether it is before the flop, top: the
// largest bet, base: one's own bet with what there is to call, pot: the pot after a call, min, max}.
export function presets({ before, top, base, pot, min, max }) {
  const { before: times, after: shares } = preferences.sizes;
  const whole = { label: t("table.size.pot"), to: base + pot };
  const all = before ? [...times.map((by) => ({ label: t("table.size.times", { by }), to: by * top })), whole]
    : shares.map((share) => ({ label: NAMES[share] ? t(`table.size.${NAMES[share]}`) : t("table.size.percent", { share }), to: base + (share / 100) * pot }));
  const fitting = all.map(({ label, to }) => ({ label, to: Math.round(to) })).filter(({ to }) => to >= min && to <= max);
  return fitting.filter(({ to }, i) => fitting.findIndex((other) => other.to === to) === i).slice(0, MOST);
}

// "2, 2.5 3x" as numbers; null where it says something else.
export function readSizes(text, kind) {
  const parts = text.replace(/[×x%]/gi, " ").split(/[\s;]+|,\s+/).filter(Boolean).map((part) => Number(part.replace(",", ".")));
  return parts.length && parts.length <= MOST && parts.every((size) => size > 0 && size <= LARGEST[kind]) ? parts : null;
}

// The two lines of the settings in which one's own sizes are given.
export const presetFields = () => ["before", "after"].map((kind) => {
  const shown = () => preferences.sizes[kind].map((size) => number(size)).join("  ");
  const element = field(t(`table.sizes.${kind}`), input({
    value: shown(), maxlength: 60, autocomplete: "off", inputmode: "text",
    onchange: (text) => {
      const sizes = readSizes(text, kind);
      element.problem(sizes ? "" : t("table.sizes.wrong", { most: MOST, largest: LARGEST[kind] }));
      if (sizes) { prefer({ sizes: { ...preferences.sizes, [kind]: sizes } }); element.control.value = shown(); }
    },
  }));
  return element;
});
