// The form of a table of one's own, and the words about tables that the lobby shares.

import { h, put } from "../dom.js";
import { number, t } from "../i18n.js";
import { agentMeaning, agentName } from "./agents.js";
import { button, field, numberInput, segmented, select, slider, toggle } from "./forms.js";

export const HOLDEM = "holdem";
export const TOP = 6; // the level of hold'em that other agents play
const THINKERS = ["resolver", "multiway"]; // against one opponent, and against more
export const SIT_AND_GO = "sit-and-go", LEVELS = ["h5", "h10", "h20", "m3", "m6", "m12"]; // a level lasts for hands or minutes
const SECONDS = [15, 30, 60, 120, 300];
const DEFAULT = {
  game: HOLDEM, seats: 2, depth: 100, small_blind: 1, big_blind: 2, ante: 0, chips: "carry", level: "h10", alike: true, opponent: { agent: "blueprint", level: 3 },
  each: [], people: 1, seconds: null, open: false, assistant: "after",
};

// What was chosen last, where it still makes sense.
export function remembered(name, fallback) {
  try { return { ...fallback, ...JSON.parse(localStorage.getItem(name) ?? "{}") }; } catch { return { ...fallback }; }
}
export const remember = (name, value) => localStorage.setItem(name, JSON.stringify(value));

// "6 players · 100 bb · ante 10", or what a small game is.
export function shape({ game, seats, stack, big_blind, ante, sit_and_go }) {
  if (game && game !== HOLDEM) return t(`lobby.about.${game}`);
  return [t("lobby.players", { count: seats }), t("common.bb", { amount: number(stack / big_blind) }), ante ? t("lobby.anteOf", { ante }) : null, sit_and_go ? t("tournament.rising") : null].filter(Boolean).join(" · ");
}

export const levelChoices = () => [1, 2, 3, 4, 5, TOP].map((level) => ({ value: level, label: number(level), name: t("common.level", { level }), help: t(`lobby.level.${level}`) }));
export const atLevel = (level, seats) => (level === TOP ? { agent: THINKERS[Number(seats > 2)] } : { agent: "blueprint", level });
export const assistantChoices = () => ["off", "after", "live"].map((value) => ({ value, label: t(`lobby.assistant.${value}`), help: t(`lobby.assistant.${value}.help`) }));

// A segmented choice with a line beneath that says what the chosen one means.
export function explained(label, choices, value, onchange) {
  const words = (chosen) => choices.find((choice) => choice.value === chosen)?.help ?? "";
  const element = field(label, segmented(choices, value, (chosen) => { put(element.querySelector(".help"), words(chosen)); onchange(chosen); }, { fill: true }), words(value) || " ");
  return element;
}

// The form; play(config) is called with what the server takes. catalogue: the answer of GET /games.
export function setup(catalogue, play) {
  const state = remembered("table", DEFAULT);
  const games = Object.fromEntries(catalogue.games.map((game) => [game.game, game]));
  if (!games[state.game]) state.game = HOLDEM;
  const changed = () => remember("table", state);
  const set = (name) => (value) => { state[name] = value; changed(); };
  const body = h("div", { class: "setup" });
  const fields = {};

  function draw() {
    const small = state.game !== HOLDEM, { presets, chips } = games[state.game];
    put(body,
      field(t("lobby.game"), segmented(catalogue.games.map(({ game }) => ({ value: game, label: t(`common.game.${game}`) })), state.game, (game) => { state.game = game; changed(); draw(); }, { wrap: true })),
      !small && h("div", { class: "row presets", role: "group", "aria-label": t("lobby.presets") },
        presets.map((preset) => button(t(`lobby.preset.${preset.key}`), () => take(preset), "small"))),
      small ? h("p", { class: "muted wide" }, t(`lobby.small.${state.game}`)) : holdemFields(chips),
      opponents.element, people.element,
      !small && explained(t("table.assistant"), assistantChoices(), state.assistant, set("assistant")));
    opponents.draw();
    people.draw();
  }
  function take({ seats, stack, small_blind, big_blind, ante, chips, sit_and_go }) {
    Object.assign(state, { seats, depth: stack / big_blind, small_blind, big_blind, ante, chips: sit_and_go ? SIT_AND_GO : chips });
    changed();
    draw();
  }
  function holdemFields(chips) {
    const amount = (name, least, label, help) => {
      fields[name] = field(label, numberInput({ value: state[name], min: least, step: 1, onchange: (value) => { set(name)(value); check(); } }), help);
      return fields[name];
    };
    return [
      field(t("lobby.seats"), slider({ min: 2, max: 10, value: state.seats, format: number, oninput: (seats) => {
        Object.assign(state, { seats, people: Math.min(state.people, seats) });
        changed();
        opponents.draw();
        people.draw();
      } })),
      (fields.depth = field(t("lobby.stack"), numberInput({ value: state.depth, min: 1, step: "any", onchange: (value) => { set("depth")(value); check(); } }), t("lobby.stack.help"))),
      h("div", { class: "three" }, amount("small_blind", 1, t("lobby.smallBlind")), amount("big_blind", 1, t("lobby.bigBlind")), amount("ante", 0, t("lobby.ante"))),
      explained(t("lobby.chipsKept"), chips.map((value) => ({ value, label: t(`lobby.chipsKept.${value}`), help: t(`lobby.chipsKept.${value}.help`) })), state.chips, (value) => { set("chips")(value); draw(); }),
      state.chips === SIT_AND_GO && field(t("tournament.length"), select(LEVELS.map((value) => ({ value, label: t(value[0] === "h" ? "tournament.hands" : "tournament.minutes", { count: Number(value.slice(1)) }) })), state.level, set("level"))),
    ];
  }

  const opponents = opponentFields(state, catalogue, changed), people = peopleFields(state, changed);

  // Says what is wrong at the field it is wrong in; true when nothing is.
  function check() {
    if (state.game !== HOLDEM) return true;
    const whole = (value, least) => Number.isInteger(value) && value >= least && value <= 1e6;
    const { small_blind: small, big_blind: big, ante, depth } = state, stack = Math.round(depth * big);
    const problems = {
      small_blind: !whole(small, 1) ? t("lobby.wrong.whole", { least: 1 }) : small > big ? t("lobby.wrong.small", { big }) : "",
      big_blind: !whole(big, 1) ? t("lobby.wrong.whole", { least: 1 }) : "",
      ante: !whole(ante, 0) ? t("lobby.wrong.whole", { least: 0 }) : "",
      depth: !(depth > 0) ? t("lobby.wrong.stack") : stack < big + ante ? t("lobby.wrong.short", { chips: big + ante }) : stack > 1e6 ? t("lobby.wrong.deep", { chips: 1e6 }) : "",
    };
    for (const [name, text] of Object.entries(problems)) fields[name].problem(text);
    return !Object.values(problems).some(Boolean);
  }

  function config() {
    const { game, seats, depth, small_blind, big_blind, ante, chips, alike, opponent, each, people: persons, seconds, open, assistant } = state;
    const common = { game, people: persons, seconds, open: persons > 1 && open };
    if (game !== HOLDEM) return { ...common, people: Math.min(persons, 2), opponents: [opponents.fitting(opponent)], assistant: "off" };
    const players = alike || seats === 2 ? [opponents.fitting(opponent)] : Array.from({ length: seats - 1 }, (_, i) => opponents.fitting(each[i] ?? opponent));
    return { ...common, seats, stack: Math.round(depth * big_blind), small_blind, big_blind, ante, opponents: players, assistant,
      ...(chips === SIT_AND_GO ? { seats: Math.min(seats, 9), sit_and_go: { [state.level[0] === "h" ? "hands" : "minutes"]: Number(state.level.slice(1)) } } : { chips }) };
  }

  draw();
  return h("form", { class: "stack", novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    if (check()) play(config()); else event.target.querySelector("[aria-invalid=true]")?.focus();
  } }, body, h("div", { class: "row" }, h("button", { class: "button", type: "submit" }, t("lobby.sit"))));
}

// Who plays in the seats that nobody takes: one for all, or seat by seat.
function opponentFields(state, catalogue, changed) {
  const element = h("fieldset", { class: "opponents wide" });
  const levelOf = ({ agent, level }) => (state.game === HOLDEM && THINKERS.includes(agent) ? TOP : level);
  const crowded = () => state.game === HOLDEM && state.seats > 2;
  const known = () => catalogue.opponents.filter(({ agent, games }) => games.includes(state.game) && !(crowded() && catalogue.heads_up.includes(agent)));
  const fitting = ({ agent, level }) => {
    const wanted = crowded() && agent === THINKERS[0] ? THINKERS[1] : agent;
    const kind = known().find((one) => one.agent === wanted) ?? known().find((one) => one.agent === "equilibrium") ?? known()[0];
    return kind.levels ? { agent: kind.agent, level: level ?? 3 } : { agent: kind.agent };
  };
  function chooser(value, label, onchange) {
    const chosen = fitting(value), { agent } = chosen, level = levelOf(chosen);
    return h("div", { class: "row chooser" },
      select(known().map((one) => ({ value: one.agent, label: agentName(one.agent) })), agent, (other) => { onchange({ agent: other, level: chosen.level ?? 3 }); draw(); }, label),
      level && segmented(levelChoices(), level, (other) => { onchange(atLevel(other, state.seats)); draw(); }, { label: t("lobby.level") }));
  }
  function draw() {
    const many = crowded(), focused = document.activeElement?.closest?.(".chooser");
    const place = focused ? [...element.querySelectorAll(".chooser")].indexOf(focused) : -1, tag = document.activeElement?.tagName;
    const all = () => h("div", {}, chooser(state.opponent, t("lobby.opponent"), (value) => { state.opponent = value; changed(); }), meaning(fitting(state.opponent)));
    const seatBySeat = () => h("ol", { class: "list seats" }, Array.from({ length: state.seats - 1 }, (_, i) => h("li", { class: "row" },
      h("span", { class: "muted num" }, t("lobby.seat", { number: i + 2 })),
      chooser(state.each[i] ?? state.opponent, t("lobby.seat", { number: i + 2 }), (value) => { state.each[i] = value; changed(); }))));
    put(element, h("legend", {}, t("lobby.opponents")),
      many && segmented([{ value: true, label: t("lobby.alike") }, { value: false, label: t("lobby.each") }], state.alike, (alike) => { state.alike = alike; changed(); draw(); }, { label: t("lobby.opponents") }),
      many && !state.alike ? seatBySeat() : all());
    if (place >= 0) element.querySelectorAll(".chooser")[place]?.querySelector(tag === "SELECT" ? "select" : "input:checked")?.focus();
  }
  const meaning = (chosen, level = levelOf(chosen)) => h("p", { class: "help muted tiny" }, level ? t(`lobby.level.${level}`) : agentMeaning(chosen.agent, catalogue.described));
  return { element, draw, fitting };
}

// How many people, how long they may think, who may come.
function peopleFields(state, changed) {
  const element = h("div", { class: "people" });
  function draw() {
    const most = state.game === HOLDEM ? state.seats : 2, persons = Math.min(state.people, most);
    const choices = Array.from({ length: most }, (_, i) => ({ value: i + 1, label: i ? t("lobby.people.some", { count: i + 1 }) : t("lobby.people.alone") }));
    const alone = persons === 1, keep = (name) => (value) => { state[name] = value; changed(); };
    const times = [...(alone ? [{ value: null, label: t("lobby.seconds.none") }] : []), ...SECONDS.map((value) => ({ value, label: t("lobby.seconds.some", { count: value }) }))];
    const had = element.contains(document.activeElement);
    put(element,
      field(t("lobby.people"), select(choices, persons, (value) => { state.people = value; if (value > 1) state.seconds ??= 60; changed(); draw(); })),
      field(t("lobby.seconds"), select(times, state.seconds, keep("seconds"))),
      !alone && h("p", { class: "help muted tiny" }, t("lobby.people.help")),
      !alone && toggle(t("lobby.open"), state.open, keep("open"), t("lobby.open.help")));
    if (had) element.querySelector("select").focus();
  }
  return { element, draw };
}
