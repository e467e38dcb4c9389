// Texts by key in the reader's language: t("table.call", {amount: 20}). No text for people stands in code.

export const LANGUAGES = { en: "English", pt: "Português", es: "Español", fr: "Français", uk: "Українська" };
let texts = {}, plural = new Intl.PluralRules("en");
export let language = "en";

export async function choose(wanted) {
  const tags = [wanted, localStorage.getItem("language"), ...navigator.languages].filter(Boolean);
  language = tags.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag in LANGUAGES) ?? "en";
  if (wanted) localStorage.setItem("language", language);
  const load = async (code) => { const answer = await fetch(`/locales/${code}.json`); return answer.ok ? answer.json() : {}; };
  const [own, english] = await Promise.all([load(language), language === "en" ? {} : load("en")]);
  texts = { ...english, ...own };
  plural = new Intl.PluralRules(language);
  document.documentElement.lang = language;
}

// {name} is filled in. Of a text that depends on a number, {count}, there are "key.one", "key.few", "key.many", "key.other".
export function t(key, values = {}) {
  let text = texts[key];
  if (values.count !== undefined) text = texts[`${key}.${plural.select(values.count)}`] ?? texts[`${key}.other`] ?? text;
  if (text === undefined) { console.warn(`no text ${key}`); return key; }
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? shown(values[name]) : whole));
}

export const has = (key) => key in texts;
const shown = (value) => (typeof value === "number" ? number(value) : value);
const format = (options) => new Intl.NumberFormat(language, { signDisplay: "negative", ...options }); // "negative": no -0
export const number = (value, digits) => format(digits === undefined ? { maximumFractionDigits: 2 } : { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
export const signed = (value, digits = 1) => format({ signDisplay: "exceptZero", minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
export const percent = (share, digits = 0) => format({ style: "percent", maximumFractionDigits: digits }).format(share);
export const when = (iso) => new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(iso));
