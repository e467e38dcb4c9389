// Why advice is what it is, in the reader's language: reasons are keys of texts and the numbers in them.

import { number, percent, t } from "../i18n.js";

const SHARES = ["equity", "odds", "share", "often", "other_often"];
const DIFFERENCES = ["loss", "gain"];

const digits = (blinds) => (blinds >= 9.95 ? 0 : blinds >= 0.95 ? 1 : 2);

function shown(name, value) {
  if (value !== null && typeof value === "object") return said(value);
  if (SHARES.includes(name)) return percent(value);
  if (DIFFERENCES.includes(name)) return number(value, digits(value));
  return value; // counts choose the plural, amounts and names are shown as they are
}

function said({ key, values }) {
  return t(key, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shown(name, value)])));
}

// The sentences of advice.reasons.
export const sentence = (reasons) => reasons.map(said).join(" ");
