// Two solutions side by side: at the same line, how much more often, and how much more is won.

import { api } from "../api.js";
import { h, put } from "../dom.js";
import { number, percent, signed, t } from "../i18n.js";
import { actionText } from "../components/mix.js";
import { select } from "../components/forms.js";
import { playerName } from "./hands.js";
import { differenceCells } from "./heat.js";
import { titleOf } from "./saved.js";
import { chipDigits, shown } from "./summary.js";

const SAME = ["board", "pot", "stack"]; // what must agree for lines to mean the same

// Hands that hardly ever come here differ by chance: they would drown the others.
function counted(rows) {
  const most = Math.max(0, ...Object.values(rows).map((row) => row.reach));
  return Object.keys(rows).filter((name) => rows[name].reach >= 0.02 * most);
}

// onchoose(id | null) picks the other solution. element.update({view, other, otherInfo, problem, player}); .difference(view, other).
export function comparePanel({ onchoose, ondifference }) {
  let measure = "ev", mine = null;
  const element = h("div", { class: "stack compare" });

  async function choices(info) {
    mine ??= api.get("/spots").catch(() => []);
    const alike = (spot) => SAME.every((key) => String(spot[key]) === String(info.spot[key]));
    return (await mine).filter((other) => other.id !== info.id && other.status === "solved" && alike(other.spot));
  }

  // {class: number} for a player: EV in chips or the frequency of an action that both have.
  function values(view, other, player) {
    const one = view.classes?.[player] ?? {}, two = other.classes?.[player] ?? {};
    const at = view.actions?.indexOf(measure) ?? -1, there = other.actions?.indexOf(measure) ?? -1;
    const read = (row, index) => (measure === "ev" ? row?.ev : row?.strategy?.[index]) ?? null;
    return Object.fromEntries(counted(one).map((name) => [name, read(one[name], at), read(two[name], there)])
      .filter(([, a, b]) => a !== null && b !== null).map(([name, a, b]) => [name, b - a]));
  }
  element.difference = (view, other) => ({
    cells: (player) => {
      const found = values(view, other, player);
      if (measure === "ev") return differenceCells(found, Math.min(chipDigits(view.pot), 1));
      return differenceCells(Object.fromEntries(Object.entries(found).map(([name, share]) => [name, 100 * share])), 0);
    },
    legend: (player) => h("div", { class: "row spread" },
      h("div", { class: "heat-scale two tiny muted" }, h("span", {}, t("study.compare.less")), h("i", { "aria-hidden": "true" }),
        h("span", {}, t("study.compare.more"))), picker(view, other, player)),
  });
  function picker(view, other, player) {
    const common = player === view.player ? view.actions.filter((word) => other.actions?.includes(word)) : [];
    if (measure !== "ev" && !common.includes(measure)) measure = "ev";
    return select([{ value: "ev", label: t("study.compare.ev") },
      ...common.map((word) => ({ value: word, label: t("study.compare.often", { action: actionText(view.phrases[view.actions.indexOf(word)]) }) }))],
      measure, (value) => { measure = value; ondifference(); }, t("study.compare.what"));
  }

  element.update = async ({ info, view, other, otherInfo, problem, player }) => {
    const list = await choices(info);
    const options = [{ value: "", label: t("study.compare.choose") }, ...list.map((spot) => ({ value: spot.id, label: titleOf(spot) }))];
    if (otherInfo && !list.some((spot) => spot.id === otherInfo.id)) options.push({ value: otherInfo.id, label: titleOf(otherInfo) });
    put(element, h("p", { class: "tiny muted" }, t("study.compare.help")),
      select(options, otherInfo?.id ?? "", (value) => onchoose(value || null), t("study.compare.choose")),
      !list.length && !otherInfo ? h("p", { class: "empty" }, t("study.compare.none")) : null,
      problem ? h("p", { class: "note warn" }, problem) : null,
      other && view.kind === "decision" ? [actions(view, other), worth(view, other), gains(view, other, player)] : null);
  };

  function actions(view, other) {
    const rows = [...new Set([...view.actions, ...(other.actions ?? [])])].map((word) => {
      const at = view.actions.indexOf(word), there = (other.actions ?? []).indexOf(word);
      const [a, b] = [view.frequencies[at] ?? null, other.frequencies?.[there] ?? null];
      return h("tr", {}, h("th", { scope: "row" }, actionText(at < 0 ? other.phrases[there] : view.phrases[at])),
        h("td", { class: "num" }, shown(a, (value) => percent(value, 1))), h("td", { class: "num" }, shown(b, (value) => percent(value, 1))),
        h("td", { class: "num" }, a === null || b === null ? "–" : t("study.points", { points: signed(100 * (b - a), 1) })));
    });
    return table(t("study.compare.actions"), rows);
  }
  function worth(view, other) {
    const digits = chipDigits(view.pot);
    return table(t("study.compare.worth"), ["oop", "ip"].map((who) => {
      const [a, b] = [view.ev?.[who] ?? null, other.ev?.[who] ?? null];
      return h("tr", {}, h("th", { scope: "row" }, playerName(who)), h("td", { class: "num" }, shown(a, (value) => number(value, digits))),
        h("td", { class: "num" }, shown(b, (value) => number(value, digits))),
        h("td", { class: "num" }, a === null || b === null ? "–" : signed(b - a, digits)));
    }));
  }
  const table = (caption, rows) => h("table", { class: "dense" }, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, h("td", {}), ["this", "other",
      "difference"].map((key) => h("th", { scope: "col", class: "num" }, t(`study.compare.${key}`))))), h("tbody", {}, rows));

  // The classes that gain and lose most.
  function gains(view, other, player) {
    const one = view.classes?.[player] ?? {}, two = other.classes?.[player] ?? {}, digits = chipDigits(view.pot);
    const found = counted(one).map((name) => [name, one[name].ev, two[name]?.ev]).filter(([, a, b]) => typeof a === "number" && typeof b === "number")
      .map(([name, a, b]) => [name, b - a]).sort((x, y) => y[1] - x[1]);
    const side = (key, rows) => h("div", {}, h("h4", {}, t(`study.compare.${key}`, { who: playerName(player) })),
      h("ol", { class: "gains" }, rows.map(([name, gain]) => h("li", {}, h("span", {}, name), h("span", { class: "num" }, signed(gain, digits))))));
    return h("div", { class: "gain-sides" }, side("gain", found.filter(([, gain]) => gain > 0).slice(0, 8)),
      side("lose", found.filter(([, gain]) => gain < 0).reverse().slice(0, 8)));
  }
  return element;
}
