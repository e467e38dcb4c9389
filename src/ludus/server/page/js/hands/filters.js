// Filters whose state is the address: a form of native controls, and chips for what has no control (one table, one upload).

import { field as labelled } from "../components/forms.js";
import { h, put } from "../dom.js";
import { t } from "../i18n.js";

export const GAMES = ["holdem", "leduc-nl", "leduc", "kuhn"];
export const PLACES = ["BTN", "BTN/SB", "SB", "BB", "UTG", "UTG+1", "UTG+2", "UTG+3", "LJ", "HJ", "CO", "P1", "P2"];
const KNOWN = ["text", "game", "result", "place", "graded", "showdown", "noted", "opponent", "since", "until", "period", "table", "upload"];
const PERIODS = { today: 0, week: 6, month: 29, year: 364 }; // days before today

// fields: [{name, label, choices: [[value, text]...]} | {name, label, type: "search"|"date", list: id of a datalist}].
// chips: names of parameters that only a link sets. onchange(query) is called with what the address now says.
export function filters({ fields, chips = [], query, onchange }) {
  const names = [...fields.map((field) => field.name), ...chips];
  const state = new Map(names.filter((name) => query.get(name)).map((name) => [name, query.get(name)]));
  const chipRow = h("div", { class: "row chips" });
  const clear = h("button", { type: "button", class: "button quiet small", onclick: () => { state.clear(); fill(); changed(); } }, t("hands.filter.clear"));
  const controls = new Map(fields.map((field) => [field.name, control(field)]));
  const summary = h("summary", {});

  function control(field) {
    const set = (event) => {
      if (event.target.value) state.set(field.name, event.target.value); else state.delete(field.name);
      changed();
    };
    if (field.choices) {
      const known = field.choices.some(([value]) => value === (state.get(field.name) ?? ""));
      const choices = known ? field.choices : [...field.choices, [state.get(field.name), state.get(field.name)]];
      return h("select", { onchange: set }, choices.map(([value, text]) => h("option", { value }, text)));
    }
    let timer;
    const later = (event) => { clearTimeout(timer); timer = setTimeout(() => set(event), field.type === "date" ? 0 : 350); };
    return h("input", { type: field.type, oninput: later, maxlength: field.type === "date" ? null : 80, placeholder: field.placeholder, list: field.list });
  }

  function fill() {
    for (const [name, element] of controls) element.value = state.get(name) ?? "";
  }

  function changed() {
    const now = new URLSearchParams([...state]);
    history.replaceState(null, "", now.size ? `${location.pathname}?${now}` : location.pathname);
    dress();
    onchange(now);
  }

  function dress() {
    const set = chips.filter((name) => state.has(name));
    put(chipRow, set.map((name) => h("button", {
      type: "button", class: "button small chip", "aria-label": t("hands.filter.drop", { what: t(`hands.filter.only.${name}`) }),
      onclick: () => { state.delete(name); changed(); },
    }, t(`hands.filter.only.${name}`), h("span", { "aria-hidden": "true" }, " ×"))));
    chipRow.hidden = !set.length;
    clear.hidden = !state.size;
    put(summary, state.size ? t("hands.filter.active", { count: state.size }) : t("hands.filter.title"));
  }

  fill();
  dress();
  const form = h("form", { class: "filters", onsubmit: (event) => event.preventDefault() },
    fields.map((field) => labelled(field.label, controls.get(field.name))), clear);
  const open = state.size > chips.filter((name) => state.has(name)).length || matchMedia("(min-width: 800px)").matches;
  return h("details", { class: "panel filter-panel", open }, summary, form, chipRow);
}

export const anything = (pairs) => [["", t("hands.filter.any")], ...pairs];
export const gameChoices = (games = GAMES) => anything(games.map((game) => [game, t(`common.game.${game}`)]));
export const placeChoices = (places = PLACES) => anything(places.map((place) => [place, place]));
export const periodChoices = () => [["", t("hands.period.all")], ...Object.keys(PERIODS).map((key) => [key, t(`hands.period.${key}`)])];

// What the API is asked for: days of the reader's calendar become moments; what is no filter is left out.
export function asked(query, also = {}) {
  const wanted = new URLSearchParams(also);
  for (const [name, value] of query) {
    if (!value || !KNOWN.includes(name)) continue;
    if (name === "period") {
      if (value in PERIODS) { const start = midnight(new Date(), -PERIODS[value]); wanted.set("since", start.toISOString()); }
    } else if (name === "since" || name === "until") {
      const day = new Date(`${value}T00:00`);
      if (!Number.isNaN(day.valueOf())) wanted.set(name, midnight(day, name === "until" ? 1 : 0).toISOString());
    } else wanted.set(name, value);
  }
  return wanted;
}

function midnight(day, shift) {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + shift);
}
