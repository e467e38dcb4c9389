// The lobby: one click to a table, tables to go on with, tables of others, and a table of one's own.

import { api } from "../api.js";
import { go } from "../app.js";
import { h, put } from "../dom.js";
import { t } from "../i18n.js";
import { withLevel } from "../components/agents.js";
import { button } from "../components/forms.js";
import { assistantChoices, atLevel, explained, HOLDEM, levelChoices, remember, remembered, setup, shape } from "../components/setup.js";
import { friendButton } from "../components/friend.js";
import { dialog, icon, style, toast } from "../components/shell.js";

const AGAIN = 8000; // milliseconds between two looks at the tables
const AT_FIRST = 3; // of one's own tables that are listed; the others are a click away

export async function show(root) {
  const tables = () => Promise.all([api.get("/tables", { mine: true }), api.get("/tables", { open: true }), api.get("/status")]);
  const [catalogue, lists] = await Promise.all([api.get("/games"), tables(), style("lobby")]);
  const mine = h("section", { class: "panel mine", "aria-labelledby": "mine" }), open = h("section", { class: "panel open", "aria-labelledby": "open" });
  const cold = h("p", { class: "note warn", role: "status" }, t("lobby.cold"));
  let before = "", timer;
  const tablesOf = (own) => h("ul", { class: "list tables" }, own.map((table) => ownTable(table, refresh)));

  function draw([own, others, { ready }]) {
    cold.hidden = ready.play;
    const now = JSON.stringify([own, others]);
    if (now === before || mine.contains(document.activeElement) || open.contains(document.activeElement)) return;
    before = now;
    mine.hidden = !own.length;
    put(mine, h("h2", { id: "mine" }, t("lobby.mine")), tablesOf(own.slice(0, AT_FIRST)),
      own.length > AT_FIRST && h("details", {}, h("summary", {}, t("lobby.more", { count: own.length - AT_FIRST })), tablesOf(own.slice(AT_FIRST))));
    const rest = others.filter((table) => !own.some(({ id }) => id === table.id));
    put(open, h("h2", { id: "open" }, t("lobby.openTables")),
      rest.length ? h("ul", { class: "list tables" }, rest.map(otherTable)) : h("p", { class: "empty" }, t("lobby.openTables.none")));
  }
  async function refresh() {
    clearTimeout(timer);
    if (!document.hidden) await tables().then(draw, () => {}); // the next look may succeed
    timer = setTimeout(refresh, AGAIN);
  }

  const details = h("details", { class: "panel own" }, h("summary", {}, h("h2", {}, t("lobby.own"))), setup(catalogue, play));
  details.open = remembered("lobby", { details: false }).details;
  details.addEventListener("toggle", () => keep({ details: details.open }));
  put(root, h("div", { class: "lobby" }, h("div", { class: "left" }, quick(catalogue, cold), details), h("div", { class: "right" }, mine, open, h("a", { class: "muted tiny api", href: "/programs" }, t("basics.programs.title")))));
  draw(lists);
  timer = setTimeout(refresh, AGAIN);
  return () => clearTimeout(timer);
}

const keep = (changes) => remember("lobby", { ...remembered("lobby", {}), ...changes });
let sending = false;

// A table of one's own like the one wished for is gone on with; others that are only left behind are closed.
async function tableFor(config) {
  const own = (await api.get("/tables", { mine: true })).filter((table) => table.idle && table.config.people === 1 && !table.config.sit_and_go);
  const alike = (table) => Object.entries(config).every(([name, value]) => JSON.stringify(table.config[name]) === JSON.stringify(value)
    || (name === "opponents" && value.every(({ agent, level = null }, i) => table.config.opponents[i]?.agent === agent && table.config.opponents[i].level === level)));
  const same = own.find(alike), table = same ?? await api.post("/tables", config);
  for (const { id } of own) if (id !== same?.id) api.delete(`/tables/${id}`).catch(() => {}); // the next click tries again
  return table.id;
}

async function play(config) {
  if (sending) return; // a second click makes no second table
  sending = true;
  let id = null;
  try { id = config.people > 1 || config.sit_and_go ? (await api.post("/tables", config)).id : await tableFor(config); } catch (error) { toast(error.message, "bad"); }
  sending = false;
  if (id) await go(`/table/${id}`);
}

// One click and one sits: the level and the assistant above hold for every tile.
function quick({ games }, note) {
  const state = remembered("lobby", { level: 3, assistant: "after" });
  const set = (name) => (value) => { state[name] = value; keep({ [name]: value }); };
  const start = ({ key, ...preset }, game) => play(game === HOLDEM
    ? { game, ...preset, opponents: [atLevel(state.level, preset.seats)], assistant: state.assistant }
    : { game, assistant: "off" });
  const [first, ...others] = games.flatMap((game) => game.presets.map((preset) => ({ ...preset, game: game.game })));
  const tile = ({ game, ...preset }, kind) => h("button", { type: "button", class: `tile ${kind}`, onclick: () => start(preset, game) },
    h("b", {}, t(`lobby.preset.${preset.key}`)), h("span", {}, shape({ ...preset, game })));
  const group = (name, ...tiles) => h("div", { class: "group", role: "group", "aria-labelledby": `group-${name}` },
    h("h2", { id: `group-${name}` }, t(`lobby.group.${name}`)), h("div", { class: "tiles" }, tiles));
  const tiles = [
    group("holdem", others.filter(({ game }) => game === HOLDEM).map((preset) => tile(preset, ""))),
    group("small", others.filter(({ game }) => game !== HOLDEM).map((preset) => tile(preset, "minor")),
      h("a", { class: "tile minor", href: "/rps" }, h("b", {}, t("lobby.rps")), h("span", {}, t("lobby.rps.help")))),
  ];
  return h("section", { class: "panel stack quick", "aria-labelledby": "play" }, h("h1", { id: "play" }, t("shell.play")), h("p", { class: "muted what" }, t("lobby.what")),
    h("div", { class: "pair" },
      explained(t("lobby.level"), levelChoices(), state.level, set("level")),
      explained(t("table.assistant"), assistantChoices(), state.assistant, set("assistant"))),
    h("button", { type: "button", class: "button primary start", onclick: () => start(first, HOLDEM) }, h("b", {}, t("lobby.play")), h("span", {}, t("lobby.play.help", { preset: t(`lobby.preset.${first.key}`), stack: first.stack / first.big_blind }))),
    friendButton(() => play({ game: HOLDEM, seats: 2, stack: first.stack, small_blind: first.small_blind, big_blind: first.big_blind, chips: "carry", people: 2, opponents: [atLevel(state.level, 2)], assistant: "after" })),
    tiles, note);
}

const described = (config) => (config.game === HOLDEM ? shape(config) : t(`common.game.${config.game}`));
const opposed = ({ opponents: [{ agent, level }, ...others], people }) =>
  people > 1 ? t("lobby.people.some", { count: people }) : others.length ? t("lobby.mixed") : withLevel(agent, level, " · ");

function ownTable(table, refresh) {
  const close = async () => {
    const sure = await dialog({ title: t("lobby.close"), body: h("p", {}, t("lobby.close.why")), actions: [
      { label: t("common.cancel"), value: false }, { label: t("table.close-table"), value: true, kind: "danger" }] });
    if (!sure) return;
    await api.delete(`/tables/${table.id}`);
    await refresh();
  };
  return h("li", { class: "row" },
    h("div", { class: "grow" }, h("a", { href: `/table/${table.id}` }, described(table.config)),
      h("div", { class: "muted tiny" }, `${opposed(table.config)} · ${t("lobby.hands", { count: table.hands })}`)),
    h("a", { class: "button small", href: `/table/${table.id}` }, t("lobby.continue")),
    button(icon("close"), close, "quiet small icon", { "aria-label": t("lobby.close"), title: t("lobby.close") }));
}

function otherTable(table) {
  const { seconds } = table.config;
  const join = async () => { await api.post(`/tables/${table.id}/seats`, {}); await go(`/table/${table.id}`); };
  return h("li", { class: "row" },
    h("div", { class: "grow" }, h("div", {}, described(table.config)),
      h("div", { class: "muted tiny" }, [table.host, table.free ? t("lobby.free", { count: table.free }) : t("lobby.full"), seconds && t("lobby.seconds.some", { count: seconds })].filter(Boolean).join(" · "))),
    table.free > 0 && button(t("lobby.join"), () => join().catch((error) => toast(error.message, "bad")), "small"),
    h("a", { class: "button small quiet", href: `/table/${table.id}` }, t("lobby.watch")));
}
