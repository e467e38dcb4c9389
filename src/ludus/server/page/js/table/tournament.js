// A sit-and-go: the level above the felt, what stacks are worth, places and prizes.

import { h } from "../dom.js";
import { number, percent, t } from "../i18n.js";

const blindsText = ([small, big, ante]) => [t("table.blinds", { small: number(small), big: number(big) }), ante > 0 && t("lobby.anteOf", { ante })].filter(Boolean).join(", ");

// The blinds that hold now take the place of the table's first ones, so that everything counts in them.
export function withLevel(view) {
  if (!view.sit_and_go) return view;
  const [small_blind, big_blind] = view.hand?.blinds ?? view.sit_and_go.blinds;
  return { ...view, config: { ...view.config, small_blind, big_blind } };
}

// "Level 3 · 4 of 6 left · 30/60 in 5 hands"
export function levelText({ sit_and_go: game, config }) {
  if (!game || game.decided) return "";
  const minutes = game.rises && Math.max(1, Math.ceil((game.rises - Date.now() / 1000) / 60));
  const soon = game.hands_left !== null ? t("tournament.next-hands", { blinds: blindsText(game.next), count: game.hands_left })
    : minutes ? t("tournament.next-minutes", { blinds: blindsText(game.next), count: minutes }) : "";
  return [t("tournament.level", { level: game.level + 1 }), t("tournament.left", { left: game.left, players: config.seats }), soon].filter(Boolean).join(" · ");
}

export function placeOf(view) {
  return view.sit_and_go?.places.find(({ chair }) => chair === view.you) ?? null;
}

// "You are 2nd and win 35 % of the prizes."
export function placeSentence(view) {
  const own = placeOf(view);
  return own && t(own.prize ? "tournament.won" : "tournament.out", { place: number(own.place), players: number(view.config.seats), prize: percent(own.prize / 100) });
}

const nameOf = (view, chair) => (chair.chair === view.you ? t("table.you", { name: chair.name }) : chair.name);

// How it ended, in a line or two: "1 Ada (you) 65% 2 Blaise 35% 3 Carl"
export function placesList(view) {
  const among = view.chairs.filter(({ stack }) => stack > 0).length > 1; // AIs, when the last person was out
  return [h("ol", { class: "places" }, view.sit_and_go.places.map(({ chair, place, prize }) =>
    h("li", { class: prize ? "" : "muted" }, h("span", { class: "num" }, number(place)), nameOf(view, view.chairs[chair]), prize > 0 && h("b", { class: "num" }, percent(prize / 100))))),
  among && h("p", { class: "muted tiny" }, t("tournament.by-chips"))];
}

// Places of those who are out, chips and what they are worth of those who are in.
export function standingsTable(view, money) {
  const { places, worth, prizes } = view.sit_and_go, done = new Map(places.map((row) => [row.chair, row]));
  const left = view.chairs.filter(({ chair }) => !done.has(chair)).sort((a, b) => b.stack - a.stack);
  const ahead = ({ stack }) => left.filter((other) => other.stack > stack).length;
  const rows = [...left.map((chair) => ({ chair, now: ahead(chair) + 1, worth: worth[chair.chair] })), ...places.map((row) => ({ ...row, chair: view.chairs[row.chair] }))];
  return h("div", { class: "scroll" }, h("table", { class: "figures standings" },
    h("thead", {}, h("tr", {}, ["tournament.place", "session.player", "session.now", "tournament.worth"].map((key, i) => h("th", { scope: "col", class: i > 1 ? "num" : "" }, t(key))))),
    h("tbody", {}, rows.map((row) => h("tr", { class: row.place && !row.prize ? "muted" : "" },
      h("td", { class: row.place ? "" : "muted" }, number(row.place ?? row.now)), h("th", { scope: "row" }, nameOf(view, row.chair)),
      h("td", { class: "num" }, money(row.chair.stack)),
      h("td", { class: "num" }, row.place ? (row.prize ? t("tournament.prize", { prize: percent(row.prize / 100) }) : "") : percent(row.worth / 100, 1)))))),
  h("p", { class: "muted tiny" }, t("tournament.prizes", { prizes: prizes.map((prize) => percent(prize / 100)).join(", ") }), left.length > 0 && [" ", t("tournament.icm")]));
}
