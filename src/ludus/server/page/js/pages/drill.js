// Drills: one question after another, answered by button or number key, graded by the solution.

import { api } from "../api.js";
import { h, put, shortcut } from "../dom.js";
import { t } from "../i18n.js";
import { segmented } from "../components/forms.js";
import { style, toast } from "../components/shell.js";
import { answerView, questionView } from "../study/question.js";
import { scoreBar, scorePanel, themeName } from "../study/score.js";

const KEY = "drill.themes";
const ORDER = ["preflop", "flop", "turn", "river", "my"]; // how the names of themes begin

export async function show(root, _parameters, query) {
  const [themes, score] = await Promise.all([api.get("/drills/themes"), api.get("/drills/score"), style("drill"), style("advice"), style("table")]);
  const known = themes.filter(({ available }) => available).map(({ key }) => key), wanted = query.get("theme") ?? localStorage.getItem(KEY);
  const state = { theme: known.includes(wanted) ? wanted : known[0], drill: null, answered: false, busy: false, sitting: [] };
  let turn = 0;

  const stage = h("div", { class: "stack drill-stage" }), bar = scoreBar(), history = scorePanel();
  const choice = ({ key, available }) => ({ value: key, label: themeName(key), disabled: !available, help: available ? null : t(`drill.not-available.${key}`) });
  const take = (value) => { state.theme = value; localStorage.setItem(KEY, value); next(); };
  const street = ({ key }) => ORDER.indexOf(key.split("-")[0]);
  const chooser = segmented(themes.toSorted((a, b) => street(a) - street(b)).map(choice), state.theme, take, { label: t("drill.themes"), wrap: true });
  chooser.classList.add("drill-themes");
  put(root, h("div", { class: "drill" }, h("div", {}, h("h1", {}, t("drill.title")), h("p", { class: "muted" }, t("drill.lead"))), chooser, bar,
    stage, history));
  const tell = (figures) => { bar.update(figures, state.sitting); history.update(figures); };
  tell(score);

  async function next() {
    const mine = ++turn;
    Object.assign(state, { drill: null, answered: false, busy: false });
    const wait = setTimeout(() => put(stage, h("p", { class: "empty" }, h("span", { class: "spinner" }), " ", t("drill.drawing"))), 250);
    try {
      const drill = await api.post("/drills", { theme: state.theme });
      if (mine !== turn) return;
      state.drill = drill;
      put(stage, questionView(drill.question, answer));
      stage.querySelector(".drill-ask").focus({ preventScroll: true });
    } catch (error) {
      if (mine === turn) put(stage, h("div", { class: "panel narrow" }, h("p", { class: "note bad" }, error.message),
        h("button", { type: "button", class: "button", onclick: next }, t("shell.retry"))));
    } finally { clearTimeout(wait); }
  }
  async function answer(key) {
    if (!state.drill || state.answered || state.busy) return;
    const mine = turn;
    state.busy = true;
    for (const button of stage.querySelectorAll(".drill-action")) {
      button.disabled = true;
      button.setAttribute("aria-pressed", String(button.dataset.action === key));
    }
    try {
      const result = await api.post(`/drills/${state.drill.id}/answer`, { action: key });
      if (mine !== turn) return;
      state.answered = true;
      state.sitting.push(result.loss);
      stage.append(answerView(state.drill.question, result, key, next));
      stage.querySelector(".drill-next").focus({ preventScroll: true });
      stage.lastChild.scrollIntoView({ block: "nearest", behavior: "smooth" });
      tell(await api.get("/drills/score"));
    } catch (error) {
      toast(error.message, "bad");
      for (const button of stage.querySelectorAll(".drill-action")) button.disabled = state.answered;
    } finally { state.busy = false; }
  }
  function pressed(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("textarea, select, dialog, summary")) return;
    const at = Number(shortcut(event)) - 1, action = state.drill?.question.actions[at];
    if (action && !state.answered) { event.preventDefault(); answer(action.key); }
    if (event.key === "Enter" && state.answered && !event.target.closest?.("button, a")) { event.preventDefault(); next(); }
  }
  document.addEventListener("keydown", pressed);
  next();
  return () => { turn += 1; document.removeEventListener("keydown", pressed); };
}
