// The list of my spots: state, name, and what can be done with each.

import { api } from "../api.js";
import { h, put } from "../dom.js";
import { number, t, when } from "../i18n.js";
import { cardText } from "../components/card.js";
import { dialog, toast } from "../components/shell.js";
import { cardsOf } from "./hands.js";

export const KINDS = { waiting: "", solving: "warn", solved: "good", failed: "bad", cancelled: "" };
export const isOver = (info) => !["waiting", "solving"].includes(info.status);
export const statusBadge = (info) => h("span", { class: `badge ${KINDS[info.status] ?? ""}` }, t(`study.status.${info.status}`));
export const accuracy = (info) => info.summary?.percent ?? info.progress?.findLast((step) => step.percent !== null)?.percent ?? null;
export const titleOf = (info) => info.name || t("study.untitled", { board: cardsOf(info.spot.board).join(" ") });

export async function rename(info) {
  const box = h("input", { type: "text", value: info.name, maxlength: "80", "aria-label": t("study.name") });
  setTimeout(() => box.select());
  const chosen = await dialog({ title: t("study.rename"), body: box, actions: [
    { label: t("study.cancel"), value: null }, { label: t("study.save"), value: "save", kind: "primary" }] });
  if (chosen !== "save") return null;
  const answer = await api.patch(`/spots/${info.id}`, { name: box.value.trim() });
  toast(t("study.saved"), "good");
  return answer;
}

export async function remove(info) {
  const chosen = await dialog({ title: t("study.delete.title"), body: h("p", {}, t("study.delete.sure", { name: titleOf(info) })), actions: [
    { label: t("study.cancel"), value: null }, { label: t("study.delete"), value: "delete", kind: "danger" }] });
  if (chosen !== "delete") return false;
  await api.delete(`/spots/${info.id}`);
  return true;
}

// element.load() reads the list anew; oncount(n) tells how many there are.
export function savedSpots(oncount) {
  const list = h("ul", { class: "list saved" }), filter = h("input",
    { type: "search", placeholder: t("study.list.search"), "aria-label": t("study.list.search"), oninput: () => draw() });
  const element = h("section", { class: "panel" }, filter, list);
  let spots = [], timer = null, gone = false;

  async function load() {
    clearTimeout(timer);
    const answer = await api.get("/spots");
    if (gone) return;
    spots = answer.sort((one, two) => two.created.localeCompare(one.created));
    oncount?.(spots.length);
    draw();
    if (spots.some((info) => !isOver(info))) timer = setTimeout(load, 2500);
  }
  function draw() {
    const wanted = filter.value.trim().toLowerCase();
    const words = ({ name, spot }) => [name, spot.board, cardsOf(spot.board).join("")].join(" ").toLowerCase();
    const shown = spots.filter((info) => words(info).includes(wanted));
    filter.hidden = spots.length < 6;
    put(list, shown.length ? shown.map(row) : h("li", { class: "empty" }, spots.length ? t("study.list.none-found") : t("study.list.empty")));
  }
  function row(info) {
    const percent = accuracy(info);
    return h("li", { class: "saved-row" },
      h("a", { class: "saved-link", href: `/study/${info.id}` },
        h("span", { class: "saved-name" }, titleOf(info)),
        h("span", { class: "saved-facts muted" }, cardText(cardsOf(info.spot.board)),
          h("span", { class: "num" }, t("study.list.chips", { pot: info.spot.pot, stack: info.spot.stack })),
          info.spot.lock?.length ? h("span", { class: "badge" }, t("study.list.locks", { count: info.spot.lock.length })) : null,
          h("span", {}, when(info.created)))),
      h("span", { class: "saved-state" }, percent !== null ? h("span", { class: "num muted" },
        t("study.percent-of-pot", { percent: number(percent, 2) })) : null, statusBadge(info)),
      h("span", { class: "saved-tools" },
        h("button", { type: "button", class: "button small quiet", "aria-label": t("study.rename.of", { name: titleOf(info) }),
          onclick: async () => { if (await rename(info)) load(); } }, t("study.rename")),
        h("a", { class: "button small quiet", href: `/study?from=${info.id}` }, t("study.edit")),
        h("button", { type: "button", class: "button small quiet", "aria-label": t("study.delete.of", { name: titleOf(info) }),
          onclick: async () => { if (await remove(info)) load(); } }, t("study.delete"))));
  }
  element.load = load;
  element.stop = () => { gone = true; clearTimeout(timer); };
  load();
  return element;
}

