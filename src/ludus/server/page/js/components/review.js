// Decisions of a finished hand with their grades, one by one.

import { api } from "../api.js";
import { h, put } from "../dom.js";
import { number, t } from "../i18n.js";
import { actionLabel, adviceBar, adviceView } from "./advice.js";
import { cards } from "./card.js";
import { toast } from "./shell.js";

const MARKS = { best: "good", fine: "good", inaccuracy: "warn", mistake: "bad", blunder: "bad" };

export const gradeBadge = (grade) => h("span", { class: `badge grade ${MARKS[grade] ?? ""} ${grade}` }, t(`review.grade.${grade}`));

export const streetName = (game, street) => (game === "holdem" ? t(`review.street.${street}`) : t("review.round", { number: street + 1 }));

export const wait = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });
const LOOK = 2500; // milliseconds between questions for what longer thinking finds
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

// One decision, folded: grade, what was done, the mix as a bar; unfolded: everything the advice says, and a way to more.
function decisionView(decision, { game = "holdem", money, names, open = false, onopen, onthink } = {}) {
  const { advice, longer, thinking } = decision;
  const body = h("div", { class: "decision-body" });
  const more = () => longer && onthink && h("button", { type: "button", class: "button small", disabled: thinking === longer, onclick: () => onthink(decision) },
    t(thinking === longer ? "review.thinking" : "review.think"));
  const fill = () => put(body, adviceView(advice, { money, names, chosen: decision.action, more: more() }));
  const details = h("details", { class: `decision ${decision.grade}`, open, dataset: { step: decision.step }, ontoggle: () => {
    if (!details.open) return;
    if (!body.childElementCount) fill();
    onopen?.(decision);
  } },
  h("summary", {},
    h("span", { class: "decision-head" }, h("span", { class: "muted" }, streetName(game, decision.street)), gradeBadge(decision.grade),
      decision.loss > 0 && h("span", { class: "loss num bad" }, t("review.loss", { loss: number(decision.loss, 2) }))),
    h("span", { class: "decision-what" }, cards(advice.cards, { size: "s" }), advice.board && cards(advice.board, { size: "s" }),
      h("span", {}, actionLabel(decision.name, money))),
    adviceBar(advice, money, { thin: true })),
  body);
  if (open) fill();
  return details;
}

// All decisions; element.select(number) goes to the one at an action of the hand. onselect(decision) when one is opened.
// As long as it is shown it asks the server, by the id of the hand, for what longer thinking finds.
export function reviewView(review, { id, game, money, names, onselect } = {}) {
  const { decisions } = review;
  if (!decisions.length) return h("p", { class: "muted" }, t("review.nothing"));
  const total = h("p", { class: "review-total" }), better = h("p", { class: "muted tiny", role: "status" });
  let silent = false, asking = false;
  const view = (decision, open) => decisionView(decision, {
    game, money, names, open, onthink: id && think, onopen: () => {
      items.forEach((other) => { if (Number(other.dataset.step) !== decision.step) other.open = false; });
      if (!silent) onselect?.(decision);
    },
  });
  const items = decisions.map((decision) => view(decision, false));
  const element = h("div", { class: "review" }, total, better, items);
  const thinks = () => decisions.some(({ thinking }) => thinking);

  function sum() {
    const lost = decisions.reduce((all, { loss }) => all + loss, 0), count = decisions.length;
    total.textContent = lost > 0 ? t("review.total", { loss: number(lost, 2), count }) : t("review.clean", { count });
    better.textContent = thinks() ? t("review.better") : "";
  }

  // Draws again what has changed.
  function renew(found) {
    found.forEach((decision, at) => {
      if (JSON.stringify(decision) === JSON.stringify(decisions[at])) return;
      decisions[at] = decision;
      const old = items[at];
      items[at] = view(decision, old.open);
      items[at].classList.toggle("current", old.classList.contains("current"));
      old.replaceWith(items[at]);
    });
    sum();
  }

  async function follow() {
    if (asking || !id) return;
    asking = true;
    try {
      do {
        await wait(LOOK);
        if (!element.isConnected) return;
        renew((await api.post(`/hands/${id}/review`)).decisions);
      } while (thinks());
    } catch { better.textContent = ""; } finally { asking = false; }
  }

  async function think({ step }) {
    try { renew((await api.post(`/hands/${id}/decisions/${step}/think`)).decisions); follow(); } catch (error) { toast(error.message, "bad"); }
  }

  sum();
  follow();
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
