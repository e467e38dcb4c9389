// What a person likes: kept in the browser, and with the person on the server.

import { api } from "./api.js";
import { number, t } from "./i18n.js";

const DEFAULTS = {
  deck: "four", speed: "normal", amounts: "bb", theme: "auto", sounds: "off", chat: "on", skip: "off", sizes: { before: [2, 2.5, 3], after: [33, 50, 75, 100, 150] },
};
const SWITCH = ["on", "off"];
const CHOICES = {
  deck: ["four", "two"], speed: ["slow", "normal", "fast", "off"], amounts: ["bb", "chips"], theme: ["auto", "light", "dark"], sounds: SWITCH, chat: SWITCH, skip: SWITCH,
};
const areSizes = (value) => [value?.before, value?.after].every((list) => Array.isArray(list) && list.length && list.every((size) => size > 0));

export const preferences = { ...DEFAULTS, ...sound(JSON.parse(localStorage.getItem("preferences") ?? "{}")) };

function sound(given) {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([key, value]) => (key === "sizes" ? areSizes(value) : CHOICES[key]?.includes(value))));
}

function keep() {
  localStorage.setItem("preferences", JSON.stringify(preferences));
  const { dataset } = document.documentElement;
  if (preferences.theme === "auto") delete dataset.theme; else dataset.theme = preferences.theme;
  dataset.deck = preferences.deck;
  window.dispatchEvent(new CustomEvent("preferences"));
}

// What the server knows of this person goes before what the browser knows.
export function adopt(stored) {
  Object.assign(preferences, sound(stored));
  keep();
}

// Changes some of them, here and on the server: prefer({deck: "two"}). "language" is kept on the server alone (i18n keeps its own).
export async function prefer(changes) {
  Object.assign(preferences, sound(changes));
  keep();
  await api.patch("/me", { preferences: { ...preferences, ...changes } });
}

// Milliseconds for a motion that takes `normal` at the usual speed; 0 for people who want none.
export function motion(normal) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return 0;
  return normal * { slow: 1.8, normal: 1, fast: 0.4, off: 0 }[preferences.speed];
}

// An amount of chips as the person likes to read it: "12.5 bb" or "25".
export function amount(chips, bigBlind) {
  return preferences.amounts === "bb" && bigBlind ? t("common.bb", { amount: number(Math.round((chips / bigBlind) * 100) / 100) }) : number(chips);
}
