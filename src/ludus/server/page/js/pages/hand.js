// One hand: its replay, the review beside it, a note, its record and the proof of its deck.

import { api } from "../api.js";
import { button } from "../components/forms.js";
import { shareDialog } from "../components/share.js";
import { replayer, ownSeat } from "../components/replay.js";
import { awaitReview, reviewView } from "../components/review.js";
import { cards, split } from "../components/card.js";
import { copy, style, toast, waiting } from "../components/shell.js";
import { h, put } from "../dom.js";
import { t, when } from "../i18n.js";
import { placesOf } from "../table/fairness.js";
import { moneyOf } from "../table/money.js";
import { holeCards } from "../table/scene.js";
import { verifyDialog } from "../table/verify.js";

export async function show(root, { id }) {
  const sheets = Promise.all(["table", "advice", "hand", "showdown"].map(style));
  let hand;
  try {
    hand = await api.get(`/hands/${id}`);
  } catch (error) {
    if (error.status !== 404 && error.status !== 403) throw error;
    put(root, h("section", { class: "panel narrow" }, h("h1", {}, t("hand.title")), h("p", {}, t("hand.gone")), h("a", { class: "button", href: "/hands" }, t("hand.all"))));
    return undefined;
  }
  await sheets;
  return page(root, hand);
}

function page(root, hand) {
  let money = moneyOf(hand.big_blind), alive = true, review = null;
  const names = Object.fromEntries(hand.seats.map((seat) => [String(seat.seat), seat.name]));
  const beside = h("section", { class: "panel hand-review" });
  const film = replayer(hand, { money: () => money, onstep: (index) => follow(index), equities: () => api.get(`/hands/${hand.id}/equities`) });

  // The decision that belongs to what the felt shows: the last one made.
  function follow(index) {
    if (!review?.select) return;
    const done = hand.steps.slice(0, index + 1).findLast((step) => step.number !== null);
    const item = review.select(done ? done.number : -1, beside.scrollHeight > 0 && matchMedia("(min-width: 861px)").matches);
    if (item && beside.scrollHeight > beside.clientHeight) beside.scrollTop = item.offsetTop - 60;
  }

  function drawReview({ status, decisions }, unready = false) {
    const heading = h("h2", {}, t("hand.review"));
    review = null;
    if (status === "done") {
      review = reviewView({ decisions }, { id: hand.id, game: hand.game, money, names, onselect: (decision) => film.go(hand.steps.findIndex((step) => step.number === decision.step)) });
      put(beside, heading, review);
    } else if (status === "working") put(beside, heading, waiting(t(unready ? "advice.preparing" : "hand.review-working")));
    else if (hand.game !== "holdem" || ownSeat(hand) === null) put(beside, heading, h("p", { class: "muted" }, t("hand.no-review")));
    else put(beside, heading, h("p", {}, t("hand.review-none")), button(t("hand.review-start"), ask, "primary"));
  }

  async function ask() {
    drawReview({ status: "working" });
    try {
      const found = await awaitReview(hand.id, () => alive, (unready) => drawReview({ status: "working" }, unready));
      if (!alive) return;
      hand.review = found;
      drawReview(hand.review);
    } catch (error) {
      toast(error.message, "bad");
      if (alive) drawReview({ status: "none" });
    }
  }

  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target.closest("input, textarea, select, [role=grid], [role=tablist]")) return;
    if (event.key === " " && event.target.closest("button, a, summary")) return;
    if (film.key(event)) event.preventDefault();
  }

  function preferred() {
    money = moneyOf(hand.big_blind);
    film.redraw();
    drawReview(hand.review);
  }

  put(root, h("div", { class: "hand-page" }, head(hand), h("div", { class: "hand-film panel" }, film.element), beside, noteView(hand), recordView(hand)));
  if (hand.review.status === "working") ask(); else drawReview(hand.review);
  neighbours(hand, root.querySelector(".hand-neighbours"));
  document.addEventListener("keydown", key);
  window.addEventListener("preferences", preferred);
  return () => {
    alive = false;
    film.close();
    document.removeEventListener("keydown", key);
    window.removeEventListener("preferences", preferred);
  };
}

function head(hand) {
  const money = moneyOf(hand.big_blind);
  return h("div", { class: "hand-head row spread" },
    h("div", {}, h("h1", {}, t("hand.number", { number: hand.number })),
      h("p", { class: "muted" }, [t(`common.game.${hand.game}`), hand.place, when(hand.finished)].filter(Boolean).join(" · "))),
    h("div", { class: "row hand-cards" }, hand.cards?.length ? cards(hand.cards, { size: "m" }) : null,
      hand.net !== null && hand.net !== undefined && h("span", { class: `big num ${hand.net > 0 ? "good" : hand.net < 0 ? "bad" : ""}` }, money.signed(hand.net))),
    h("nav", { class: "row hand-neighbours", "aria-label": t("hand.neighbours") }));
}

// Links to the hands before and after this one, at the same table or in the same file.
async function neighbours(hand, place) {
  const query = hand.table ? { table: hand.table } : hand.upload ? { upload: hand.upload } : {};
  const link = (row, text) => row && h("a", { class: "button small", href: `/hands/${row.id}` }, text);
  let earlier = null, later = null;
  try {
    [earlier, later] = await Promise.all([
      api.get("/hands", { ...query, until: hand.finished, limit: 1 }).then(({ hands }) => hands[0]),
      api.get("/hands", { ...query, since: hand.finished, limit: 200 }).then(({ hands }) => hands[hands.findIndex((row) => row.id === hand.id) - 1]),
    ]);
  } catch { /* the page is whole without them */ }
  put(place, button(t("share.share"), () => shareDialog(hand.id), "small"), link(earlier, t("hand.previous")), link(later, t("hand.next")), h("a", { class: "button small quiet", href: "/hands" }, t("hand.all")));
}

function noteView(hand) {
  const text = h("textarea", { "aria-label": t("hand.note"), maxlength: 4000, placeholder: t("hand.note-hint") });
  text.value = hand.note ?? "";
  const save = button(t("common.save"), async () => {
    try { await api.put(`/hands/${hand.id}/note`, { text: text.value }); toast(t("hand.note-saved"), "good"); } catch (error) { toast(error.message, "bad"); }
  }, "small");
  return h("section", { class: "panel hand-note stack tight" }, h("h2", {}, t("hand.note")), text, h("div", {}, save));
}

function recordView(hand) {
  const file = URL.createObjectURL(new Blob([hand.phh ?? ""], { type: "text/plain" }));
  const holes = holeCards(hand.game), hands = hand.seats.map((seat) => { const known = split(seat.cards); return known.length ? known : Array(holes).fill("??"); });
  const people = hand.seats.filter((seat) => !seat.agent).map(({ chair }) => chair);
  return h("section", { class: "panel hand-record stack tight" }, h("h2", {}, t("hand.record")),
    h("div", { class: "row" },
      hand.phh && h("a", { class: "button small", href: file, download: `hand-${hand.number}.phh` }, t("hand.download")),
      hand.phh && button(t("hand.copy"), () => copy(hand.phh), "small"),
      hand.reveal && button(t("table.verify"), () => verifyDialog({ hand: hand.id, game: hand.game, people: people.includes(null) ? null : people, commitment: hand.commitment, reveal: hand.reveal, seen: placesOf(hands, split(hand.board), holes) }), "small")),
    hand.phh && h("details", {}, h("summary", {}, t("hand.text")), h("pre", { tabindex: 0 }, hand.phh)));
}
