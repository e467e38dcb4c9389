// One spot on many flops: what each of them makes of it, and the average. Flops are estimated one after the other.

import { api } from "../api.js";
import { go } from "../app.js";
import { h, put } from "../dom.js";
import { has, number, percent, t } from "../i18n.js";
import { cardText } from "../components/card.js";
import { field, segmented, select } from "../components/forms.js";
import { actionText, mixBar, mixLegend } from "../components/mix.js";
import { style, toast } from "../components/shell.js";
import { playerName } from "../study/hands.js";
import { studyTabs } from "../components/study_tabs.js";

const COUNTS = [10, 25, 50];

export async function show(root, _parameters, query) {
  await style("study");
  await style("charts");
  const from = query.get("from");
  const [presets, origin] = await Promise.all([api.get("/spots/presets"), from ? api.get(`/spots/${from}`).catch(() => null) : null]);
  const cards = (spot) => spot.board.replace(/\s/g, "").length / 2, named = (key) => (has(`study.preset.${key}`) ? t(`study.preset.${key}`) : key);
  const spots = [...(origin ? [{ label: origin.name || t("charts.flops.mine"), spot: origin.spot }] : []), ...presets.map(({ key, spot }) => ({ label: named(key), spot }))].filter(({ spot }) => cards(spot) === 3);
  const state = { spot: spots[0].spot, count: COUNTS[0], line: "X", sort: "flop", rows: [], wanted: [] };
  let turn = 0;
  const bar = h("progress", { hidden: true, "aria-label": t("charts.flops.progress") }), place = h("div", { class: "stack" });
  const start = h("button", { type: "button", class: "button primary", onclick: () => run() }, t("charts.flops.start"));
  put(root, h("div", { class: "study" }, h("div", { class: "study-head" }, h("h1", {}, t("charts.flops.title")), h("p", { class: "muted" }, t("charts.flops.lead"))), studyTabs("flops"),
    h("div", { class: "panel row chart-table" },
      field(t("charts.flops.spot"), select(spots.map(({ label }, value) => ({ value, label })), 0, (at) => { state.spot = spots[at].spot; })),
      field(t("charts.flops.count"), segmented(COUNTS.map((value) => ({ value, label: number(value) })), state.count, (value) => { state.count = value; })), start), bar, place));

  async function run() {
    const mine = ++turn;
    Object.assign(state, { rows: [], wanted: [] });
    start.disabled = true;
    try {
      const { spot } = state;
      state.wanted = (await api.post("/flops", { spot, count: state.count })).flops;
      Object.assign(bar, { hidden: false, max: state.wanted.length, value: 0 });
      for (const { flop, times } of state.wanted) {
        const row = await api.post("/flops/row", { spot, flop }).catch((error) => { if (error.status === 422) return null; throw error; }); // a flop that leaves nobody a hand
        if (mine !== turn) return;
        bar.value += 1;
        if (row) { state.rows.push({ ...row, weight: times * row.hands }); draw(); }
      }
    } catch (error) { if (mine === turn) toast(error.message, "bad"); } finally {
      if (mine === turn) { start.disabled = false; bar.hidden = true; }
    }
  }

  const shares = (row) => row.lines[state.line]?.actions ?? [];
  const size = (chips) => percent(chips / state.rows[0].pot);
  const choices = (actions) => actions.map(({ kind, amount, share }) => ({ key: kind, label: actionText({ key: kind, amount: kind === "check" ? null : amount }, size), chance: share }));
  const average = (of) => state.rows.reduce((sum, row) => sum + row.weight * of(row), 0) / state.rows.reduce((sum, row) => sum + row.weight, 0);
  const betting = (row) => shares(row).filter(({ kind }) => kind !== "check").reduce((sum, { share }) => sum + share, 0);
  const SORTS = { flop: (row) => -state.rows.indexOf(row), equity: (row) => row.equity.oop, ev: (row) => row.ev.oop / row.pot, bet: betting };

  function draw() {
    const lines = Object.entries(state.rows[0].lines), rows = [...state.rows].sort((a, b) => SORTS[state.sort](b) - SORTS[state.sort](a));
    const head = (key) => h("th", { scope: "col", class: key === "flop" ? "" : "num", "aria-sort": state.sort === key ? "descending" : null },
      h("button", { type: "button", class: "sorter", onclick: () => { state.sort = key; draw(); } }, t(`charts.flops.column.${key}`)));
    const cells = (equity, ev, actions) => [h("td", { class: "num" }, percent(equity, 1)), h("td", { class: "num" }, percent(ev)),
      h("td", { class: "num" }, percent(actions.filter(({ key }) => key !== "check").reduce((sum, { chance }) => sum + chance, 0))), h("td", { class: "flop-mix" }, mixBar(actions))];
    const mean = shares(state.rows[0]).map((action, at) => ({ ...action, share: average((row) => shares(row)[at]?.share ?? 0) }));
    put(place, h("div", { class: "row spread" },
      segmented(lines.map(([value, { player }]) => ({ value, label: t(value ? "charts.flops.after-check" : "charts.flops.first", { player: playerName(player) }) })), state.line, (value) => { state.line = value; draw(); }, { label: t("charts.flops.who") }),
      mixLegend(choices(mean))),
    h("div", { class: "panel scroll" }, h("table", { class: "figures flop-table" }, h("caption", { class: "visually-hidden" }, t("charts.flops.title")),
      h("thead", {}, h("tr", {}, head("flop"), head("equity"), head("ev"), head("bet"), h("td", {}))),
      h("tbody", {}, h("tr", { class: "mean" }, h("th", { scope: "row" }, t("charts.flops.mean", { count: rows.length })), cells(average((row) => row.equity.oop), average((row) => row.ev.oop / row.pot), choices(mean))),
        rows.map((row) => h("tr", {}, h("th", { scope: "row" }, h("button", { type: "button", class: "sorter", title: t("charts.flops.open"), onclick: () => open(row.flop) }, cardText(row.flop))),
          cells(row.equity.oop, row.ev.oop / row.pot, choices(shares(row)))))))),
    h("p", { class: "muted tiny" }, t("charts.flops.accuracy", { value: number(rows[0].accuracy.value_mean, 1) })));
  }

  // The whole spot on one of the flops, solved exactly.
  async function open(flop) {
    try { await go(`/study/${(await api.post("/spots", { spot: { ...state.spot, board: flop.join(" ") } })).id}`); } catch (error) { toast(error.message, "bad"); }
  }
  return () => { turn += 1; };
}
