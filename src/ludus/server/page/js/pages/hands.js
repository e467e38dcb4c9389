// Every hand one has played or uploaded, with filters in the address.

import { api } from "../api.js";
import { style } from "../components/shell.js";
import { h, put } from "../dom.js";
import { t } from "../i18n.js";
import { anything, asked, filters, gameChoices, placeChoices } from "../hands/filters.js";
import { GRADES, handRow } from "../hands/row.js";
import { uploader } from "../hands/uploader.js";

const PAGE = 50;

export async function show(root, parameters, query) {
  await style("hands");
  const list = h("ol", { class: "hand-list" });
  const foot = h("div", { class: "more-hands", role: "status" });
  const exports = h("div", { class: "row exports" });
  const names = new Set();
  let cursor = null, loading = 0, now = query;

  async function load(fresh) {
    const mine = ++loading;
    if (fresh) { cursor = null; put(exports, exportLinks(now)); }
    put(foot, h("span", { class: "spinner", "aria-label": t("hands.loading") }));
    let answer;
    try {
      answer = await api.get("/hands", asked(now, cursor ? { limit: PAGE, before: cursor } : { limit: PAGE }));
    } catch (error) {
      if (mine === loading) put(foot, h("p", { class: "bad" }, error.message), again());
      return;
    }
    if (mine !== loading) return;
    if (fresh) put(list);
    list.append(...answer.hands.map(handRow));
    for (const row of answer.hands) row.opponents.forEach((name) => names.add(name));
    put(root.querySelector("#opponents"), [...names].map((value) => h("option", { value })));
    cursor = answer.next;
    exports.hidden = !list.childElementCount;
    put(foot, cursor ? again() : list.childElementCount ? h("p", { class: "muted" }, t("hands.end", { count: list.childElementCount })) : empty(now));
  }

  const again = () => h("button", { type: "button", class: "button", onclick: () => load(false) }, t("hands.more"));
  const watcher = new IntersectionObserver(([entry]) => {
    if (entry.isIntersecting && cursor && foot.querySelector("button")) load(false);
  }, { rootMargin: "600px" });
  watcher.observe(foot);

  put(root,
    h("datalist", { id: "opponents" }),
    h("div", { class: "page-head" }, h("h1", {}, t("shell.hands")), exports),
    filters({ fields: fields(), chips: ["table", "upload"], query, onchange: (changed) => { now = changed; load(true); } }),
    uploader(),
    h("section", { "aria-label": t("shell.hands") }, list, foot));
  await load(true);
  return () => { watcher.disconnect(); loading++; };
}

function fields() {
  const yesNo = anything([["true", t("common.yes")], ["false", t("common.no")]]);
  return [
    { name: "text", label: t("hands.filter.text"), type: "search", placeholder: t("hands.filter.text.help") },
    { name: "game", label: t("lobby.game"), choices: gameChoices() },
    { name: "result", label: t("hands.filter.result"), choices: anything(["won", "lost", "split"].map((key) => [key, t(`hands.result.${key}`)])) },
    { name: "place", label: t("statistics.place.column"), choices: placeChoices() },
    { name: "graded", label: t("hands.filter.graded"), choices: anything(GRADES.slice(2).map((key) => [key, t(`hands.graded.${key}`)])) },
    { name: "showdown", label: t("hands.filter.showdown"), choices: yesNo },
    { name: "noted", label: t("hands.filter.noted"), choices: yesNo },
    { name: "opponent", label: t("lobby.opponent"), type: "search", list: "opponents" },
    { name: "since", label: t("hands.filter.since"), type: "date" },
    { name: "until", label: t("hands.filter.until"), type: "date" },
  ];
}

function exportLinks(query) {
  const wanted = asked(query).toString(), tail = wanted ? `?${wanted}` : "";
  return [["phhs", t("hands.export.phh")], ["txt", t("hands.export.text")], ["csv", t("hands.export.csv")]].map(([kind, text]) =>
    h("a", { class: "button quiet small", href: `/api/hands.${kind}${tail}`, download: "" }, text));
}

function empty(query) {
  if (query.size) return h("div", { class: "empty" }, h("p", {}, t("hands.nothing")));
  return h("div", { class: "empty" }, h("p", {}, t("hands.empty")), h("a", { class: "button primary", href: "/" }, t("hands.play")));
}
