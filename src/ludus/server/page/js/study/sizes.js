// The bets a spot allows: sizes for each street at a press; per player, donk bets and rules for those who want them.

import { h, put } from "../dom.js";
import { t } from "../i18n.js";
import { field, input, toggle } from "../components/forms.js";

export const STREETS = ["flop", "turn", "river"];
const USUAL = { bet: ["25%", "33%", "50%", "75%", "100%", "150%", "a"], raise: ["50%", "75%", "100%", "2.5x", "3x", "a"] };
const RULES = [["raise_cap", "number"], ["min_bet", "number"], ["add_all_in", "text"], ["force_all_in", "text"], ["merge", "text"]];

const itemsOf = (text) => text.split(/[\s,]+/).filter(Boolean);

// A text of sizes with the usual ones as buttons.
function sizeList(kind, label, value, onchange, invalid) {
  const box = input({ value, maxlength: "200", spellcheck: "false", autocomplete: "off",
    placeholder: t(`study.sizes.none.${kind}`), oninput: (text) => { onchange(text); mark(); } });
  const buttons = (USUAL[kind] ?? USUAL.bet).map((size) => h("button", { type: "button", class: "chip", onclick: () => {
    const items = itemsOf(box.value);
    box.value = (items.includes(size) ? items.filter((item) => item !== size) : [...items, size]).join(", ");
    onchange(box.value);
    mark();
  } }, size === "a" ? t("study.sizes.all-in") : size));
  function mark() {
    const items = itemsOf(box.value.toLowerCase());
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(items.includes((USUAL[kind] ?? USUAL.bet)[at]))));
  }
  mark();
  const element = field(label, box);
  box.after(h("div", { class: "size-chips", role: "group", "aria-label": label }, buttons));
  if (invalid) element.problem(invalid);
  return element;
}

// Sizes as the form holds them: {street: {split: bool, both: {bet, raise, donk}, oop: {...}, ip: {...}}}.
function opened(sizes = {}) {
  const lists = (table = {}) => ({ bet: table.bet ?? "", raise: table.raise ?? "", donk: table.donk ?? "" });
  return Object.fromEntries(STREETS.map((street) => {
    const { oop, ip, ...both } = sizes[street] ?? {};
    return [street, { split: Boolean(oop || ip), both: lists(both), oop: lists({ ...both, ...oop }), ip: lists({ ...both, ...ip }) }];
  }));
}

const used = (table) => Object.values(table).some((text) => text.trim());

function closed(form, streets) {
  const lists = ({ bet, raise, donk }) => ({ bet, raise, ...(donk.trim() ? { donk } : {}) });
  return Object.fromEntries(streets.flatMap((street) => {
    const { split, both, oop, ip } = form[street];
    if (split) return used(oop) || used(ip) ? [[street, { oop: lists(oop), ip: lists({ ...ip, donk: "" }) }]] : [];
    return used(both) ? [[street, lists(both)]] : [];
  }));
}

// spot: as `Spot.to_dict` gives it; onchange() after every change. element.value(cards) -> the keys of a spot; .streets(n).
export function sizeForm(spot, onchange) {
  const form = opened(spot.sizes);
  const rules = Object.fromEntries(RULES.map(([name]) => [name, spot[name] ?? ""]));
  const [, percent = "", cap = ""] = /^([\d.]+)%?(?: cap ([\d.]+))?$/.exec(spot.rake ?? "") ?? [];
  const rake = { percent: Number(percent) ? percent : "", cap };
  const changed = (where, name) => (text) => { where[name] = text; onchange(); };

  const boxes = Object.fromEntries(STREETS.map((street) => [street, h("fieldset", { class: "street-sizes" })]));
  function draw(street) {
    const own = form[street];
    const lists = (who, table) => [
      sizeList("bet", t("study.sizes.bet"), table.bet, changed(table, "bet")),
      sizeList("raise", t("study.sizes.raise"), table.raise, changed(table, "raise")),
      own.split && who !== "ip" ? sizeList("donk", t("study.sizes.donk"), table.donk, changed(table, "donk")) : null,
    ];
    put(boxes[street], h("legend", {}, t(`study.street.${street}`)),
      own.split
        ? ["oop", "ip"].map((who) => h("div", { class: "player-sizes" }, h("h3", {}, t(`study.player.${who}`)), lists(who, own[who])))
        : lists("both", own.both),
      toggle(t("study.sizes.split"), own.split, (value) => {
        own.split = value;
        if (value) for (const who of ["oop", "ip"]) own[who] = { ...own.both, donk: who === "oop" ? own.both.donk : "" };
        else own.both = { ...(used(own.oop) ? own.oop : own.ip) };
        draw(street);
        onchange();
      }));
  }
  STREETS.forEach(draw);

  const rule = ([name, type]) => field(t(`study.rule.${name}`),
    input({ type, value: String(rules[name]).replace(/^0%$/, ""), maxlength: "20", min: type === "number" ? "0" : null,
      oninput: changed(rules, name) }), t(`study.rule.${name}.help`));
  const element = h("div", { class: "stack" },
    h("div", { class: "sizes" }, STREETS.map((street) => boxes[street])),
    h("details", { class: "advanced" }, h("summary", {}, t("study.sizes.advanced")),
      h("div", { class: "rules" }, RULES.map(rule),
        field(t("study.rake.percent"), input({ value: rake.percent, inputmode: "decimal", maxlength: "8", oninput: changed(rake, "percent") }),
          t("study.rake.percent.help")),
        field(t("study.rake.cap"), input({ value: rake.cap, inputmode: "decimal", maxlength: "12", oninput: changed(rake, "cap") }), t("study.rake.cap.help"))),
      h("div", { class: "muted tiny" }, t("study.sizes.language"))));

  element.streets = (cards) => STREETS.forEach((street, at) => { boxes[street].hidden = at + 3 < cards; });
  element.value = (cards) => {
    const content = { sizes: closed(form, STREETS.slice(Math.max(0, cards - 3))) };
    for (const [name, type] of RULES) {
      const text = String(rules[name] ?? "").trim();
      if (text) content[name] = type === "number" ? Number(text) : text;
    }
    if (rake.percent.trim()) content.rake = `${rake.percent.replace("%", "").trim()}%${rake.cap.trim() ? ` cap ${rake.cap.trim()}` : ""}`;
    return content;
  };
  return element;
}
