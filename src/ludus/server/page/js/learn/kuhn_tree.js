// The whole of Kuhn poker as a picture: five ways a hand can end, and the four places where somebody decides.

import { h, put } from "../dom.js";
import { percent, signed, t } from "../i18n.js";

// Where everything stands. A place is a betting so far: c is check or call, r a bet, f a fold. Small screens have it from top to bottom.
const WIDE = { box: "0 0 640 300", at: {
  "": [70, 150], c: [230, 85], r: [230, 225], cr: [390, 125], cc: [560, 45], crf: [560, 100], crc: [560, 150], rf: [560, 205], rc: [560, 265] } };
const TALL = { box: "0 0 320 400", at: {
  "": [160, 34], c: [90, 138], r: [240, 138], cr: [130, 258], cc: [30, 258], crf: [80, 375], crc: [180, 375], rf: [200, 258], rc: [288, 258] } };
const PLAYERS = { "": 0, c: 1, r: 1, cr: 0 };
const ENDS = ["cc", "crf", "crc", "rf", "rc"];
const EDGES = [["", "c", "check"], ["", "r", "bet"], ["c", "cc", "check"], ["c", "cr", "bet"],
  ["r", "rf", "fold"], ["r", "rc", "call"], ["cr", "crf", "fold"], ["cr", "crc", "call"]];

// onselect(line) is told which decision was chosen. update({cards: [first, second], ranks, bets(player, card, line) -> chance, selected}).
export function kuhnTree(onselect) {
  const tall = matchMedia("(max-width: 600px)").matches, { box, at } = tall ? TALL : WIDE;
  const svg = h("svg:svg", { viewBox: box, class: "kuhn-tree", role: "group", "aria-label": t("learn.kuhn.tree") });

  function update({ cards, ranks, bets, selected }) {
    const higher = ranks.indexOf(cards[0]) > ranks.indexOf(cards[1]) ? 1 : -1;
    const won = { cc: higher, crf: -1, crc: 2 * higher, rf: 1, rc: 2 * higher }; // chips for the first player
    const chance = (from, kind) => { const bet = bets(PLAYERS[from], cards[PLAYERS[from]], from); return ["bet", "call"].includes(kind) ? bet : 1 - bet; };
    const focused = svg.contains(document.activeElement) ? document.activeElement.dataset.line : undefined;
    put(svg,
      EDGES.map(([from, to, kind]) => edge(at[from], at[to], kind, chance(from, kind), from === selected, tall)),
      ENDS.map((line) => end(at[line], won[line])),
      Object.entries(PLAYERS).map(([line, who]) => node(line, at[line], who, cards[who], line === selected)));
    if (focused !== undefined) [...svg.querySelectorAll(".node")].find((each) => each.dataset.line === focused)?.focus(); // a drawing anew takes no focus away
  }

  function node(line, [x, y], who, card, chosen) {
    const label = t("learn.kuhn.node", { player: who + 1, card, line: t(`learn.kuhn.line.${line || "start"}`) });
    const choose = () => onselect(line);
    return h("svg:g", { class: `node player-${who}${chosen ? " chosen" : ""}`, dataset: { line }, tabindex: 0, role: "button", "aria-pressed": String(chosen), "aria-label": label,
      onclick: choose, onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); } } },
    h("svg:circle", { cx: x, cy: y, r: 28 }), h("svg:text", { x, y: y - 2, "text-anchor": "middle", class: "who" }, t("learn.kuhn.player", { player: who + 1 })),
    h("svg:text", { x, y: y + 15, "text-anchor": "middle", class: "held" }, card));
  }

  return { element: svg, update };
}

function end([x, y], won) {
  return h("svg:g", { class: "end" }, h("svg:rect", { x: x - 24, y: y - 15, width: 48, height: 30, rx: 5 }),
    h("svg:text", { x, y: y + 5, "text-anchor": "middle", class: won > 0 ? "good" : "bad" }, signed(won, 0)));
}

function edge([x, y], [toX, toY], kind, chance, lit, tall) {
  const [middleX, middleY] = tall ? [x + 0.56 * (toX - x), y + 0.56 * (toY - y)] : [(x + toX) / 2, (y + toY) / 2 + (toY < y ? -9 : 17)];
  const words = [t(`learn.kuhn.${kind}`), percent(chance)];
  return h("svg:g", { class: `edge ${kind}${lit ? " lit" : ""}` },
    h("svg:line", { x1: x, y1: y, x2: toX, y2: toY, "stroke-width": (1 + 6 * chance).toFixed(1) }),
    tall ? words.map((word, row) => h("svg:text", { x: middleX, y: middleY + 13 * row, "text-anchor": "middle" }, word))
      : h("svg:text", { x: middleX, y: middleY, "text-anchor": "middle" }, words.join(" ")));
}
