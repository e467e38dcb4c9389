// Events of the server, shown one after another at a pace that one can follow, and never far behind the game.

import { after, sceneOf, tagsAfter } from "./scene.js";
import { preferences } from "../preferences.js";

const BEATS = { hand: 120, deal: 260, act: 350, street: 420, show: 380, win: 450 }; // milliseconds at normal speed
const ALL_IN = { show: 350, street: 1700, win: 900 }; // the same when all are all-in: these are never hurried
const SPEEDS = { slow: [1.8, 4000], normal: [1, 1300], fast: [0.5, 600], off: [0, 0] }; // factor, and the most milliseconds behind

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// show(view) queues a view. on: {draw(scene, event|null), settled(view)}: settled comes when the newest view is on the felt.
export function stage(parts, on) {
  let scene = null, tags = {}, steps = [], timer = null, latest = null, seen = -1, shownEvent = null;

  function show(view) {
    const fresh = view.events.filter((event) => event.n > seen);
    seen = Math.max(seen, ...view.events.map((event) => event.n));
    const first = latest === null;
    const missed = !first && view.hand?.id !== latest.hand?.id && !fresh.some((event) => event.kind === "hand");
    latest = view;
    if (missed) { steps = []; tags = {}; } // the connection was away: the new state is all there is
    if (first || missed || document.hidden || !pace()[0]) return flush(fresh);
    steps.push(...fresh.filter((event) => event.kind in BEATS).map((event) => ({ event, view })), { view });
    if (timer === null) next();
    else if (!fresh.length) on.draw(scene, shownEvent); // what is told later of what is being shown: equities
    return undefined;
  }

  const pace = () => SPEEDS[preferences.speed] ?? SPEEDS.normal;

  // What is left to show takes no longer than the pace allows.
  function beat(event) {
    const [factor, most] = pace();
    if (event.all_in) return (event.kind === "show" && !steps.some((step) => step.event?.kind === "show") ? ALL_IN.street : ALL_IN[event.kind]) * factor;
    const left = [event, ...steps.map((step) => step.event).filter((each) => each && !each.all_in)].reduce((sum, each) => sum + BEATS[each.kind] * factor, 0);
    return BEATS[event.kind] * factor * Math.min(1, most / left);
  }

  function next() {
    timer = null;
    const step = steps.shift();
    if (!step) return;
    if (!step.event) { settle(step.view); return; }
    const { event, view } = step, before = scene, wait = beat(event);
    shownEvent = event;
    scene = after(scene, event, view);
    tags = tagsAfter(tags, [event]);
    if (!still()) effect(parts, event, before, scene, wait);
    on.draw(scene, event);
    timer = setTimeout(next, wait);
  }

  function settle(view) {
    scene = sceneOf(view, tags);
    on.draw(scene, null);
    if (steps.length) next();
    else on.settled(view);
  }

  function flush(fresh = []) {
    clearTimeout(timer);
    timer = null;
    tags = tagsAfter(tags, [...steps.map((step) => step.event).filter(Boolean), ...fresh]);
    steps = [];
    if (latest) settle(latest);
  }

  const hidden = () => { if (document.hidden) flush(); };
  document.addEventListener("visibilitychange", hidden);
  return {
    show, flush: () => flush(), busy: () => timer !== null,
    close() { clearTimeout(timer); document.removeEventListener("visibilitychange", hidden); },
  };
}

const middle = (element) => {
  const box = element.getBoundingClientRect();
  return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
};

// Motion from one element to another, shown by a copy that is gone afterwards.
function fly(layer, piece, from, to, duration, delay = 0) {
  const base = layer.getBoundingClientRect(), ghost = piece.cloneNode(true);
  ghost.hidden = false;
  ghost.classList.add("flying");
  ghost.setAttribute("aria-hidden", "true");
  ghost.style.left = `${from.x - base.left}px`;
  ghost.style.top = `${from.y - base.top}px`;
  layer.append(ghost);
  const run = ghost.animate(
    [{ transform: "translate(-50%, -50%)", opacity: 1 },
      { transform: `translate(calc(-50% + ${to.x - from.x}px), calc(-50% + ${to.y - from.y}px))`, opacity: 0.85 }],
    { duration, delay, easing: "cubic-bezier(.3,.7,.3,1)", fill: "backwards" },
  );
  const gone = () => ghost.remove();
  run.finished.then(gone, gone);
}

// `parts` still shows the scene before the event.
function effect(parts, event, before, scene, wait) {
  const layer = parts.element, quick = Math.max(120, Math.min(420, wait));
  if (event.kind === "street" || event.kind === "win") {
    before.seats.forEach((seat, chair) => { if (seat.bet > 0) fly(layer, parts.bets[chair], middle(parts.bets[chair]), middle(parts.pot), quick); });
  }
  if (event.kind === "win" && event.chair !== undefined && parts.pot.firstElementChild) {
    fly(layer, parts.pot.firstElementChild, middle(parts.pot), middle(parts.seats[event.chair].body), 450, quick / 2);
  }
  if (event.kind === "act" && scene.seats[event.chair].bet > before.seats[event.chair].bet) {
    queueMicrotask(() => { // the bet is drawn by then
      const bet = parts.bets[event.chair], from = middle(parts.seats[event.chair].body), to = middle(bet);
      bet.animate([{ transform: `translate(calc(-50% + ${from.x - to.x}px), calc(-50% + ${from.y - to.y}px))`, opacity: 0.3 },
        { transform: "translate(-50%, -50%)", opacity: 1 }], { duration: quick * 0.8, easing: "ease-out" });
    });
  }
  if (event.kind === "hand") {
    queueMicrotask(() => {
      const from = middle(parts.board), base = layer.getBoundingClientRect();
      if (!base.width) return;
      parts.seats.forEach((seat, chair) => [...seat.cards.children].forEach((each, i) => {
        const to = middle(each);
        each.animate([{ transform: `translate(${from.x - to.x}px, ${from.y - to.y}px) rotate(-40deg)`, opacity: 0 }, { transform: "none", opacity: 1 }],
          { duration: 260, delay: (i * parts.seats.length + chair) * 16, easing: "ease-out", fill: "backwards" });
      }));
    });
  }
}
