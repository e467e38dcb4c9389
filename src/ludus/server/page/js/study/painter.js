// Painting a range: the chart by dragging with a weight, its text beside it, and common ranges to start from.
//
// The text is what counts: painting adds an item to it (a later item overrides an earlier one), so single hands that
// the text names stay as they are. The server reads and tidies every text.

import { api } from "../api.js";
import { h } from "../dom.js";
import { number, percent, t } from "../i18n.js";
import { toast } from "../components/shell.js";
import { CLASSES, combos, rangeGrid } from "../components/grid.js";
import { slider } from "../components/forms.js";
import { ALL_COMBOS } from "./hands.js";
import { RANGES } from "./ranges.js";
import { copyText } from "./share.js";

const WAIT = 350; // milliseconds after the last stroke

// {label, text, onchange(text), choosing}: an element with .text, .set(text). `choosing` hides weights and presets.
export function rangePainter({ label, text = "", onchange, choosing = false }) {
  const state = { text, weights: {}, combos: 0, painted: {} };
  let timer = null, turn = 0;

  const grid = rangeGrid({ weights: {}, label, onpaint: paint, onpainted: () => later(null) });
  const area = h("textarea", { class: "range-text", rows: choosing ? "2" : "3", spellcheck: "false", autocomplete: "off",
    maxlength: "20000", "aria-label": t("study.range.text", { who: label }), oninput: () => later({ text: area.value }) });
  const problem = h("p", { class: "range-problem", role: "alert", hidden: true });
  const count = h("span", { class: "range-count num" });
  const brush = slider({ label: t("study.range.weight"), min: 0, max: 100, step: 5, value: 100, format: (value) => percent(value / 100),
    oninput: (value) => grid.update({ brush: value / 100 }) });
  const presets = h("select", { class: "range-presets", "aria-label": t("study.range.presets"), onchange: () => {
    const found = RANGES.find(([key]) => key === presets.value);
    presets.value = "";
    if (found) read({ text: found[1] });
  } }, h("option", { value: "" }, t("study.range.presets")),
  RANGES.map(([key]) => h("option", { value: key }, t(`study.range.${key}`))));

  function paint(name, weight) {
    state.weights = { ...state.weights, [name]: weight };
    state.painted[name] = weight;
    state.combos = total(state.weights);
    tell();
  }
  function later(body) {
    clearTimeout(timer);
    timer = setTimeout(() => read(body ?? { text: [state.text, ...items(state.painted)].filter(Boolean).join(", ") }), WAIT);
  }
  async function read(body) {
    clearTimeout(timer);
    state.painted = {};
    const mine = ++turn, own = document.activeElement === area;
    if (!body.text.trim() || !Object.values(body.only ?? { some: 1 }).some(Boolean)) return settle({ text: "", weights: {}, combos: 0 }, own);
    try {
      const answer = await api.post("/ranges", { text: body.text });
      if (mine === turn) settle(answer, own);
    } catch (error) {
      if (mine !== turn) return;
      problem.textContent = error.message;
      problem.hidden = false;
      area.setAttribute("aria-invalid", "true");
    }
  }
  function settle(answer, typing) {
    Object.assign(state, { text: answer.text, weights: { ...answer.weights, ...state.painted }, combos: answer.combos }); // strokes since the question stay
    if (!typing) area.value = answer.text; // not under somebody's fingers
    problem.hidden = true;
    area.removeAttribute("aria-invalid");
    show();
    onchange?.(state.text);
  }
  function show() {
    grid.update({ weights: state.weights });
    tell();
  }
  function tell() {
    count.textContent = t("study.range.count", { percent: percent(state.combos / ALL_COMBOS, 1), combos: number(Math.round(10 * state.combos) / 10) });
  }
  const invert = () => {
    const turned = Object.fromEntries(CLASSES.map((name) => [name, Math.round(1000 * (1 - (state.weights[name] ?? 0))) / 1000]));
    read({ text: items(turned).join(", "), only: turned });
  };
  const paste = async () => {
    try { read({ text: await navigator.clipboard.readText() }); } catch { area.focus(); area.select(); toast(t("study.range.paste-by-hand")); }
  };
  const tool = (key, act) => h("button", { type: "button", class: "button small quiet", onclick: act }, t(`study.range.${key}`));

  area.addEventListener("blur", () => { if (!area.hasAttribute("aria-invalid")) area.value = state.text; });
  const element = h("div", { class: "painter", role: "group", "aria-label": label },
    h("div", { class: "painter-head" }, h("strong", {}, label), count),
    grid,
    choosing ? null : h("div", { class: "painter-brush" }, brush, weights(brush)),
    area, problem,
    h("div", { class: "row painter-tools" }, choosing ? null : presets, tool("copy", () => copyText(state.text)), tool("paste", paste),
      tool("invert", invert), tool("clear", () => read({ text: "" }))));

  // The usual weights at one press.
  function weights(control) {
    return h("div", { class: "row painter-weights" }, [100, 75, 50, 25, 0].map((value) => h("button", {
      type: "button", class: "button small quiet", "aria-label": t("study.range.use-weight", { weight: percent(value / 100) }), onclick: () => {
        control.set(value);
        grid.update({ brush: value / 100 });
      } }, value === 0 ? t("study.range.erase") : percent(value / 100))));
  }
  Object.defineProperty(element, "text", { get: () => state.text });
  Object.defineProperty(element, "weights", { get: () => state.weights });
  element.set = (value) => read({ text: value });
  if (text) read({ text }); else show();
  return element;
}

const items = (weights) => Object.entries(weights).map(([name, weight]) => (weight === 1 ? name : `${name}:${weight}`));
const total = (weights) => Object.entries(weights).reduce((sum, [name, weight]) => sum + weight * combos(name), 0);
