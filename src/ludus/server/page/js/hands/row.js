// One finished hand in a list: cards, board, who, what it brought, grade, note.

import { api } from "../api.js";
import { card, split } from "../components/card.js";
import { gradeBadge } from "../components/review.js";
import { toast } from "../components/shell.js";
import { h, put } from "../dom.js";
import { number, percent, signed, t, when } from "../i18n.js";

export const GRADES = ["best", "fine", "inaccuracy", "mistake", "blunder"];
const BOARD_CARDS = { holdem: 5, "leduc-nl": 1, leduc: 1, kuhn: 0 };

export const blinds = (row, chips) => chips / (row.big_blind || 1);

export function money(value, digits = 1) {
  return h("span", { class: `num ${value > 0.0001 ? "good" : value < -0.0001 ? "bad" : ""}` }, signed(value, digits));
}

export function handRow(row) {
  const own = split(row.cards), board = split(row.board), net = blinds(row, row.net);
  const small = (list) => list.map((name) => card(name, { size: "s" }));
  const places = BOARD_CARDS[row.game] ?? 5;
  const noteBox = h("div", { class: "note-box" });
  const element = h("li", { class: "hand-row" },
    h("a", { class: "hand-open", href: `/hands/${row.id}`, "aria-label": spoken(row, net) },
      h("span", { class: "own" }, own.length ? small(own) : small(Array(row.game === "holdem" ? 2 : 1).fill("??"))),
      h("span", { class: "board" }, board.length ? small(board) : places ? h("span", { class: "muted no-board" }, t("hands.noboard")) : null),
      h("span", { class: "about" },
        h("span", { class: "who" }, h("strong", {}, row.place || "–"), " ", t("hands.against", { names: row.opponents.join(", ") })),
        h("span", { class: "muted when" }, [when(row.finished), row.game === "holdem" ? null : t(`common.game.${row.game}`),
          row.upload ? t("hands.uploaded") : null].filter(Boolean).join(" · "))),
      h("span", { class: "grade-cell" }, row.grade ? gradeBadge(row.grade) : null),
      h("span", { class: "result" }, money(net), h("span", { class: "unit muted" }, " ", t("table.unit.bb")),
        row.adjusted !== null && row.adjusted !== undefined && Math.abs(row.adjusted - row.net) > 0.005 * row.big_blind
          ? h("span", { class: "muted luck", title: t("hands.adjusted.how") }, t("hands.adjusted", { value: signed(blinds(row, row.adjusted)) })) : null)),
    noteBox);
  showNote(noteBox, row);
  return element;
}

function spoken(row, net) {
  return t("hands.row", {
    cards: split(row.cards).join(" ") || t("hands.hidden"), place: row.place, names: row.opponents.join(", "),
    result: signed(net), when: when(row.finished),
  }) + (row.grade ? `, ${t(`review.grade.${row.grade}`)}` : "");
}

function showNote(box, row) {
  const edit = h("button", {
    type: "button", class: `button quiet small note-button${row.note ? " written" : ""}`, onclick: () => editNote(box, row),
    "aria-label": row.note ? t("hands.note.change") : t("hands.note.write"), title: row.note ? t("hands.note.change") : t("hands.note.write"),
  }, pencil());
  put(box, row.note ? h("p", { class: "note-text" }, row.note) : null, edit);
  return edit;
}

function editNote(box, row) {
  const area = h("textarea", { rows: 3, maxlength: 5000, "aria-label": t("hands.note.label"), value: row.note ?? "" });
  const back = () => showNote(box, row).focus();
  const save = async (event) => {
    event.preventDefault();
    try {
      await api.put(`/hands/${row.id}/note`, { text: area.value.trim() });
      row.note = area.value.trim() || null;
      back();
    } catch (error) { toast(error.message, "bad"); }
  };
  put(box, h("form", { class: "note-form", onsubmit: save, onkeydown: (event) => { if (event.key === "Escape") back(); } }, area,
    h("div", { class: "row" }, h("button", { class: "button primary small" }, t("common.save")),
      h("button", { type: "button", class: "button quiet small", onclick: back }, t("common.cancel")))));
  area.focus();
}

function pencil() {
  return h("svg:svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" },
    h("svg:path", { d: "M2 14l1-4 8-8 3 3-8 8-4 1zM9.5 3.5l3 3", fill: "none", stroke: "currentColor", "stroke-width": "1.3", "stroke-linejoin": "round" }));
}

// The bar of how many decisions have each grade, with its legend in words.
export function gradeBar(counts) {
  const total = GRADES.reduce((sum, grade) => sum + (counts[grade] ?? 0), 0);
  if (!total) return h("p", { class: "muted" }, t("hands.grade.none"));
  const share = (grade) => (counts[grade] ?? 0) / total;
  return h("div", { class: "grade-bar" },
    h("div", { class: "grade-strip", "aria-hidden": "true" }, GRADES.filter(share).map((grade) =>
      h("span", { class: grade, style: { flexGrow: share(grade) } }))),
    h("ul", { class: "grade-legend" }, GRADES.map((grade) => h("li", {}, h("span", { class: `dot ${grade}`, "aria-hidden": "true" }),
      t(`review.grade.${grade}`), " ", h("span", { class: "num" }, number(counts[grade] ?? 0)),
      h("span", { class: "muted" }, ` (${percent(share(grade), share(grade) < 0.01 ? 1 : 0)})`)))));
}
