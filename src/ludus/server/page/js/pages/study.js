// Study: build a spot and send it off, or go back to one of mine.

import { api } from "../api.js";
import { go } from "../app.js";
import { h, put } from "../dom.js";
import { has, t } from "../i18n.js";
import { style } from "../components/shell.js";
import { builder, EMPTY } from "../study/builder.js";
import { savedSpots } from "../study/saved.js";
import { importSpot } from "../study/share.js";
import { studyTabs } from "../components/study_tabs.js";

export async function show(root, _parameters, query) {
  await style("study");
  const from = query.get("from");
  const [presets, origin] = await Promise.all([api.get("/spots/presets").catch(() => []), from ? api.get(`/spots/${from}`).catch(() => null) : null]);

  let form = null, tab = query.has("mine") ? "mine" : "new";
  const count = h("span", { class: "num muted" });
  const saved = savedSpots((n) => { count.textContent = ` ${n}`; });
  const build = h("div", { class: "stack" }), tabs = h("div", { class: "tabs", role: "tablist" });

  function use(spot) {
    form?.stop();
    form = builder(spot, { onsolve: async (wish) => {
      const info = await api.post("/spots", { ...wish, ...(origin ? { parent: origin.id } : {}) });
      await go(`/study/${info.id}`);
    } });
    put(build, ways(), form);
  }
  const start = (label, act) => h("button", { type: "button", class: "button small", onclick: act }, label);
  const presetName = (key) => (has(`study.preset.${key}`) ? t(`study.preset.${key}`) : key);
  function ways() {
    return h("div", { class: "row starts", role: "group", "aria-label": t("study.start-from") }, h("span", { class: "muted" }, t("study.start-from")),
      presets.map(({ key, spot }) => start(presetName(key), () => use(spot))),
      start(t("study.start-empty"), () => use(EMPTY)),
      start(t("study.start-import"), async () => { const spot = await importSpot(); if (spot) use(spot); }));
  }
  function choose(value) {
    tab = value;
    for (const button of tabs.children) button.setAttribute("aria-selected", String(button.dataset.tab === tab));
    build.hidden = tab !== "new";
    saved.hidden = tab !== "mine";
  }
  const tabButton = (key, ...more) => h("button", { type: "button", role: "tab", dataset: { tab: key }, onclick: () => choose(key) },
    t(`study.tab.${key}`), more);
  put(tabs, tabButton("new"), tabButton("mine", count));

  use(origin?.spot ?? presets[0]?.spot ?? EMPTY);
  choose(tab);
  put(root, h("div", { class: "study" }, h("div", { class: "study-head" }, h("h1", {}, t("study.title")),
    h("p", { class: "muted" }, t("study.lead"))), studyTabs("spots"), tabs, build, saved));
  return () => { form?.stop(); saved.stop(); };
}
