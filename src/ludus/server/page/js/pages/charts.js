// Charts of play before the flop: click through what everybody does, at any depth, and see every hand.

import { api } from "../api.js";
import { h, put } from "../dom.js";
import { number, percent, t } from "../i18n.js";
import { button, field, numberInput, segmented } from "../components/forms.js";
import { CLASSES, combos, rangeGrid } from "../components/grid.js";
import { actionColour, actionText, mixBar, mixLegend, mixRows } from "../components/mix.js";
import { style } from "../components/shell.js";
import { amount } from "../preferences.js";
import { studyTabs } from "../components/study_tabs.js";

const DEPTHS = [20, 30, 50, 70, 100, 200];
const SEATS = ["UTG", "HJ", "CO", "BTN", "SB"]; // who may come in first, in turn

export async function show(root, _parameters, query) {
  await style("study");
  await style("charts");
  const state = { players: query.get("players") === "2" ? 2 : 6, stack: Number(query.get("stack")) || 100, line: query.get("line") ?? "", hand: null };
  const path = h("ol", { class: "path" }), strip = h("nav", { class: "path-scroll", "aria-label": t("charts.path") }, path), body = h("div", { class: "chart-body" }), firstIn = h("div", { class: "row", role: "group", "aria-label": t("charts.first-in") });
  const depth = field(t("lobby.stack"), numberInput({ value: state.stack, min: 2, max: 1000, step: "any", onchange: (value) => { if (value >= 2 && value <= 1000) go({ stack: value, line: "" }); } }));
  const depths = segmented(DEPTHS.map((value) => ({ value, label: number(value) })), state.stack, (value) => { depth.control.value = value; go({ stack: value, line: "" }); }, { label: t("lobby.stack") });
  const players = segmented([2, 6].map((value) => ({ value, label: t("lobby.players", { count: value }) })), state.players, (value) => go({ players: value, line: "" }), { label: t("lobby.seats") });
  put(root, h("div", { class: "study" }, h("div", { class: "study-head" }, h("h1", {}, t("charts.title")), h("p", { class: "muted" }, t("charts.lead"))), studyTabs("charts"),
    h("div", { class: "panel row chart-table" }, players, depths, depth), firstIn, strip, body));
  let turn = 0;

  // All fold to a seat: the charts that one looks up most.
  const foldedTo = (seat) => SEATS.slice(0, seat).map(() => "F").join("-");
  const shortcuts = () => [h("span", { class: "muted" }, t("charts.first-in")), SEATS.map((name, seat) =>
    button(name, () => go({ line: foldedTo(seat) }), "small", { "aria-pressed": String(state.line === foldedTo(seat)) }))];

  async function go(changes) {
    Object.assign(state, changes);
    depths.set(state.stack);
    const mine = ++turn, { players: count, stack, line } = state;
    history.replaceState(null, "", `/study/charts?${new URLSearchParams({ players: count, stack, line })}`);
    body.setAttribute("aria-busy", "true");
    try {
      const found = await api.get("/charts", { players: count, stack, line });
      if (mine === turn) draw(found);
    } catch (error) {
      if (mine === turn) put(body, h("p", { class: "note bad" }, error.message));
    } finally { if (mine === turn) body.removeAttribute("aria-busy"); }
  }

  function draw(found) {
    const say = (chips) => amount(chips, found.big_blind), word = ({ kind, amount: chips }) => actionText({ key: kind, amount: chips && kind !== "fold" ? chips : null }, say);
    put(path, found.path.map((step) => column(step, word, false)), found.decision ? column(found.decision, word, true)
      : h("li", { class: "step end current" }, h("span", { class: "step-head" }, t("charts.end"))));
    put(firstIn, found.players === 6 && shortcuts());
    strip.scrollTo({ left: strip.scrollWidth });
    put(body, found.decision ? decision(found, word, say) : h("p", { class: "panel muted" }, t("charts.end.help")), source(found));
  }

  function column(step, word, current) {
    const to = (key) => [step.line, key].filter(Boolean).join("-");
    return h("li", { class: `step${current ? " current oop" : ""}` },
      h("button", { type: "button", class: "step-head", onclick: () => go({ line: step.line }) }, step.position, current && h("span", { class: "muted" }, t("study.to-act"))),
      ranked(step.actions).map((action) => h("button", {
        type: "button", class: `path-action${step.taken === action.key ? " taken" : ""}`, "aria-current": step.taken === action.key ? "step" : null, dataset: { key: action.key },
        style: { backgroundImage: `linear-gradient(${action.colour}, ${action.colour})`, backgroundSize: `${100 * (action.share ?? 0)}% 3px` }, onclick: () => go({ line: to(action.key) }),
      }, h("span", { class: "path-label" }, word(action)), h("span", { class: "num" }, action.share === null ? "–" : percent(action.share)))));
  }

  function decision({ decision: here, source: from }, word, say) {
    const actions = ranked(here.actions), choices = (chances, worth) => actions.map((action, at) => ({ ...action, key: action.kind, label: word(action), chance: chances?.[at] ?? 0, value: worth?.[at] }));
    const strategy = Object.fromEntries(Object.entries(here.strategy).map(([hand, row]) => [hand, choices(row)]));
    const detail = h("div", { class: "panel stack chart-hand" });
    const tell = (hand) => put(detail, hand && here.strategy[hand]
      ? [h("h2", {}, t("charts.hand", { hand })), mixRows(choices(here.strategy[hand], here.worth?.[hand]), { caption: t("charts.hand", { hand }), unit: t("review.ev-bb") }),
        h("p", { class: "muted tiny" }, t("charts.reach", { share: percent(here.reach[hand], 1) }))]
      : h("p", { class: "muted" }, t(hand ? "charts.never" : "charts.pick")));
    const most = Math.max(...Object.values(here.reach), 1e-9);
    const grid = rangeGrid({ weights: Object.fromEntries(CLASSES.map((hand) => [hand, (here.reach[hand] ?? 0) / most])), shares: here.reach, strategy, selected: state.hand,
      onselect: (hand) => { state.hand = hand; tell(hand); }, label: t("charts.title") });
    tell(state.hand);
    const held = Object.entries(here.reach).reduce((sum, [hand, share]) => sum + share * combos(hand), 0);
    return h("div", { class: "result-grid" },
      h("div", { class: "panel stack" }, grid, mixLegend(choices())),
      h("div", { class: "result-side" },
        h("div", { class: "panel stack" }, h("h2", {}, t("charts.to-act", { place: here.position })),
          h("p", { class: "muted" }, t("charts.facts", { pot: say(here.pot), call: say(here.to_call), stack: say(here.stack) })),
          mixBar(choices(actions.map(({ share }) => share ?? 0))), mixRows(choices(actions.map(({ share }) => share ?? 0)), { caption: t("charts.range") }),
          h("p", { class: "muted tiny" }, t("charts.combos", { count: Math.round(held) }), from === "blueprint" && " ", from === "blueprint" && t("charts.no-ev"))),
        detail));
  }

  const source = (found) => h("p", { class: "muted tiny" }, found.source === "solved"
    ? t("charts.solved", { stack: found.source_stack, gain: percent(found.gain, 2) }) : t("charts.blueprint", { depths: found.depths.length ? found.depths.map((each) => number(each)).join(", ") : "–" }));
  await go({});
  return () => { turn += 1; };
}

// Actions with their colours; raises from the smallest to the largest.
function ranked(actions) {
  const raises = actions.filter(({ kind }) => kind === "raise").length;
  let rank = 0;
  return actions.map((action) => ({ ...action, colour: actionColour(action.kind, action.kind === "raise" && raises > 1 ? rank++ : undefined) }));
}
