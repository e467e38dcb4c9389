// A file of hands from elsewhere: how far its review is, and the report.

import { api } from "../api.js";
import { go } from "../app.js";
import { dialog, style, toast } from "../components/shell.js";
import { h, put } from "../dom.js";
import { number, t } from "../i18n.js";
import { inWords } from "../hands/intervals.js";
import { leakTables, worstDecisions } from "../hands/leaks.js";
import { gradeBar, handRow } from "../hands/row.js";

const WAIT = 1200; // milliseconds between looks

export async function show(root, { id }) {
  await style("hands");
  await style("statistics");
  const head = h("div", { class: "upload-head" }), body = h("div", { class: "stack" });
  let timer = null, ended = false, drawn = "";

  async function look() {
    let upload;
    try { upload = await api.get(`/uploads/${id}`); } catch (error) {
      if (!drawn) throw error;
      if (!ended) timer = setTimeout(look, 4 * WAIT); // the server may be back in a moment
      return;
    }
    if (ended) return;
    const working = !["done", "failed"].includes(upload.status);
    put(head, progress(upload, working));
    const stage = `${upload.status} ${working ? Math.floor(10 * (upload.done / (upload.total || 1))) : ""}`;
    if (stage !== drawn) put(body, report(upload, working));
    drawn = stage;
    if (working) timer = setTimeout(look, WAIT);
  }

  const title = h("h1", {});
  put(root, h("p", {}, h("a", { href: "/hands" }, t("hand.all"))), title, head, body);
  const first = await api.get(`/uploads/${id}`);
  title.textContent = first.name || t("hands.upload.unnamed");
  await look();
  return () => { ended = true; clearTimeout(timer); };
}

function progress(upload, working) {
  const state = t(`upload.status.${upload.status}`);
  if (!working) return h("p", { class: "muted" }, [upload.hero && t("upload.hero", { name: upload.hero }), state].filter(Boolean).join(" · "));
  const far = upload.total ? ` ${t("upload.progress", { done: upload.done, total: upload.total })}` : "";
  return h("section", { class: "panel", role: "status" }, h("p", {}, h("span", { class: "spinner" }), " ", state, far),
    h("progress", { max: upload.total || 1, value: upload.total ? upload.done : undefined, "aria-label": state }));
}

function report(upload, working) {
  const { report: found, problems, more_problems: more } = upload, many = problems.length + more;
  const decisions = found?.summary.decisions;
  return [
    upload.status === "failed" ? h("p", { class: "note warn" }, upload.error ?? t("upload.failed")) : null,
    decisions ? h("section", { class: "panel" }, h("h2", {}, t("upload.report")), figures(found.summary), gradeBar(found.summary.grades), leakTables(found.leaks),
      h("p", {}, h("a", { href: `/statistics?upload=${upload.id}` }, t("upload.statistics")))) : null,
    upload.read > upload.limit ? h("p", { class: "note warn" }, t("upload.limited", { limit: upload.limit, read: upload.read })) : null,
    !working && !decisions && upload.status === "done" ? h("p", { class: "note warn" }, t("upload.nodecisions")) : null,
    found?.worst.length ? h("section", { class: "panel" }, h("h2", {}, t("upload.worst")), worstDecisions(found.worst)) : null,
    many ? h("details", { class: "panel", open: many < 6 }, h("summary", {}, t("upload.problems", { count: many })),
      h("ul", { class: "list" }, problems.map(({ hand, why }) => h("li", {}, h("strong", {}, hand), " ", why)),
        more ? h("li", { class: "muted" }, t("upload.problems.more", { count: more })) : null)) : null,
    upload.hands.length ? h("section", {}, h("h2", {}, t("upload.hands", { count: upload.mine })), upload.read > upload.mine && h("p", { class: "muted" }, t("upload.others", { name: upload.hero, read: upload.read, mine: upload.mine })), h("ol", { class: "hand-list" }, upload.hands.map(handRow)),
      h("div", { class: "more-hands" }, h("a", { class: "button", href: `/hands?upload=${upload.id}` }, t("upload.all")))) : null,
    working ? null : h("p", {}, h("button", { type: "button", class: "button danger small", onclick: () => remove(upload) }, t("upload.delete"))),
  ];
}

function figures(found) {
  return h("dl", { class: "manner" }, [
    ["hands", number(found.hands)], ["decisions", number(found.decisions)], ["loss", inWords(found.loss_per_100, 1, number)],
  ].map(([key, value]) => h("div", {}, h("dt", {}, t(`upload.figure.${key}`)), h("dd", { class: "big num" }, value),
    h("dd", { class: "muted tiny" }, t(`upload.figure.${key}.how`)))));
}

async function remove(upload) {
  const sure = await dialog({ title: t("upload.delete"), body: t("upload.delete.sure", { name: upload.name }), actions: [
    { value: false, label: t("common.cancel"), kind: "quiet" }, { value: true, label: t("common.delete"), kind: "danger" }] });
  if (!sure) return;
  try { await api.delete(`/uploads/${upload.id}`); await go("/hands", true); } catch (error) { toast(error.message, "bad"); }
}
