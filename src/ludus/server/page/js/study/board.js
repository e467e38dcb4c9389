// Picking cards: the deck as 52 buttons, and the board that is made with them.

import { h, put } from "../dom.js";
import { t } from "../i18n.js";
import { card, cardName, RANKS, suitSymbol, SUITS } from "../components/card.js";
import { cardsOf, DECK } from "./hands.js";

// Four rows of thirteen cards. state(card) -> {pressed, disabled, colour, text}; arrows move, Enter or a click picks.
export function deck({ label, state = () => ({}), onpick }) {
  const buttons = Object.fromEntries(DECK.map((name) => [name, h("button", {
    type: "button", class: `deck-card ${name[1]}`, tabindex: "-1", dataset: { card: name },
    "aria-label": cardName(name), onclick: () => onpick(name),
  }, h("span", { class: "deck-rank", "aria-hidden": "true" }, name[0]), suitSymbol(name[1]), h("span", { class: "deck-text" }))]));
  const element = h("div", { class: "deck-scroll" }, h("div", { class: "card-deck", role: "group", "aria-label": label, onkeydown: move },
    DECK.map((name) => buttons[name])));

  function move(event) {
    const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    const at = event.target.dataset?.card;
    if (!steps || !at) return;
    event.preventDefault();
    const row = (SUITS.indexOf(at[1]) + steps[0] + 4) % 4, column = (RANKS.indexOf(at[0]) + steps[1] + 13) % 13;
    const next = buttons[RANKS[column] + SUITS[row]];
    reach(next);
    next.focus();
  }
  function reach(button) {
    for (const other of Object.values(buttons)) other.tabIndex = other === button ? 0 : -1;
  }
  element.update = () => {
    for (const [name, button] of Object.entries(buttons)) {
      const { pressed, disabled, colour, text } = state(name);
      if (pressed !== undefined) button.setAttribute("aria-pressed", String(pressed));
      button.setAttribute("aria-disabled", String(Boolean(disabled)));
      button.style.setProperty("--heat", colour ?? "");
      button.classList.toggle("warm", Boolean(colour));
      button.querySelector(".deck-text").textContent = text ?? "";
    }
  };
  element.update();
  reach(buttons[DECK[0]]);
  return element;
}

// The board of a spot: 3 to 5 cards. onchange(cards) after every change.
export function boardPicker(start, onchange) {
  let board = [...start];
  const slots = h("div", { class: "board-slots" });
  const text = h("input", { type: "text", class: "board-text", "aria-label": t("study.board.text"), spellcheck: "false",
    autocomplete: "off", maxlength: "40", onchange: () => set(cardsOf(tidy(text.value))) });
  const grid = deck({
    label: t("study.board.deck"),
    state: (name) => ({ pressed: board.includes(name), disabled: board.length === 5 && !board.includes(name) }),
    onpick: (name) => {
      if (board.includes(name)) set(board.filter((other) => other !== name));
      else if (board.length < 5) set([...board, name]);
    },
  });
  const random = ["flop", "turn", "river"].map((street, at) => h("button", {
    type: "button", class: "button small quiet", onclick: () => set(dealt(at + 3)),
  }, t(`study.board.random.${street}`)));

  // The cards up to that street: those that are there already stay, but for its own.
  function dealt(count) {
    const kept = count === 3 ? [] : board.slice(0, count - 1);
    while (kept.length < count) {
      const name = DECK[Math.floor(Math.random() * 52)];
      if (!kept.includes(name)) kept.push(name);
    }
    return kept;
  }
  function set(cards, tell = true) {
    board = [...new Set(cards)].slice(0, 5);
    draw();
    if (tell) onchange(board);
  }
  function draw() {
    put(slots, [0, 1, 2, 3, 4].map((at) => (board[at]
      ? h("button", { type: "button", class: "board-slot", "aria-label": t("study.board.remove", { card: cardName(board[at]) }),
        onclick: () => set(board.filter((name) => name !== board[at])) }, card(board[at], { size: "m" }))
      : card("", { size: "m" }))));
    text.value = board.join(" ");
    grid.update();
  }
  draw();
  const element = h("div", { class: "board-picker" },
    h("div", { class: "board-head" }, slots, text), grid,
    h("div", { class: "row board-random" }, h("span", { class: "muted" }, t("study.board.random")), random,
      h("button", { type: "button", class: "button small quiet", onclick: () => set([]) }, t("study.board.clear"))));
  element.set = (cards) => set(cards, false);
  return element;
}

const tidy = (text) => text.replace(/10/g, "T").replace(/([2-9tjqkaTJQKA])\s*([shdcSHDC])/g, (whole, rank, suit) => rank.toUpperCase() + suit.toLowerCase());
