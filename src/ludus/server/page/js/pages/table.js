// The table: felt, controls and assistant, kept up to date by a socket.

import { api, connect } from "../api.js";
import { go } from "../app.js";
import { dialog, style, toast } from "../components/shell.js";
import { h, put, shortcut } from "../dom.js";
import { t } from "../i18n.js";
import { preferences } from "../preferences.js";
import { stage } from "../table/animation.js";
import { eventSentence, turnSentence } from "../table/announce.js";
import { assistant } from "../table/assistant.js";
import { ahead } from "../table/ahead.js";
import { chat } from "../table/chat.js";
import { controls } from "../table/controls.js";
import { felt } from "../table/felt.js";
import { foot } from "../table/foot.js";
import { placesOf } from "../table/fairness.js";
import { moneyOf } from "../table/money.js";
import { heed } from "../table/notes.js";
import { noticeOf } from "../table/session.js";
import { levelText, withLevel } from "../table/tournament.js";
import { inWords } from "../errors.js";
import { holeCards, seatOrder } from "../table/scene.js";
import { endOf, equitiesAt, resultSentence } from "../table/showdown.js";
import { play, playEvent } from "../table/sounds.js";
import { shortcuts, top } from "../table/top.js";
import { verifyDialog } from "../table/verify.js";

const REFUSED = { 4401: "table.logged-out", 4404: "table.gone", 4403: "table.forbidden", 4429: "table.too-fast" };

export async function show(root, { id }, query) {
  const sheets = Promise.all(["table", "advice", "showdown"].map(style));
  let first;
  try {
    first = await api.get(`/tables/${id}`);
  } catch (error) {
    if (error.status !== 404 && error.status !== 403) throw error;
    put(root, message(t(error.status === 404 ? "table.gone" : "table.forbidden")));
    return undefined;
  }
  await sheets;
  return room(root, id, first, query.get("invite"));
}

const message = (text) => h("section", { class: "panel narrow" }, h("h1", {}, t("table.title")), h("p", {}, text), h("a", { class: "button", href: "/" }, t("table.lobby")));

function room(root, id, first, invite) {
  if (first.invite && first.config.people > 1) history.replaceState(null, "", `?invite=${first.invite}`); // the address itself can be passed on
  let view = withLevel(first), seen = 0, shown = null, money = moneyOf(view.config.big_blind), said = [], version = -1, socket = null, told = null, announced = "";
  const live = h("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  const table = felt(), panel = assistant(id, (action) => acts.take(action)), talk = chat((text) => send({ type: "say", text }));
  const send = (data) => socket?.send(data) || (toast(t("table.not-connected"), "bad"), false);
  const act = (hand, action, to = null) => send({ type: "act", hand: hand.id, turn: hand.turn, action, ...(to === null ? {} : { to }) });
  const acts = controls(act), sooner = ahead(act);
  const below = foot({
    ready: () => send({ type: "ready" }), rebuy: () => send({ type: "rebuy" }), back: () => send({ type: "back" }), sit, verify, skip: () => scenes.flush(), invited: Boolean(invite), ahead: sooner.element,
  });
  const above = top({ leave, close, away: () => send({ type: "away" }), chat: talk.element });
  const scenes = stage(table.parts, { draw, settled });

  function draw(scene, event) {
    const equities = scene.allIn && event ? equitiesAt(view.hand?.equities, scene.board.length) : null;
    table.draw({ ...scene, equities, caption: event && event.kind !== "win" ? "" : resultSentence(endOf(view), money) }, money);
    if (!event) return;
    if (event !== told) playEvent(event, view.you);
    const sentence = event === told ? "" : eventSentence(event, view, money);
    told = event;
    if (sentence) said.push(sentence);
    below.draw({ ...view, skipping: scene.allIn, hand: { ...view.hand, legal: null, over: false, to_act: null, board: scene.board } }, money, acts); // no acting meanwhile
  }

  function settled(now) {
    shown = now;
    table.clock({ seats: now.chairs.map((chair) => ({ turn: now.hand?.to_act === chair.chair })), deadline: now.hand?.deadline, bank: now.hand?.bank }, now.config.seconds);
    above.draw(now, money, levelText(now));
    talk.draw(now);
    if (sooner.update(now)) now = { ...now, hand: { ...now.hand, legal: null } };
    else if (now.hand?.legal && announced !== `${now.hand.id}:${now.hand.turn}`) play("turn");
    if (now.hand?.legal) announced = `${now.hand.id}:${now.hand.turn}`;
    below.draw(now, money, acts);
    panel.update(now, money);
    const words = [...said, resultSentence(endOf(now), money), turnSentence(now, money)].filter(Boolean).join(" ");
    said = [];
    if (words) live.textContent = words;
    document.title = now.hand?.legal ? t("table.your-turn") : [t("table.title"), t("shell.name")].join(" · ");
  }

  function receive(data) {
    if (data.type === "said") { talk.heard(data); return; }
    if (data.type === "error") { acts.refused(); toast(inWords(409, data.detail), "bad"); return; }
    if (data.type !== "table" || data.version < version) return;
    const known = version >= 0 || seen > 0;
    version = data.version;
    view = withLevel(data);
    money = moneyOf(view.config.big_blind);
    for (const event of data.events) if (event.n > seen && known && noticeOf(event, view)) toast(noticeOf(event, view));
    seen = Math.max(seen, ...data.events.map((event) => event.n));
    const seed = heed(data);
    if (seed) socket?.send(seed);
    scenes.show(view);
    if (preferences.skip === "on" && view.chairs[view.you]?.folded) scenes.flush();
  }

  function lost(event) {
    const key = REFUSED[event.code];
    if (!key) { above.connection(t("table.reconnecting")); return; }
    above.connection(t("table.disconnected"));
    dialog({ title: t("table.title"), body: h("p", {}, t(key)), actions: [{ label: t("table.reload"), value: "reload" }, { label: t("table.lobby"), value: "lobby", kind: "primary" }] })
      .then((what) => (what === "reload" ? location.reload() : what === "lobby" && go("/")));
  }

  async function sit() {
    try { receive(await api.post(`/tables/${id}/seats`, invite ? { invite } : {})); } catch (error) { toast(error.message, "bad"); }
  }

  async function leave() {
    const playing = view.hand && !view.hand.over && view.chairs[view.you]?.in_hand && !view.chairs[view.you].folded;
    if (playing && !(await sure("table.leave", "table.leave-sure"))) return;
    try { await api.delete(`/tables/${id}/seats/me`); await go("/"); } catch (error) { toast(error.message, "bad"); }
  }

  async function close() {
    if (!(await sure("table.close-table", "table.close-sure"))) return;
    try { await api.delete(`/tables/${id}`); await go("/"); } catch (error) { toast(error.message, "bad"); }
  }

  const sure = (title, text) => dialog({
    title: t(title), body: h("p", {}, t(text)), actions: [{ label: t("common.cancel"), value: false }, { label: t(title), value: true, kind: "danger" }],
  });

  function verify() {
    const { hand } = view, hands = seatOrder(view).map((chair) => view.chairs[chair].cards), holes = holeCards(view.config.game);
    const padded = hands.map((cards) => (cards.length ? cards : Array(holes).fill("??")));
    const playing = view.chairs.filter((chair) => chair.in_hand), first = hand.number === 1 ? { chairs: playing.map(({ chair }) => chair), button: hand.button } : null;
    verifyDialog({ hand: hand.id, game: view.config.game, people: playing.filter(({ kind }) => kind === "person").map(({ chair }) => chair), first, commitment: hand.commitment, reveal: hand.reveal, seen: placesOf(padded, hand.board, holes) });
  }

  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const { target } = event, pressed = event.key === "Enter" || event.key === " ";
    if (target.matches("select, textarea, input:not(.bet-field):not(.bet-slider):not([role=switch])")) return;
    if (pressed && target.closest("button, a, summary, [role=switch], [role=grid]")) return;
    if (event.key.startsWith("Arrow") && target.closest("[role=grid], [role=tablist], details, .segmented")) return;
    if (event.key === "?") shortcuts();
    else if (sooner.element.isConnected && shortcut(event) === "f") sooner.toggle();
    else if (!acts.key(event) && !(scenes.busy() ? pressed && (scenes.flush(), true) : below.key(event))) return;
    event.preventDefault();
  }

  const looked = () => { if (!document.hidden && shown) below.draw(shown, money, acts); };

  function preferred() {
    money = moneyOf(view.config.big_blind);
    scenes.flush();
  }

  put(root, h("div", { class: "table-page" }, above.element, table.element, below.element, panel.element, live));
  receive(first);
  if (!first.closed) socket = connect(`/tables/${id}/socket`, { message: receive, open: () => { version = -1; talk.clear(); above.connection(""); }, lost });
  const ping = setInterval(() => socket?.send({ type: "ping" }), 25000);
  table.element.addEventListener("click", () => { if (scenes.busy()) scenes.flush(); });
  document.addEventListener("keydown", key);
  document.addEventListener("visibilitychange", looked);
  window.addEventListener("preferences", preferred);
  return () => {
    clearInterval(ping);
    socket?.close();
    for (const part of [scenes, table, above, below, panel]) part.close();
    document.removeEventListener("keydown", key);
    document.removeEventListener("visibilitychange", looked);
    window.removeEventListener("preferences", preferred);
  };
}
