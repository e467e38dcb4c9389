// Was the deck fixed before the hand? The page works out every hash again and says what it found.

import { dialog } from "../components/shell.js";
import { card } from "../components/card.js";
import { h } from "../dom.js";
import { t } from "../i18n.js";
import { check } from "./fairness.js";

// `noted` is the hash this page saw before the first card, where it was there; `dealt` the cards it saw
// during the hand: [place in the deck, card].
export function verifyDialog({ commitment, reveal, noted = null, dealt = null }) {
  const found = check(commitment, reveal), same = noted === null || noted === commitment;
  const fitting = dealt === null || dealt.every(([place, seen]) => reveal.cards[place].card === seen);
  const good = found.good && same && fitting;
  const line = (ok, text) => h("li", { class: ok ? "ok" : "wrong" }, text);
  const lines = [
    noted !== null && line(same, t(same ? "table.verify.same" : "table.verify.changed")),
    line(!found.wrong.length, found.wrong.length ? t("table.verify.leaves-wrong", { count: found.wrong.length }) : t("table.verify.leaves", { count: found.opened })),
    found.closed > 0 && line(true, t("table.verify.closed", { count: found.closed })),
    line(!found.twice.length, t(found.twice.length ? "table.verify.twice" : "table.verify.once")),
    line(found.fits, t(found.fits ? "table.verify.fits" : "table.verify.fits-not")),
    dealt !== null && line(fitting, t(fitting ? "table.verify.dealt" : "table.verify.dealt-not")),
  ];
  const deck = h("details", {}, h("summary", {}, t("table.verify.deck")), h("ol", { class: "deck-list" }, reveal.cards.map((leaf) =>
    h("li", {}, leaf.card ? card(leaf.card, { size: "s" }) : card("??", { size: "s" }), h("code", {}, leaf.salt ?? t("table.verify.kept")), h("code", {}, leaf.hash)))));
  const body = h("div", { class: "deck-check" },
    h("p", { class: `verdict badge ${good ? "good" : "bad"}` }, t(good ? "table.verify.good" : "table.verify.bad")),
    h("ul", {}, lines), h("p", {}, t("table.verify.commitment"), " ", h("code", { class: "deck-hash" }, commitment)), deck,
    h("p", { class: "muted" }, t("table.verify.how")));
  return dialog({ title: t("table.verify.title"), body, actions: [{ label: t("shell.close"), value: true, kind: "primary" }] });
}

// The commitment in short; the whole on demand.
export function commitmentView(commitment) {
  return h("details", { class: "pop commitment" },
    h("summary", { class: "button quiet small" }, h("span", { class: "commitment-name" }, t("table.commitment")), h("code", {}, commitment.slice(0, 8))),
    h("div", { class: "pop-body" }, h("p", {}, h("code", { class: "deck-hash" }, commitment)), h("p", { class: "muted" }, t("table.commitment-why"))));
}
