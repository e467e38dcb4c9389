// The table itself: an oval with seats, bets, board and pots, drawn from a scene at whatever size there is.

import { card } from "../components/card.js";
import { h, put } from "../dom.js";
import { t } from "../i18n.js";
import { chips } from "./chips.js";
import { arrange } from "./layout.js";
import { holeCards } from "./scene.js";
import { lift, seatView } from "./seats.js";

let lights = 0; // every table has a gradient of its own

// Returns {element, draw(scene, money, names), clock(scene, seconds), parts}; parts are for the animation.
export function felt() {
  const rim = h("svg:path", { class: "felt-rim" }), cloth = h("svg:path", { class: "felt-cloth" }), line = h("svg:path", { class: "felt-line" });
  const light = h("svg:radialGradient", { id: `felt-light-${++lights}` }, h("svg:stop", { class: "felt-bright", offset: 0 }), h("svg:stop", { class: "felt-dim", offset: 1 }));
  cloth.setAttribute("fill", `url(#${light.id})`);
  const svg = h("svg:svg", { class: "felt-table", "aria-hidden": "true" }, h("svg:defs", {}, light), rim, cloth, line);
  const pot = h("div", { class: "felt-pot" }), board = h("div", { class: "felt-board", role: "group" }), caption = h("div", { class: "felt-caption" });
  const centre = h("div", { class: "felt-centre" }, pot, board, caption);
  const element = h("div", { class: "felt" }, svg, centre);
  const seats = [], bets = [];
  let scene = null, boardShown = "", money = null, names = {}, compact = false;

  function ensure(count) {
    while (seats.length > count) { seats.pop().element.remove(); bets.pop().remove(); }
    while (seats.length < count) {
      seats.push(seatView());
      bets.push(h("div", { class: "felt-bet" }));
      element.append(seats.at(-1).element, bets.at(-1));
    }
  }

  // Chair -> place around the table: the own one, or the first, at the bottom.
  const place = (chair) => (chair - (scene.you ?? scene.bottom ?? 0) + scene.seats.length) % scene.seats.length;

  function layout() {
    const { clientWidth: width, clientHeight: height } = element;
    if (!scene || !width || !height) return;
    const plan = arrange(scene.seats.length, width, height, holeCards(scene.game));
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    for (const each of [rim, cloth, line]) each.setAttribute("d", plan.rim);
    const { x, y } = plan.middle, scaled = (by) => `translate(${x}px, ${y}px) scale(${by}) translate(${-x}px, ${-y}px)`;
    line.style.transform = scaled(0.86);
    element.classList.toggle("tall", plan.tall);
    element.classList.toggle("compact", plan.compact);
    if (compact !== plan.compact) { compact = plan.compact; drawSeats(); }
    for (const [name, value] of Object.entries({ board: plan.card, small: plan.small, own: plan.own, "pod-w": plan.pod.w, "pod-h": plan.pod.h })) {
      element.style.setProperty(`--${name}`, `${value.toFixed(1)}px`);
    }
    at(centre, plan.centre);
    scene.seats.forEach((seat, chair) => {
      at(seats[chair].element, plan.seats[place(chair)]);
      at(bets[chair], plan.bets[place(chair)]);
      const rect = seats[chair].body.querySelector("rect");
      rect.setAttribute("width", plan.pod.w - 3);
      rect.setAttribute("height", plan.pod.h - 3);
    });
  }

  function drawSeats() {
    scene.seats.forEach((seat, chair) => {
      seats[chair].draw(seat, scene, money, names, compact);
      bets[chair].hidden = !(seat.bet > 0);
      if (seat.bet > 0) put(bets[chair], chips(seat.bet / scene.bigBlind), h("span", { class: "num" }, compact ? money.bare(seat.bet) : money(seat.bet)));
    });
  }

  function drawCentre() {
    const now = JSON.stringify([scene.board, scene.slots, scene.number]);
    if (now !== boardShown) {
      const before = boardShown ? JSON.parse(boardShown) : [[], 0, -1], old = before[2] === scene.number ? before[0] : [];
      boardShown = now;
      const places = Array.from({ length: scene.slots }, (_, i) => scene.board[i]);
      put(board, places.map((each, i) => (each
        ? h("div", { class: old[i] === each ? "" : "turned", style: { animationDelay: `${(i - old.length) * 70}ms` } }, card(each, { size: "m" }))
        : h("div", { class: "felt-slot" }))));
      board.setAttribute("aria-label", scene.board.length ? t("table.board") : t("table.board-empty"));
    }
    lift(board, scene.lifted);
    const total = scene.pot > 0 && h("span", { class: "felt-total" }, chips(scene.pot / scene.bigBlind), h("span", { class: "num" }, t("table.pot", { amount: money(scene.pot) })));
    const sides = scene.pots?.length > 1 && scene.pots.map((each, i) =>
      h("span", { class: "felt-side num" }, t(i ? "table.side-pot" : "table.main-pot", { amount: money(each.chips) })));
    put(pot, total, sides && h("span", { class: "felt-sides" }, sides));
    caption.textContent = scene.caption ?? "";
  }

  function draw(next, asMoney = money, asNames = names) {
    const count = scene?.seats.length, own = scene?.you, game = scene?.game, bottom = scene?.bottom;
    [scene, money, names] = [next, asMoney, asNames];
    ensure(scene.seats.length);
    if (count !== scene.seats.length || own !== scene.you || game !== scene.game || bottom !== scene.bottom) layout();
    element.classList.toggle("over", Boolean(scene.over));
    drawSeats();
    drawCentre();
  }

  function clock(now, seconds) {
    now.seats.forEach((seat, chair) => seats[chair]?.clock(seat.turn ? now.deadline : null, seconds, now.bank));
  }

  const watcher = new ResizeObserver(layout);
  watcher.observe(element);
  return { element, draw, clock, parts: { seats, bets, pot, board, element }, close: () => watcher.disconnect() };
}

function at(element, { x, y }) {
  element.style.left = `${x.toFixed(1)}px`;
  element.style.top = `${y.toFixed(1)}px`;
}
