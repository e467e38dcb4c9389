// Decisions of a finished hand with their grades, one by one.

import { api } from "../api.js";
import { h, put } from "../dom.js";
import { number, t } from "../i18n.js";
import { actionLabel, adviceBar, adviceView } from "./advice.js";
import { cards } from "./card.js";

const MARKS = { best: "good", fine: "good", inaccuracy: "warn", mistake: "bad", blunder: "bad" };

export const gradeBadge = (grade) => h("span", { class: `badge grade ${MARKS[grade] ?? ""} ${grade}` }, t(`review.grade.${grade}`));

export const streetName = (game, street) => (game === "holdem" ? t(`review.street.${street}`) : t("review.round", { number: street + 1 }));

const wait = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });
export const RETRY = 5000; // milliseconds between questions while the assistant is being prepared
export const preparing = () => api.get("/status").then(({ ready }) => ready.advice === false, () => false);

// Asks for the review of a hand and waits until it is there or going() is false. onprepare(flag): does it wait for the assistant itself?
export async function awaitReview(id, going, onprepare) {
  let answer = await api.post(`/hands/${id}/review`), unready = true;
  for (let tries = 0; going() && (answer.review ?? answer).status === "working" && tries < 150;) {
    if (unready) {
      unready = await preparing();
      if (going()) onprepare(unready);
    }
    await wait(unready ? RETRY : Math.min(400 + 100 * tries++, 2000));
    if (going()) answer = await api.get(`/hands/${id}`);
  }
  return answer.review ?? answer;
}

// One decision, folded: grade, what was done, the mix as a bar; unfolded: everything the advice says.
export function decisionView(decision, { game = "holdem", money, names, open = false, onopen } = {}) {
  const { advice } = decision;
  const body = h("div", { class: "decision-body" });
  const details = h("details", { class: `decision ${decision.grade}`, open, dataset: { step: decision.step }, ontoggle: () => {
    if (!details.open) return;
    if (!body.childElementCount) put(body, adviceView(advice, { money, names, chosen: decision.action }));
    onopen?.(decision);
  } },
  h("summary", {},
    h("span", { class: "decision-head" }, h("span", { class: "muted" }, streetName(game, decision.street)), gradeBadge(decision.grade),
      decision.loss > 0 && h("span", { class: "loss num bad" }, t("review.loss", { loss: number(decision.loss, 2) }))),
    h("span", { class: "decision-what" }, cards(advice.cards, { size: "s" }), advice.board && cards(advice.board, { size: "s" }),
      h("span", {}, actionLabel(decision.name, money))),
    adviceBar(advice, money, { thin: true })),
  body);
  if (open) put(body, adviceView(advice, { money, names, chosen: decision.action }));
  return details;
}

// All decisions; element.select(number) goes to the one at an action of the hand. onselect(decision) when one is opened.
export function reviewView(review, { game, money, names, onselect } = {}) {
  const { decisions } = review;
  if (!decisions.length) return h("p", { class: "muted" }, t("review.nothing"));
  const total = decisions.reduce((sum, decision) => sum + decision.loss, 0);
  let silent = false;
  const items = decisions.map((decision) => decisionView(decision, {
    game, money, names, onopen: () => {
      items.forEach((other, i) => { if (decisions[i] !== decision) other.open = false; });
      if (!silent) onselect?.(decision);
    },
  }));
  const element = h("div", { class: "review" },
    h("p", { class: "review-total" }, total > 0 ? t("review.total", { loss: number(total, 2), count: decisions.length }) : t("review.clean", { count: decisions.length })),
    items);
  // Marks the last decision up to an action of the hand, and opens it if there is room to read it beside the felt.
  element.select = (number, open = true) => {
    const now = decisions.findLastIndex((decision) => decision.step <= number);
    silent = true;
    items.forEach((item, i) => {
      item.classList.toggle("current", i === now);
      if (open) item.open = i === now;
    });
    setTimeout(() => { silent = false; }, 50); // toggle events come later
    return items[now] ?? null;
  };
  return element;
}
