// Was the deck fixed before the hand, and dealt as the players' numbers say? The page works it all out again.

import { dialog } from "../components/shell.js";
import { card } from "../components/card.js";
import { h } from "../dom.js";
import { t } from "../i18n.js";
import { check, deckOf } from "./fairness.js";
import { noted, ownSeed } from "./notes.js";

// `people` are the chairs of those in the hand, `seen` the cards that were seen in it: [number in the order of dealing, card].
export function verifyDialog({ hand, game, people, first = null, commitment, reveal, seen }) {
  const before = noted(hand), same = before.commitment === undefined || before.commitment === commitment;
  const found = check({ hand, commitment, deck: deckOf(game), people, first, seeds: before.seeds ?? null, own: ownSeed(before), seen }, reveal);
  const good = found.good && same;
  const line = (ok, text) => h("li", { class: ok ? "ok" : "wrong" }, text);
  const lines = [
    before.commitment !== undefined && line(same, t(!same ? "table.verify.changed" : before.early ? "table.verify.early" : "table.verify.same")),
    !found.whole && line(false, t("table.verify.whole-not")),
    line(found.ordered, t(found.ordered ? "table.verify.order" : "table.verify.order-not")),
    !found.placed && line(false, t("table.verify.button-not")),
    found.extra && line(false, t("table.verify.seeds-extra")),
    found.seeded === null ? h("li", { class: "muted" }, t("table.verify.seed-none")) : line(found.seeded, t(found.seeded ? "table.verify.seed" : "table.verify.seed-not")),
    line(!found.wrong.length, found.wrong.length ? t("table.verify.leaves-wrong", { count: found.wrong.length }) : t("table.verify.leaves", { count: found.opened })),
    found.closed > 0 && line(true, t("table.verify.closed", { count: found.closed })),
    line(!found.twice.length, t(found.twice.length ? "table.verify.twice" : "table.verify.once")),
    line(found.fits, t(found.fits ? "table.verify.fits" : "table.verify.fits-not")),
    line(found.dealt, t(found.dealt ? "table.verify.dealt" : "table.verify.dealt-not")),
  ];
  const deck = found.whole && h("details", {}, h("summary", {}, t("table.verify.deck")), h("ol", { class: "deck-list" }, reveal.cards.map((leaf) =>
    h("li", {}, leaf.card ? card(leaf.card, { size: "s" }) : card("??", { size: "s" }), h("code", {}, leaf.salt ?? t("table.verify.kept")), h("code", {}, leaf.hash)))));
  const body = h("div", { class: "deck-check" },
    h("p", { class: `verdict badge ${good ? "good" : "bad"}` }, t(good ? "table.verify.good" : "table.verify.bad")),
    h("ul", {}, lines), h("p", {}, t("table.verify.commitment"), " ", h("code", { class: "deck-hash" }, commitment)), deck,
    h("h3", {}, t("table.verify.proved")), h("p", {}, t("table.verify.proved-what")),
    h("h3", {}, t("table.verify.unproved")), h("p", {}, t("table.verify.unproved-what")), h("p", { class: "muted" }, t("table.verify.how")));
  return dialog({ title: t("table.verify.title"), body, actions: [{ label: t("shell.close"), value: true, kind: "primary" }] });
}

// The commitment in short; the whole on demand.
export function commitmentView(commitment) {
  return h("details", { class: "pop commitment" },
    h("summary", { class: "button quiet small" }, h("span", { class: "commitment-name" }, t("table.commitment")), h("code", {}, commitment.slice(0, 8))),
    h("div", { class: "pop-body" }, h("p", {}, h("code", { class: "deck-hash" }, commitment)), h("p", { class: "muted" }, t("table.commitment-why"))));
}
