// The panel beside the table: advice while one plays, the review after the hand.

import { api, ApiError } from "../api.js";
import { adviceBar, adviceView } from "../components/advice.js";
import { cardText } from "../components/card.js";
import { awaitReview, preparing, RETRY, reviewView, wait } from "../components/review.js";
import { waiting } from "../components/shell.js";
import { h, put } from "../dom.js";
import { t } from "../i18n.js";
import { habits, remember } from "./money.js";
import { seatOrder } from "./scene.js";

// pick(action) is told which line of the advice is clicked. update(view, money) follows the game. The server works out the advice; a newer turn makes an answer void.
export function assistant(id, pick) {
  const body = h("div", { class: "assistant-body" }), title = h("h2", {});
  const fold = h("button", { type: "button", class: "button quiet small", onclick: () => toggle() });
  const peek = h("div", { class: "assistant-peek" }); // the mix in short while the panel is folded
  const held = h("div", { class: "assistant-cards row" }); // the cards, while the open panel covers them
  const element = h("aside", { class: "assistant panel", "aria-label": t("table.assistant") }, h("div", { class: "assistant-head row spread" }, title, held, peek, fold), body);
  let doing = "", cancel = null, shown = false, money = null, view = null;

  function toggle(open = element.classList.contains("folded")) {
    element.classList.toggle("folded", !open);
    fold.setAttribute("aria-expanded", String(open));
    fold.textContent = t(open ? "table.assistant-hide" : "table.assistant-show");
    if (shown) remember({ panel: open });
  }

  const busy = (text) => put(body, waiting(text));
  const say = (...parts) => put(body, h("div", { class: "assistant-say muted" }, parts));

  function head(text, alive) {
    title.textContent = text;
    put(peek);
    element.classList.toggle("live", alive);
  }

  // Runs a task whose answer counts only as long as nothing newer began.
  async function begin(what, task) {
    if (doing === what) return;
    doing = what;
    cancel?.abort();
    const mine = new AbortController();
    cancel = mine;
    try {
      await task(mine.signal);
    } catch (error) {
      if (!mine.signal.aborted) say(h("p", {}, error instanceof ApiError ? error.message : t("table.assistant-failed")));
    }
  }

  const seatNames = () => Object.fromEntries(seatOrder(view).map((chair, seat) => [String(seat), view.chairs[chair].name]));

  async function live(signal) {
    head(t("table.advice"), true);
    busy(t("table.advice-working"));
    while (!signal.aborted) {
      let advice = null;
      try {
        advice = await api.get(`/tables/${id}/advice`);
      } catch (error) {
        if (error.status !== 409 || !(await preparing())) throw error;
      }
      if (signal.aborted) return;
      if (advice) {
        put(body, adviceView(advice, { money, names: seatNames(), pick }));
        put(peek, adviceBar(advice, money, { thin: true }));
        return;
      }
      busy(t("advice.preparing"));
      await wait(RETRY);
    }
  }

  async function review(signal, hand) {
    head(t("hand.number", { number: hand.number }), true);
    busy(t("table.review-working"));
    const done = await awaitReview(hand.id, () => !signal.aborted, (unready) => busy(t(unready ? "advice.preparing" : "table.review-working")));
    if (signal.aborted) return;
    if (done.status === "done") put(body, reviewView(done, { id: hand.id, game: view.config.game, money, names: seatNames() }), link(hand));
    else say(h("p", {}, t("table.review-none")), link(hand));
  }

  const link = (hand) => [h("p", {}, h("a", { href: `/hands/${hand.id}` }, t("table.replay"))),
    view.chairs.some(({ agent }) => agent === "exploiter") && h("p", {}, h("a", { href: "/statistics" }, t("statistics.learnt")))];

  function idle() {
    begin("idle", async () => {
      head(t("table.assistant"), false);
      const { assistant: mode } = view.config, playable = view.config.game === "holdem";
      say(h("p", {}, t(!playable ? "table.assistant-small" : view.you === null ? "table.assistant-watching" : `table.assistant-${mode}`)));
    });
  }

  function offer(hand) {
    begin(`offer:${hand.id}`, async () => {
      head(t("hand.number", { number: hand.number }), false);
      const start = h("button", { type: "button", class: "button", onclick: () => begin(`review:${hand.id}`, (signal) => review(signal, hand)) }, t("hand.review-start"));
      say(h("p", {}, start), link(hand));
    });
  }

  function update(next, asMoney, settled = true) {
    [view, money] = [next, asMoney];
    put(held, [view.chairs[view.you]?.cards ?? [], view.hand?.board ?? []].filter((cards) => cards.length).map(cardText));
    const { hand, config, you } = view, played = you !== null && hand?.over && view.chairs[you].in_hand;
    if (config.game !== "holdem") return played ? over(hand) : idle();
    if (hand?.legal && config.assistant === "live") return settled && begin(`advice:${hand.id}:${hand.turn}`, live);
    if (played && config.assistant !== "off") return settled && begin(`review:${hand.id}`, (signal) => review(signal, hand));
    if (played) return doing === `review:${hand.id}` || offer(hand);
    if (you !== null && config.assistant === "after" && doing.startsWith("review:")) return undefined; // the last hand's stays to be read while the next is played
    return idle();
  }

  function over(hand) {
    begin(`over:${hand.id}`, async () => { head(t("hand.number", { number: hand.number }), false); say(link(hand)); });
  }

  toggle(habits().panel && !matchMedia("(max-width: 860px)").matches);
  shown = true;
  return { element, update, toggle: () => toggle(), close: () => cancel?.abort() };
}
