// A hand that somebody shares: its replay, for everybody who has the link.

import { api } from "../api.js";
import { button } from "../components/forms.js";
import { replayer } from "../components/replay.js";
import { copy, style } from "../components/shell.js";
import { h, put } from "../dom.js";
import { t, when } from "../i18n.js";
import { moneyOf } from "../table/money.js";

export async function show(root, { id }) {
  const sheets = Promise.all(["table", "hand", "showdown"].map(style));
  let hand;
  try {
    hand = await api.get(`/shared/${id}`);
  } catch (error) {
    if (error.status !== 404) throw error;
    put(root, h("section", { class: "panel narrow" }, h("h1", {}, t("share.title")), h("p", {}, t("share.gone")), h("a", { class: "button", href: "/" }, t("table.lobby"))));
    return undefined;
  }
  await sheets;
  const money = () => moneyOf(hand.big_blind);
  const film = replayer(hand, { money, equities: () => api.get(`/shared/${id}/equities`) });
  const key = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || event.target.closest("input, select, button, a")) return;
    if (film.key(event)) event.preventDefault();
  };
  put(root, h("div", { class: "hand-page shared" },
    h("div", { class: "hand-head row spread" },
      h("div", {}, h("h1", {}, t("share.heading")), h("p", { class: "muted" }, [t(`common.game.${hand.game}`), t("table.seats", { count: hand.seats.length }), when(hand.finished)].join(" · "))),
      h("div", { class: "row" }, button(t("share.copy"), () => copy(location.href), "small"), h("a", { class: "button small primary", href: "/" }, t("share.play")))),
    h("div", { class: "hand-film panel" }, film.element)));
  document.addEventListener("keydown", key);
  window.addEventListener("preferences", film.redraw);
  return () => {
    film.close();
    document.removeEventListener("keydown", key);
    window.removeEventListener("preferences", film.redraw);
  };
}
