// The form that builds a spot, with a look at what solving it will take.

import { api } from "../api.js";
import { h, put } from "../dom.js";
import { number, percent, t } from "../i18n.js";
import { field, input, numberInput, segmented } from "../components/forms.js";
import { waiting } from "../components/shell.js";
import { boardPicker } from "./board.js";
import { cardsOf } from "./hands.js";
import { rangePainter } from "./painter.js";
import { sizeForm } from "./sizes.js";

const TARGETS = [2, 1, 0.5, 0.25, 0.1]; // percent of the pot
const LONGEST = 120; // seconds
export const EMPTY = {
  board: "", pot: 60, stack: 970, oop: "", ip: "",
  sizes: { flop: { bet: "33%, 75%", raise: "75%" }, turn: { bet: "75%", raise: "75%" }, river: { bet: "75%, a", raise: "a" } },
  add_all_in: "100%", force_all_in: "20%",
};

const UNITS = [[1e9, "gigabytes"], [1e6, "megabytes"], [1e3, "kilobytes"], [1, "bytes"]];
function bytes(size) {
  const [unit, name] = UNITS.find(([least]) => size >= least) ?? UNITS.at(-1);
  return t(`study.${name}`, { size: Number((size / unit).toPrecision(2)) });
}

// onsolve({name, spot, target, seconds}) when it is sent off. `locks` of a spot that is changed are kept while its tree is.
export function builder(start, { onsolve, onspot }) {
  const spot = { board: "", pot: 60, stack: 970, oop: "", ip: "", ...start };
  const state = { board: cardsOf(spot.board), pot: spot.pot, stack: spot.stack, oop: spot.oop, ip: spot.ip, lock: spot.lock ?? [] };
  const settings = { name: "", target: 0.5, seconds: 60 };
  let timer = null, turn = 0;

  const sizes = sizeForm(spot, changed);
  const board = boardPicker(state.board, (cards) => { state.board = cards; sizes.streets(cards.length); changed(); });
  const painters = ["oop", "ip"].map((who) => rangePainter({ label: t(`study.player.${who}`), text: state[who],
    onchange: (text) => { state[who] = text; changed(); } }));
  const check = h("div", { class: "check", role: "status", "aria-live": "polite" });
  const solve = h("button", { type: "submit", class: "button primary" }, t("study.solve"));
  const kept = h("div", { class: "note warn", hidden: !state.lock.length }, t("study.locks.kept", { count: state.lock.length }), " ",
    h("button", { type: "button", class: "button small", onclick: () => { state.lock = []; kept.hidden = true; changed(); } }, t("study.locks.drop")));
  sizes.streets(state.board.length);

  const chips = (name, least) => field(t(`study.${name}`),
    numberInput({ value: state[name], min: least, max: 1e9, onchange: (value) => { state[name] = value; changed(); } }));

  function missing() {
    if (![3, 4, 5].includes(state.board.length)) return t("study.need.board");
    if (!Number.isInteger(state.pot) || state.pot < 1 || !Number.isInteger(state.stack) || state.stack < 0) return t("study.need.chips");
    if (!state.oop || !state.ip) return t("study.need.range", { who: t(`study.player.${state.oop ? "ip" : "oop"}`) });
    return null;
  }
  const current = () => ({ board: state.board.join(" "), pot: state.pot, stack: state.stack, oop: state.oop, ip: state.ip,
    ...sizes.value(state.board.length), ...(state.lock.length ? { lock: state.lock } : {}) });

  function changed() {
    clearTimeout(timer);
    turn += 1;
    onspot?.();
    const lack = missing();
    if (lack) { solve.disabled = true; put(check, h("p", { class: "muted" }, lack)); return; }
    if (!check.querySelector("dl")) put(check, waiting());
    timer = setTimeout(look, 450);
  }
  async function look() {
    const mine = turn;
    check.setAttribute("aria-busy", "true");
    try {
      const answer = await api.post("/spots/check", { spot: current() });
      if (mine !== turn) return;
      solve.disabled = !answer.fits;
      put(check, h("dl", { class: "check-figures" },
        figure(t("study.check.nodes"), number(answer.nodes)), figure(t("study.check.memory"), bytes(answer.tables)),
        answer.available ? figure(t("study.check.available"), bytes(answer.available)) : null),
      h("p", { class: answer.fits ? "check-fits" : "check-fails" }, answer.fits ? t("study.check.fits") : t("study.check.fails")),
      answer.fits && answer.packed ? h("p", { class: "tiny" }, t("study.check.packed", { memory: bytes(answer.memory) })) : null,
      answer.advice ? h("p", { class: "tiny" }, answer.advice) : null);
    } catch (error) {
      if (mine !== turn) return;
      solve.disabled = true;
      put(check, h("p", { class: "check-fails" }, error.message));
    } finally { check.removeAttribute("aria-busy"); }
  }
  const figure = (name, value) => h("div", {}, h("dt", {}, name), h("dd", { class: "num" }, value));

  async function send(event) {
    event.preventDefault();
    if (missing()) return;
    solve.disabled = true;
    solve.prepend(h("span", { class: "spinner", "aria-hidden": "true" }));
    try { await onsolve({ name: settings.name.trim(), spot: current(), target: settings.target, seconds: settings.seconds }); }
    catch (error) { put(check, h("p", { class: "check-fails" }, error.message)); solve.disabled = false; }
    finally { put(solve, t("study.solve")); }
  }

  const section = (key, ...content) => h("section", { class: "panel build" }, h("h2", {}, t(`study.build.${key}`)), content);
  const element = h("form", { class: "stack builder", novalidate: true, onsubmit: send },
    kept,
    h("div", { class: "build-top" },
      section("board", board),
      section("stakes", h("div", { class: "stakes" }, chips("pot", 1), chips("stack", 0)),
        h("p", { class: "muted tiny" }, t("study.stakes.help")))),
    section("ranges", h("div", { class: "painters" }, painters)),
    section("bets", sizes),
    section("solve", h("div", { class: "solve-settings" },
      field(t("study.name"), input({ value: "", maxlength: "80", placeholder: t("study.name.placeholder"), oninput: (value) => { settings.name = value; } })),
      field(t("study.target"), segmented(TARGETS.map((value) => ({ value, label: percent(value / 100, 2) })), settings.target,
        (value) => { settings.target = value; }), t("study.target.help")),
      field(t("study.seconds"), numberInput({ value: settings.seconds, min: 1, max: LONGEST, onchange: (value) => {
        settings.seconds = Math.min(LONGEST, Math.max(1, Math.round(value) || 60));
      } }), t("study.seconds.help", { most: LONGEST })))),
    h("div", { class: "panel solve-bar" }, check, solve));
  element.spot = current;
  element.stop = () => { clearTimeout(timer); turn += 1; };
  changed();
  return element;
}
