// How one has played: what it brought, how sure that is, in which manner, and where decisions lose.

import { api } from "../api.js";
import { lineChart } from "../components/chart.js";
import { style } from "../components/shell.js";
import { h, put } from "../dom.js";
import { number, percent, signed, t, when } from "../i18n.js";
import { anything, asked, filters, gameChoices, periodChoices, placeChoices } from "../hands/filters.js";
import { intervalTable, inWords, known } from "../hands/intervals.js";
import { gradeBar } from "../hands/row.js";
import { leakTables, worstDecisions } from "../hands/leaks.js";
import { learnt } from "../hands/learnt.js";
import { manner, opponents } from "../hands/playing_style.js";
import { ratingPanel } from "../hands/rating.js";

const SMALL = 2000; // hands below which luck speaks loudest

export async function show(root, parameters, query) {
  await style("statistics");
  await style("hands");
  const body = h("div", { class: "stack" });
  const bar = h("div", {});
  let turn = 0;

  async function load(now) {
    const mine = ++turn;
    body.classList.add("stale");
    body.setAttribute("aria-busy", "true");
    try {
      const found = await api.get("/statistics", asked(now));
      if (mine !== turn) return null;
      put(body, found.hands ? figures(found, now) : empty(now));
      return found;
    } catch (error) {
      if (mine === turn) put(body, h("p", { class: "bad panel" }, error.message));
      return null;
    } finally {
      body.classList.remove("stale");
      body.removeAttribute("aria-busy");
    }
  }

  const memory = h("div", {});
  put(root, h("h1", {}, t("shell.statistics")), bar, body, memory);
  api.get("/learnt").then((found) => put(memory, learnt(found)), () => {}); // the page is whole without it
  const [found, all] = await Promise.all([load(query), query.size ? api.get("/statistics").catch(() => null) : null]);
  const whole = all ?? found;
  if (whole && (whole.hands || query.size)) put(bar, filters({ fields: fields(whole), chips: ["upload"], query, onchange: load }));
  return () => { turn++; };
}

function fields({ choices }) {
  const table = ({ id, game, hands, last }) => [id, [t(`common.game.${game}`), t("statistics.table", { count: hands }), when(last)].join(", ")];
  return [
    { name: "period", label: t("statistics.filter.period"), choices: periodChoices() },
    { name: "game", label: t("lobby.game"), choices: gameChoices(choices.games) },
    { name: "opponent", label: t("lobby.opponent"), choices: anything(choices.opponents.map((name) => [name, name])) },
    { name: "place", label: t("statistics.place.column"), choices: placeChoices(choices.places) },
    { name: "table", label: t("table.title"), choices: anything(choices.tables.map(table)) },
    { name: "since", label: t("hands.filter.since"), type: "date" },
    { name: "until", label: t("hands.filter.until"), type: "date" },
  ];
}

function empty(query) {
  return h("section", { class: "panel empty" },
    h("p", {}, t(query.size ? "hands.nothing" : "statistics.empty")),
    query.size ? null : h("a", { class: "button primary", href: "/" }, t("hands.play")));
}

function figures(found, query) {
  return [
    warning(found),
    headline(found),
    h("section", { class: "panel" }, h("h2", {}, t("statistics.curve")), curve(found), h("p", { class: "muted tiny" }, t("statistics.curve.how"))),
    h("div", { class: "halves" },
      h("section", { class: "panel" }, h("h2", {}, t("statistics.place")), h("p", { class: "muted tiny" }, t("statistics.place.how")),
        intervalTable(found.by_place.map((row) => ({ ...row, label: row.key, interval: row.bb100, href: handsOf(query, { place: row.key }) })),
          t("statistics.place"), t("statistics.place.column"))),
      h("section", { class: "panel" }, h("h2", {}, t("statistics.street")), h("p", { class: "muted tiny" }, t("statistics.street.how")),
        intervalTable(found.by_street.map((row) => ({ ...row, label: streetName(row.key, found, query), interval: row.bb100 })), t("statistics.street"), t("statistics.street.column")))),
    manner(found.style, found.by_place),
    ratingPanel(found.ratings),
    grades(found),
    found.opponents.length ? opponents(found.opponents, (name) => handsOf(query, { opponent: name })) : null,
    exports(query),
  ];
}

// Small games have rounds, hold'em has streets.
function streetName(key, { choices }, query) {
  const games = query.get("game") ? [query.get("game")] : choices.games;
  return t(games.length && !games.includes("holdem") ? `hands.round.${key}` : `review.street.${key}`);
}

function handsOf(query, also) {
  const wanted = new URLSearchParams([...query].filter(([name]) => name !== "period"));
  const since = asked(query).get("since");
  if (query.get("period") && since) wanted.set("since", new Date(since).toLocaleDateString("sv"));
  for (const [name, value] of Object.entries(also)) wanted.set(name, value);
  return `/hands?${wanted}`;
}

function warning({ hands, bb100 }) {
  if (hands >= SMALL) return null;
  const half = known(bb100?.low) ? (bb100.high - bb100.low) / 2 : null;
  return h("p", { class: "note warn" }, half === null || bb100.too_few ? t("statistics.few", { count: hands })
    : t("statistics.small", { count: hands, half: number(half, 0) }));
}

function headline(found) {
  const { hands, won, tied, lost, bb100, adjusted } = found;
  const tile = (name, value, note, kind = "") => h("div", { class: `panel tile ${kind}` },
    h("h2", {}, name), h("p", { class: "big num" }, value), note && h("p", { class: "muted tiny" }, note));
  const tone = (interval) => (!known(interval?.low) || interval.too_few ? "" : interval.low > 0 ? "up" : interval.high < 0 ? "down" : "");
  const sure = (interval) => (!known(interval?.low) ? null
    : t(`statistics.sure.${interval.too_few ? "toofew" : interval.low > 0 ? "up" : interval.high < 0 ? "down" : "open"}`, { low: signed(interval.low), high: signed(interval.high) }));
  const plain = (interval) => inWords({ ...interval, too_few: false }); // the note below says so
  return h("section", { class: "stack", "aria-label": t("statistics.headline") },
    h("div", { class: "tiles" },
      tile(t("shell.hands"), number(hands), t("statistics.wtl", { won: percent(won / hands), tied: percent(tied / hands, 1), lost: percent(lost / hands) })),
      tile(t("statistics.bb100"), plain(bb100), sure(bb100), tone(bb100)),
      tile(t("statistics.adjusted"), plain(adjusted), found.pending ? t("statistics.pending", { count: found.pending }) : sure(adjusted), tone(adjusted))),
    h("details", { class: "explain" }, h("summary", {}, t("statistics.explain")),
      ["statistics.explain.bb100", "statistics.explain.interval", "statistics.explain.adjusted", "statistics.explain.limits"].map((key) => h("p", {}, t(key)))));
}

function curve({ curve: points }) {
  const line = (name, key, kind) => ({ name, kind, points: points.map((point) => [point.hand, point[key]]) });
  return lineChart({
    series: [line(t("statistics.curve.adjusted"), "adjusted", "dashed"), line(t("statistics.curve.total"), "total", "")], // the band is the first one's
    band: points.filter((point) => known(point.low)).map((point) => [point.hand, point.low, point.high]),
    x: t("shell.hands"), y: t("statistics.curve.y"), label: t("statistics.curve"), yFormat: (value) => number(value, value && Math.abs(value) < 10 ? 1 : 0),
  });
}

function grades({ grades: found }) {
  if (!found.decisions) return h("section", { class: "panel" }, h("h2", {}, t("statistics.grades")), h("p", { class: "muted" }, t("statistics.grades.none")));
  return h("section", { class: "panel" }, h("h2", {}, t("statistics.grades")),
    h("p", {}, t("statistics.grades.loss", { loss: inWords(found.loss_per_100, 1, number), count: found.decisions, hands: found.hands })),
    gradeBar(found.counts), leakTables(found.leaks),
    found.worst.length ? h("details", { class: "costliest" }, h("summary", {}, t("upload.worst")), worstDecisions(found.worst)) : null,
    h("p", { class: "muted tiny" }, t("statistics.grades.how"), " ", h("a", { href: "/hands?graded=mistake" }, t("statistics.grades.see"))));
}

function exports(query) {
  const wanted = asked(query).toString(), tail = wanted ? `?${wanted}` : "";
  return h("section", { class: "panel" }, h("h2", {}, t("statistics.export")), h("p", { class: "muted tiny" }, t("statistics.export.how")),
    h("div", { class: "row" }, [["phhs", "phh"], ["txt", "text"], ["csv", "csv"]].map(([kind, name]) => h("a", { class: "button", href: `/api/hands.${kind}${tail}`, download: "" }, t(`hands.export.${name}`)))));
}
