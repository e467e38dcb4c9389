// A solved spot: walk its tree, look at each decision from all sides, lock it, compare it.

import { api } from "../api.js";
import { go } from "../app.js";
import { h, put, shortcut } from "../dom.js";
import { t } from "../i18n.js";
import { toast, waiting } from "../components/shell.js";
import { comparePanel } from "./compare.js";
import { classDetail, handTable } from "./detail.js";
import { longer } from "./hands.js";
import { rangeView } from "./heat.js";
import { lockPanel } from "./locks.js";
import { pathStrip } from "./path.js";
import { runoutPanel } from "./runouts.js";
import { nodeSummary } from "./summary.js";
import { above, Walk } from "./walk.js";

const TABS = ["hand", "hands", "lock", "compare"];
const TYPING = "input:not([type=radio], [type=checkbox], [type=range]), textarea, select, dialog"; // keys there mean something else
const SLOW = 160; // milliseconds before a wait is shown

// {line, other}: where to start; tabs: what is offered beside the grid. The element has .stop().
export function resultView(info, { line = "", other = null, onmoved, tabs: offered = TABS }) {
  const walk = new Walk(info.id);
  const state = { view: null, selected: null, tab: "hand", other: null, otherInfo: null, otherWalk: null, problem: null };
  let turn = 0;

  const path = pathStrip({ onwalk: to, onhover: (next) => walk.ahead(next) });
  const summary = nodeSummary();
  const grid = rangeView({ onselect: select, onmode: () => side() });
  const runouts = runoutPanel({ onwalk: to, onhover: (next) => walk.ahead(next) });
  const detail = classDetail(), hands = handTable(select), locks = lockPanel({ onsolve: solveWith });
  const compare = comparePanel({ onchoose: chooseOther, ondifference: () => grid.update(state.view, look("difference")) });
  const panels = { hand: detail, hands, lock: locks, compare };
  const tabs = h("div", { class: "tabs", role: "tablist" }, offered.map((key) => h("button",
    { type: "button", role: "tab", dataset: { tab: key }, onclick: () => { state.tab = key; side(); } }, t(`study.tab.${key}`))));
  const box = h("div", { class: "side-body", role: "tabpanel" });
  const main = h("div", { class: "result-main" }), aside = h("div", { class: "result-side" }), panel = h("section", { class: "panel side-panel" }, tabs, box);
  const element = h("div", { class: "solution" }, path, h("div", { class: "result-grid" }, main, aside));
  put(main, waiting());

  const look = (mode) => ({ selected: state.selected, mode,
    difference: state.other?.kind === "decision" && state.view.kind === "decision" ? compare.difference(state.view, state.other) : null });

  async function to(next) {
    const mine = ++turn;
    const wait = setTimeout(() => element.setAttribute("aria-busy", "true"), SLOW);
    try {
      const view = await walk.view(next);
      const found = await beside(next);
      if (mine !== turn) return;
      Object.assign(state, { view, other: found.view, problem: found.problem });
      draw();
      onmoved?.(view.line, state.otherInfo?.id ?? null);
    } catch (error) { if (mine === turn) toast(error.message, "bad"); } finally { clearTimeout(wait); if (mine === turn) element.removeAttribute("aria-busy"); }
  }
  // The same line in the other solution, where there is one.
  async function beside(next) {
    if (!state.otherWalk) return { view: null, problem: null };
    try { return { view: await state.otherWalk.view(next), problem: null }; } catch (error) { return { view: null,
      problem: t("study.compare.no-line", { why: error.message }) }; }
  }
  function draw() {
    const { view } = state;
    path.update(view);
    summary.update(view);
    const card = view.kind === "card", decides = view.kind === "decision";
    if (main.firstChild !== (card ? runouts : grid)) put(main, card ? runouts : grid);
    if (aside.lastChild !== (card ? grid : panel)) put(aside, summary, card ? grid : panel);
    panel.hidden = !decides;
    if (card) runouts.update(view, walk);
    grid.update(view, decides ? look() : { selected: state.selected });
    side();
  }
  function side() {
    if (state.view.kind !== "decision") return;
    for (const button of tabs.children) button.setAttribute("aria-selected", String(button.dataset.tab === state.tab));
    if (box.firstChild !== panels[state.tab]) put(box, panels[state.tab]);
    const { view, selected } = state, { player } = grid;
    if (state.tab === "hand") detail.update(view, player, selected);
    if (state.tab === "hands") hands.update(view, player);
    if (state.tab === "lock") locks.update(view, info, selected);
    if (state.tab === "compare") compare.update({ info, view, other: state.other, otherInfo: state.otherInfo, problem: state.problem, player });
  }
  function select(name) {
    state.selected = name;
    if (state.tab === "hands") { state.tab = "hand"; grid.select(name); }
    if (state.tab !== "hand" && state.tab !== "lock") state.tab = "hand";
    side();
  }
  async function solveWith(lock) {
    const fresh = await api.post("/spots", { name: t("study.lock.name", { name: info.name || info.spot.board }).slice(0, 80),
      spot: { ...info.spot, lock }, target: info.target ?? 0.5, seconds: info.seconds ?? 60, parent: info.id });
    await go(`/study/${fresh.id}?${new URLSearchParams({ with: info.id, ...(state.view.line ? { line: state.view.line } : {}) })}`);
  }
  async function chooseOther(id) {
    Object.assign(state, { otherWalk: null, otherInfo: null, other: null, problem: null });
    if (id) {
      try { state.otherInfo = await api.get(`/spots/${id}`); state.otherWalk = new Walk(id); } catch (error) { state.problem = error.message; }
    }
    await to(state.view?.line ?? line);
    if (state.other) grid.update(state.view, look("difference"));
  }
  function key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.(TYPING) || document.querySelector("dialog[open]")) return;
    const { view } = state;
    if (event.key === "Backspace" && view?.line) { event.preventDefault(); to(above(view.line)); }
    const at = Number(shortcut(event)) - 1;
    if (view?.kind === "decision" && at >= 0 && at < view.actions.length) { event.preventDefault(); to(longer(view.line, view.actions[at])); }
  }
  document.addEventListener("keydown", key);
  element.stop = () => document.removeEventListener("keydown", key);
  element.ready = (async () => {
    await to(line);
    if (!state.view && line) await to(""); // a link to a line that is none: at least the start
    if (other) { state.tab = "compare"; await chooseOther(other); }
  })();
  return element;
}
