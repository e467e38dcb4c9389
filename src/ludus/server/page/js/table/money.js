// Amounts as the player wants them, and what this browser remembers about its tables.

import { number, signed, t } from "../i18n.js";
import { preferences } from "../preferences.js";

// money(12) is "12" or "6 bb"; money.signed(-3); money.bare leaves the unit out; money.scale is the chips of one unit.
export function moneyOf(bigBlind) {
  const blinds = preferences.amounts === "bb" && bigBlind > 0, scale = blinds ? bigBlind : 1;
  const words = (text) => (blinds ? t("common.bb", { amount: text }) : text);
  const round = (chips) => { const parts = chips >= 100 * scale ? 10 : 100; return Math.round((chips / scale) * parts) / parts; };
  const money = (chips) => words(number(round(chips)));
  money.signed = (chips) => words(signed(round(chips), Number.isInteger(round(chips)) ? 0 : 1));
  money.bare = (chips) => number(round(chips));
  money.scale = scale;
  return money;
}

// The unit of bets: the big blind, in games without one the ante.
export const unitOf = (config) => config.big_blind || config.ante || 1;

const KEY = "habits", DEFAULTS = { auto: false, panel: true };

export const habits = () => {
  try { return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY)) }; } catch { return { ...DEFAULTS }; }
};
export const remember = (changes) => localStorage.setItem(KEY, JSON.stringify({ ...habits(), ...changes }));
