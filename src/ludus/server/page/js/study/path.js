// The way to a node: a column for each decision with its actions and how often they are taken, a card for each deal.

import { h, put } from "../dom.js";
import { percent, t } from "../i18n.js";
import { card } from "../components/card.js";
import { actionColour } from "../components/mix.js";
import { cardsOf, choicesOf, longer, playerName } from "./hands.js";

const share = (chance) => (chance === null || chance === undefined ? "–" : percent(chance, chance > 0 && chance < 0.01 ? 1 : 0));

// onwalk(line) goes there, onhover(line) may ask for it already. element.update(view).
export function pathStrip({ onwalk, onhover }) {
  const list = h("ol", { class: "path" });
  const element = h("nav", { class: "path-scroll", "aria-label": t("study.path") }, list);

  function action(step, choice, at, current) {
    const word = step.actions[at], line = longer(step.line, word), taken = step.taken === word, colour = actionColour(choice.key, choice.rank);
    return h("button", {
      type: "button", class: `path-action${taken ? " taken" : ""}`, "aria-current": taken ? "step" : null, dataset: current ? { choice: at } : {},
      style: { backgroundImage: `linear-gradient(${colour}, ${colour})`, backgroundSize: `${100 * (choice.chance || 0)}% 3px` },
      onclick: () => onwalk(line), onpointerenter: () => onhover(line), onfocus: () => onhover(line),
    }, current ? h("kbd", { "aria-hidden": "true" }, String(at + 1)) : null, h("span", { class: "path-label" }, choice.label),
      h("span", { class: "num" }, share(step.frequencies?.[at])));
  }
  function decision(step, current) {
    const choices = choicesOf(step.phrases, step.frequencies ?? []);
    return h("li", { class: `step ${step.player}${current ? " current" : ""}` },
      h("button", { type: "button", class: "step-head", "aria-label": t("study.path.to", { who: playerName(step.player) }), onclick: () => onwalk(step.line) },
        playerName(step.player), current ? h("span", { class: "muted" }, t("study.to-act")) : null),
      choices.map((choice, at) => action(step, choice, at, current)));
  }
  function deal(step, view, current) {
    return h("li", { class: `step deal${current ? " current" : ""}` },
      h("button", { type: "button", class: "step-head", onclick: () => onwalk(step.line) }, t("study.path.card")),
      step.taken ? h("button", { type: "button", class: "path-card", "aria-label": t("study.path.other-card"), onclick: () => onwalk(step.line) },
        card(step.taken, { size: "m" }))
        : h("span", { class: "path-card" }, card("", { size: "m" })));
  }
  const end = (view) => h("li", { class: "step end current" }, h("span", { class: "step-head" }, endText(view)));
  function start(view) {
    const board = cardsOf(view.board), dealt = (view.path ?? []).filter((step) => step.kind === "card").length;
    return h("li", { class: "step deal start" },
      h("button", { type: "button", class: "step-head", onclick: () => onwalk("") }, t("study.path.start")),
      h("button", { type: "button", class: "path-board", "aria-label": t("study.path.start"), onclick: () => onwalk("") },
        board.slice(0, board.length - dealt).map((name) => card(name, { size: "s" }))));
  }

  element.update = (view) => {
    const inside = list.contains(document.activeElement);
    const before = (view.path ?? []).map((step) => (step.kind === "card" ? deal(step, view) : decision(step)));
    const here = { decision: () => decision({ ...view, taken: null }, true), card: () => deal({ ...view, taken: null }, view, true),
      end: () => end(view) }[view.kind]();
    put(list, start(view), before, here);
    element.scrollTo({ left: element.scrollWidth });
    if (inside) (list.lastChild.querySelector(".path-action") ?? list.lastChild.querySelector("button"))?.focus({ preventScroll: true });
  };
  return element;
}

export function endText(view) {
  const how = view.result?.how ?? (view.line.endsWith("F") ? "fold" : "showdown");
  return t(`study.end.${how}`);
}
