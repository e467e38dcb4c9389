// The strip below the felt: what to do, or what one waits for.

import { button, toggle } from "../components/forms.js";
import { h, put } from "../dom.js";
import { t } from "../i18n.js";
import { habits, remember } from "./money.js";
import { invitation, rematch } from "./session.js";
import { placeOf, placeSentence, placesList } from "./tournament.js";
import { made } from "./made.js";

const AUTO_AFTER = 2200; // milliseconds to look at the result before the next hand comes by itself

// on: {ready(), rebuy(), back(), sit(), verify(), review(), ahead: element}. Returns {element, draw(view, money, controls), key(event), close()}.
export function foot(on) {
  const element = h("div", { class: "table-foot", tabindex: -1 });
  let primary = null, timer = null, tick = null, drawn = "";

  function draw(view, money, controls) {
    clearTimeout(timer);
    clearInterval(tick);
    const state = stateOf(view), signature = JSON.stringify([state, view.skipping, view.waiting, view.sit_and_go, view.rematch, view.invite, view.next, view.hand?.id, view.hand?.over, view.hand?.board, view.hand?.to_act, view.chairs[view.you]?.cards, money.scale, view.chairs.map((chair) => [chair.name, chair.ready, chair.stack === 0])]);
    if (state === "turn") { controls.update(view, money); show(state, [holding(view), controls.element]); return; }
    controls.update(view, money);
    if (signature === drawn && element.childElementCount) { if (state === "over") auto(view); return; }
    drawn = signature;
    primary = null;
    show(state, parts[state](view, money));
    if (state === "over") auto(view);
  }

  function show(state, children) {
    if (state === "turn") drawn = "";
    const held = element.contains(document.activeElement) && document.activeElement !== element;
    if (element.dataset.state !== state || state !== "turn") put(element, children);
    else element.firstElementChild.replaceWith(children[0]);
    element.dataset.state = state;
    if (held && !element.contains(document.activeElement)) element.focus({ preventScroll: true }); // Tab goes on from here
  }

  const main = (text, act) => { primary = act; return button(text, act, "primary"); };
  const link = (text, to) => h("a", { class: "button", href: to }, text);

  const parts = {
    closed,
    watching: (view) => [h("p", {}, t("table.watching")), view.chairs.some((chair) => chair.free) && (view.config.open || view.hosting || on.invited ? main(t("lobby.sit"), on.sit) : h("p", { class: "muted" }, t("session.ask-for-link")))],
    out: (view) => [h("p", {}, placeSentence(view)), h("p", { class: "muted" }, t("tournament.watch")), link(t("table.lobby"), "/")],
    coming: () => [h("p", {}, t("table.coming"))],
    away: () => [h("p", {}, t("table.you-are-away")), main(t("table.back"), on.back)],
    broke: (view, money) => [h("p", {}, t("table.broke")), main(t("table.rebuy", { amount: money(view.config.stack) }), on.rebuy), view.hand?.reveal && button(t("table.verify"), on.verify, "quiet small")],
    waiting: (view) => (view.skipping ? [button(h("span", { class: "what" }, t("showdown.skip"), h("kbd", { "aria-hidden": "true" }, t("table.space"))), on.skip)]
      : [holding(view), h("p", { class: "muted" }, actor(view)), chooses(view) && on.ahead]),
    over: (view, money) => over(view, money),
  };

  function closed(view) {
    const again = rematch(view);
    return [h("p", {}, (view.sit_and_go && placeSentence(view)) || t("table.closed")), again && main(again.text, again.again), link(t("table.lobby"), "/"),
      view.sit_and_go && placesList(view)];
  }

  function over(view, money) {
    const mine = view.waiting.includes(view.you), asked = view.waiting.filter((chair) => chair !== view.you).map((chair) => view.chairs[chair]);
    const others = (asked.length ? asked : view.chairs.filter((chair) => chair.away)).map((chair) => chair.name); // who sits out is waited for when nobody else is
    const first = !view.hand, count = h("span", { class: "muted num" });
    const countdown = () => { count.textContent = view.next ? t("table.next-in", { seconds: Math.max(0, Math.ceil((view.next - Date.now()) / 1000)) }) : ""; };
    countdown();
    if (view.next) tick = setInterval(countdown, 500);
    const own = view.chairs[view.you], short = view.config.chips === "carry" && !view.sit_and_go && own.stack < view.config.stack && view.hand;
    return [
      invitation(view),
      mine && main(h("span", { class: "what" }, t(first ? "table.deal" : "table.next"), h("kbd", { "aria-hidden": "true" }, t("table.space"))), on.ready),
      !mine && others.length > 0 && h("p", { class: "muted" }, t("table.waiting-for", { names: others.join(", ") })),
      count,
      toggle(t("table.auto"), habits().auto, (value) => { remember({ auto: value }); auto(view); element.focus({ preventScroll: true }); }), // Space deals, and does not switch it off
      short && button(t("session.top-up", { amount: money(view.config.stack - own.stack) }), on.rebuy, "quiet small"),
      view.hand?.reveal && button(t("table.verify"), on.verify, "quiet small"),
    ];
  }

  function auto(view) {
    clearTimeout(timer);
    if (habits().auto && view.hand && view.waiting.includes(view.you) && !document.hidden) timer = setTimeout(on.ready, AUTO_AFTER);
  }

  const chooses = (view) => { const own = view.chairs[view.you]; return own.in_hand && !own.folded && !own.all_in; };

  function actor(view) {
    const chair = view.chairs[view.hand?.to_act];
    return chair ? t("table.waiting-for", { names: chair.name }) : "";
  }

  // What the own cards make by now.
  function holding(view) {
    const own = view.chairs[view.you];
    if (!own?.cards.length || !view.hand) return h("p", { class: "holding" });
    return h("p", { class: "holding muted" }, t("table.holding", { hand: made([...own.cards, ...view.hand.board]) }));
  }

  function key(event) {
    if (!primary || (event.key !== " " && event.key !== "Enter")) return false;
    primary();
    return true;
  }

  return { element, draw, key, close() { clearTimeout(timer); clearInterval(tick); } };
}

function stateOf(view) {
  const own = view.chairs[view.you], { hand } = view;
  if (view.closed) return "closed";
  if (!own) return "watching";
  if (own.coming) return "coming";
  if (placeOf(view)) return "out";
  if (hand?.legal) return "turn";
  if (own.away) return "away";
  if (hand && !hand.over) return "waiting";
  return own.stack === 0 && !view.sit_and_go && view.config.chips === "carry" ? "broke" : "over";
}
