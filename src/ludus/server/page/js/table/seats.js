// One seat: cards, name, stack, place, what the player did last, and a ring that runs while it is his turn.

import { withLevel } from "../components/agents.js";
import { card, cardName } from "../components/card.js";
import { h, put } from "../dom.js";
import { percent, t } from "../i18n.js";
import { THINKING } from "./scene.js";

export function seatView() {
  const cards = h("div", { class: "seat-cards" }), name = h("span", { class: "seat-name" });
  const stack = h("span", { class: "seat-stack num" }), place = h("span", { class: "seat-place" });
  const tag = h("span", { class: "seat-tag" });
  const ring = h("svg:svg", { class: "seat-ring", "aria-hidden": "true" }, h("svg:rect", { x: 1.5, y: 1.5, rx: 11, pathLength: 100 }));
  const equity = h("span", { class: "seat-equity num" });
  const body = h("div", { class: "seat-body" }, ring, name, h("span", { class: "seat-line" }, place, stack), equity);
  const element = h("div", { class: "seat", role: "group" }, cards, body, tag);
  let shown = "", time = null;

  function draw(seat, scene, money, names = {}, compact = false) {
    const own = seat.chair === scene.you, name_ = names[seat.chair] ?? nameOf(seat);
    Object.assign(element.dataset, { kind: seat.kind });
    const states = { own, folded: seat.folded, turn: seat.turn, won: seat.won, out: !seat.in_hand && scene.button !== null, away: seat.away, "all-in": seat.all_in };
    for (const [state, on] of Object.entries(states)) element.classList.toggle(state, Boolean(on));
    name.textContent = name_;
    element.title = [name_, playedBy(seat)].filter(Boolean).join(" · ");
    stack.textContent = seat.stack === null ? "" : (compact ? money.bare : money)(seat.stack);
    const button = scene.button === seat.chair;
    const [, first, more] = (seat.in_hand ? seat.place ?? (button ? t("table.dealer") : "") : "").match(/^([^/+]*)(\+\d)?/);
    put(place, more ? h("span", {}, first) : first, more); // "UTG+1" is "+1" where there is little room
    place.classList.toggle("dealer", button);
    drawTag(seat, money);
    drawCards(seat, own);
    lift(cards, scene.lifted);
    drawEquity(scene.equities?.[seat.chair]);
    element.setAttribute("aria-label", spoken(seat, scene, name_, money));
  }

  function drawTag(seat, money) {
    const [kind, text] = tagText(seat, money);
    tag.className = `seat-tag ${kind}`;
    tag.textContent = text;
    tag.hidden = !text;
  }

  function drawEquity(share) {
    equity.hidden = share === undefined;
    if (share !== undefined) equity.textContent = percent(share, share > 0 && share < 0.01 ? 1 : 0);
  }

  function drawCards(seat, own) {
    const now = JSON.stringify([seat.cards, own]);
    if (now === shown) return;
    const before = JSON.parse(shown || "[[]]")[0];
    shown = now;
    const turned = before.length === seat.cards.length && before.every((each) => each === "??");
    cards.classList.toggle("shown", !own && seat.cards.some((each) => each !== "??"));
    put(cards, seat.cards.map((each) => h("div", { class: turned && each !== "??" ? "turned" : "" }, card(each, { size: own ? "l" : "s" }))));
  }

  // The ring empties until the deadline, and once more for the seconds beyond it; without a deadline it is simply there.
  function clock(deadline, total, bank = 0) {
    time?.cancel();
    time = null;
    const left = deadline ? deadline - Date.now() : 0, more = bank && deadline ? left + bank * 1000 : 0, banked = left <= 0 && more > 0;
    element.classList.toggle("banked", banked);
    if (banked) Object.assign(tag, { className: "seat-tag bank", textContent: t("table.bank"), hidden: false });
    if (left <= 0 && !banked) return;
    const part = banked ? more / (bank * 1000) : total ? left / (total * 1000) : 1;
    time = ring.firstChild.animate([{ strokeDasharray: `${100 * Math.min(1, part)} 100` }, { strokeDasharray: "0 100" }], { duration: banked ? more : left, fill: "forwards" });
    if (!banked && bank) time.onfinish = () => clock(deadline, total, bank);
  }

  return { element, draw, clock, cards, body };
}

// Cards that win stand out, the others step back.
export function lift(element, lifted) {
  for (const each of element.querySelectorAll("[data-card]")) {
    each.classList.toggle("lifted", Boolean(lifted?.includes(each.dataset.card)));
    each.classList.toggle("lowered", Boolean(lifted && !lifted.includes(each.dataset.card)));
  }
}

// Who plays for the AI.
const playedBy = (seat) => seat.agent && withLevel(seat.agent, seat.level);
const nameOf = (seat) => seat.name ?? "";

function tagText(seat, money) {
  if (seat.won) return ["win", t(seat.split ? "showdown.half" : "table.plus", { amount: money(Math.round(seat.taken)) })];
  if (seat.away) return ["away", t("table.away")];
  if (seat.turn === THINKING) return [THINKING, t("table.thinking")];
  if (!seat.tag) return ["", ""];
  return [seat.tag.action, t(`table.tag.${seat.tag.action}`)];
}

function spoken(seat, scene, name, money) {
  const cards = seat.cards.filter((each) => each !== "??").map(cardName);
  return [
    seat.chair === scene.you ? t("table.you", { name }) : name, seat.in_hand && seat.place, seat.stack !== null && money(seat.stack),
    scene.button === seat.chair && t("table.has-button"), seat.bet > 0 && t("table.has-bet", { amount: money(seat.bet) }),
    seat.folded && t("table.tag.fold"), seat.all_in && t("table.tag.all-in"), cards.join(", "), scene.equities?.[seat.chair] !== undefined && percent(scene.equities[seat.chair]), seat.turn && t(seat.turn === THINKING ? "table.thinking" : "table.to-act"),
  ].filter(Boolean).join(", ");
}
