// Lesson 3: Leduc poker against a near-exact equilibrium: sit down, or walk through what it does.

import { api } from "../api.js";
import { go } from "../app.js";
import { actionLabel } from "../components/advice.js";
import { card } from "../components/card.js";
import { button, segmented } from "../components/forms.js";
import { coloured, mixBar, mixLegend, mixRows } from "../components/mix.js";
import { toast } from "../components/shell.js";
import { h, put } from "../dom.js";
import { number, signed, t } from "../i18n.js";
import { asker, figure, remember, says, section } from "./parts.js";

const GAMES = ["leduc-nl", "leduc"];
const SEEN = 0.0005; // chances from which an action is in the bars
const DECKS = { "leduc-nl": ["Q", "K", "A"], leduc: ["J", "Q", "K"] };

export async function lessonPage(root) {
  const walk = walker();
  put(root, h("h1", {}, t("learn.leduc.title")), h("p", { class: "lead" }, t("learn.leduc.lead")),
    section("learn.leduc.game", says("learn.leduc.game.1"),
      h("p", { class: "cards deck" }, DECKS["leduc-nl"].flatMap((rank) => ["s", "h"].map((suit) => card(`${rank}${suit}`, { size: "m" })))),
      says("learn.leduc.game.2", "learn.leduc.game.3")),
    section("learn.leduc.play", says("learn.leduc.play.1"), h("div", { class: "row" },
      GAMES.map((game, first) => button(t(`learn.leduc.sit.${game}`), (event) => sit(event.currentTarget, game), first ? "" : "primary"))), says("learn.leduc.play.2")),
    section("learn.leduc.look", says("learn.leduc.look.1", "learn.leduc.look.2"), walk.element, says("learn.leduc.look.3")),
    section("learn.leduc.ask", h("ul", {}, ["learn.leduc.ask.1", "learn.leduc.ask.2", "learn.leduc.ask.3"].map((key) => h("li", {}, t(key))))),
    section("learn.remember", remember("learn.leduc.remember.1", "learn.leduc.remember.2", "learn.leduc.remember.3")));
  await walk.look();
}

async function sit(pressed, game) {
  pressed.disabled = true;
  try {
    const table = await api.post("/tables", { game, opponents: [{ agent: "equilibrium" }] });
    await go(`/table/${table.id}`);
  } catch (error) {
    toast(error.message, "bad");
    pressed.disabled = false;
  }
}

// A walk through the betting: at every decision what the equilibrium does with each card, at the end of a round the board.
function walker() {
  const state = { game: "leduc-nl", betting: "", board: "" }, trail = []; // trail: what was chosen, to go back
  const place = h("div", { class: "stack", "aria-live": "polite" }), ask = asker(place);
  let held = "A"; // the card whose values are shown
  const view = (card) => api.get("/learn/leduc", Object.fromEntries(Object.entries({ ...state, card }).filter(([, value]) => value !== "")));
  const look = () => ask(() => Promise.all(DECKS[state.game].map(view)), (views) => put(place, crumbs(), drawn(views)));

  function step(label, change) {
    trail.push({ label, before: { ...state } });
    Object.assign(state, change);
    look();
  }

  function back(to) {
    Object.assign(state, trail[to].before);
    trail.length = to;
    look();
  }

  function crumbs() {
    return h("nav", { class: "crumbs", "aria-label": t("learn.leduc.line") }, h("ol", {},
      trail.map(({ label }, at) => h("li", {}, button(label, () => back(at), "small quiet", { title: t("learn.leduc.back") }))),
      h("li", { "aria-current": "step" }, t(trail.length ? "learn.leduc.here" : "learn.leduc.start"))));
  }

  function drawn(views) {
    const [{ stage, pot, board, to_call: cost, betting, ranks }] = views;
    const facts = h("p", { class: "facts num" }, [t("learn.leduc.pot", { chips: pot }), board && t("learn.leduc.board", { card: t(`common.rank.${board}`) }),
      cost ? t("learn.leduc.tocall", { chips: cost }) : null].filter(Boolean).join(" · "));
    if (stage === "over") return [facts, h("p", {}, t("learn.leduc.over"))];
    if (stage === "act") return [facts, decision(views)];
    const comes = (rank) => h("button", { type: "button", class: "button card-button", "aria-label": t(`common.rank.${rank}`),
      onclick: () => step(t("learn.leduc.board", { card: t(`common.rank.${rank}`) }), { board: rank, betting }) }, card(`${rank}d`));
    return [facts, h("p", {}, t("learn.leduc.choose.board")), h("div", { class: "row" }, ranks.map(comes))];
  }

  function decision(views) {
    const [{ player, betting, choices }] = views, who = t("learn.kuhn.player", { player: player + 1 });
    const actions = coloured(choices.map(({ key, name, action }) => ({ key, action, label: actionLabel(name, number) })));
    const mix = (view) => actions.map((action, at) => ({ ...action, chance: view.choices[at].chance, value: view.choices[at].value }));
    const worth = (value) => (value === null ? "–" : signed(value, digits()));
    const details = h("div", {}), shown = () => views.find((view) => view.card === held) ?? views.at(-1);
    const detail = () => put(details, mixRows(mix(shown()), { caption: t("learn.leduc.values"), unit: t("learn.leduc.head.value"), digits: digits() }));
    const row = (view) => h("tr", {}, h("th", { scope: "row" }, card(`${view.card}s`, { size: "s" })), h("td", { class: "wide" }, mixBar(mix(view))),
      h("td", { class: "num" }, worth(view.value)));
    const head = ["card", "mix", "value"].map((key) => h("th", { scope: "col", class: key === "value" ? "num" : "" }, t(`learn.leduc.head.${key}`)));
    const chooser = segmented(views.map((view) => ({ value: view.card, label: t(`common.rank.${view.card}`) })), shown().card,
      (rank) => { held = rank; detail(); }, { label: t("learn.leduc.head.card") });
    detail();
    return [
      h("p", {}, t("learn.leduc.acts", { player: who })),
      h("table", { class: "leduc-table" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, views.map(row))),
      mixLegend(actions.filter((_, at) => views.some((view) => view.choices[at].chance > SEEN))),
      h("div", { class: "row", role: "group", "aria-label": t("learn.leduc.go") }, h("span", { class: "muted" }, t("learn.leduc.go")),
        actions.map(({ action, label }) => button(label, () => step(`${who}: ${label}`, { betting: betting + action }), "small"))),
      h("details", { open: !matchMedia("(max-width: 600px)").matches }, h("summary", {}, t("learn.leduc.values")), chooser, details),
    ];
  }

  const digits = () => (state.game === "leduc" ? 2 : 0); // its chips are few
  const choice = segmented(GAMES.map((game) => ({ value: game, label: t(`common.game.${game}`) })), state.game, (game) => {
    Object.assign(state, { game, betting: "", board: "" });
    trail.length = 0;
    look();
  }, { label: t("lobby.game") });
  return { element: figure("learn.leduc.caption", choice, place), look };
}
