// What happens, in short sentences for whoever listens instead of looking.

import { cardName } from "../components/card.js";
import { t } from "../i18n.js";

export const spokenCards = (cards) => cards.filter((card) => card !== "??").map(cardName).join(", ");

export function eventSentence(event, view, money) {
  const chair = view.chairs[event.chair], name = chair && (event.chair === view.you ? t("table.say.you") : chair.name);
  const mine = event.chair === view.you ? "you-" : "";
  if (event.kind === "hand") return t("table.say.hand", { number: view.hand?.number ?? 0 });
  if (event.kind === "deal") {
    const own = spokenCards(view.chairs[view.you]?.cards ?? []);
    return own && t("table.say.cards", { cards: own });
  }
  if (event.kind === "act") return t(`table.say.${mine}${event.action}`, { name, amount: money(event.to ?? event.amount ?? 0), paid: money(event.amount ?? event.to ?? 0) });
  if (event.kind === "street") return t("table.say.board", { cards: spokenCards(event.cards) });
  if (event.kind === "show") return t(`table.say.${mine}show`, { name, cards: spokenCards(event.cards ?? []) });
  return "";
}

// "Your turn: call 9, raise 15 to 200, or fold."
export function turnSentence(view, money) {
  const legal = view.hand?.legal;
  if (!legal) return "";
  const ways = [legal.call ? t("table.say.may-call", { amount: money(legal.call) }) : t("table.say.may-check")];
  if (legal.raise) {
    const bet = !legal.call && (view.config.game !== "holdem" || view.hand.street > 0), base = bet ? view.chairs[view.you].bet : 0;
    const [min, max] = [money(legal.raise.min - base), money(legal.raise.max - base)], word = bet ? "bet" : "raise";
    ways.push(min === max ? t(`table.say.may-${word}-one`, { amount: max }) : t(`table.say.may-${word}`, { min, max }));
  }
  if (legal.fold) ways.push(t("table.say.may-fold"));
  return t("table.say.turn", { pot: money(view.hand.pot), ways: ways.join(", ") });
}
