// Locks: fix what a player does at a node, for all hands or some, and solve the rest again.

import { h, put } from "../dom.js";
import { number, percent, t } from "../i18n.js";
import { actionText } from "../components/mix.js";
import { segmented, toggle } from "../components/forms.js";
import { rangePainter } from "./painter.js";
import { anyCard, hasCards } from "./walk.js";

const lineText = (line) => line || t("study.path.start");
const WORDS = { X: "check", F: "fold", C: "call" };
const wordText = (word) => (WORDS[word] ? t(`common.action.${WORDS[word]}`) : t("study.lock.to", { amount: number(Number(word.slice(1))) }));
const lockText = ({ line, play, hands }) => t("study.lock.text", { line: lineText(line),
  play: Object.entries(play).filter(([, share]) => share > 0).map(([word, share]) => `${wordText(word)} ${percent(share, 1)}`).join(", "),
  hands: !hands || hands === "random" ? t("study.lock.all") : hands });

const sameHands = (a, b) => a.line === b.line && (a.hands ?? "random") === (b.hands ?? "random");

// Shares in percent that always make a hundred: what one takes, the others give in proportion, but those that are held.
function balanced(shares, moved, value, held) {
  const sum = (some) => some.reduce((total, at) => total + shares[at], 0);
  const free = [...shares.keys()].filter((at) => at !== moved && !held.includes(at));
  const room = 100 - sum(held), own = Math.min(value, room), rest = sum(free), left = room - own;
  return shares.map((share, at) => (at === moved ? own : held.includes(at) ? share : rest > 0 ? (share * left) / rest : left / free.length));
}

// onsolve(locks) sends the spot off with all of them. element.update(view, info, selected class).
export function lockPanel({ onsolve }) {
  let view = null, info = null, picked = null, shares = [], typed = [], scope = "all", anywhere = true, painter = null, pending = [];
  const element = h("div", { class: "stack lock-panel" });
  const sliders = h("div", { class: "lock-sliders" }), chosen = h("div", {}), list = h("ul", { class: "list lock-list" });

  function drawSliders() {
    put(sliders, view.phrases.map((phrase, at) => {
      const range = h("input", { type: "range", min: "0", max: "100", step: "1", "aria-label": actionText(phrase) });
      const box = h("input", { type: "number", min: "0", max: "100", step: "1", "aria-label": t("study.lock.percent", { action: actionText(phrase) }) });
      const move = (value, typing = typed.includes(at)) => {
        typed = typed.filter((other) => other !== at);
        if (typed.length === shares.length - 1) typed.shift(); // one at least must give: the one typed first
        shares = balanced(shares, at, Math.max(0, Math.min(100, value || 0)), typed);
        if (typing) typed.push(at);
        show();
      };
      range.addEventListener("input", () => move(Number(range.value)));
      box.addEventListener("change", () => move(Number(box.value), true));
      return h("div", { class: "lock-row" }, h("span", {}, actionText(phrase)), range, box, h("span", { class: "muted" }, "%"));
    }));
    show();
  }
  function show() {
    [...sliders.children].forEach((row, at) => {
      const [range, box] = row.querySelectorAll("input");
      range.value = shares[at];
      if (document.activeElement !== box || Number(box.value) !== shares[at]) box.value = number(Math.round(10 * shares[at]) / 10).replace(",", ".");
    });
  }
  function drawScope() {
    if (scope !== "some") { put(chosen); return; }
    painter ??= rangePainter({ label: t("study.lock.hands"), text: picked ?? "", choosing: true });
    put(chosen, painter);
  }
  function add() {
    const whole = shares.map((share) => Math.round(share * 100) / 1e4);
    whole[whole.indexOf(Math.max(...whole))] += 1 - whole.reduce((sum, share) => sum + share, 0); // exactly one in all
    const lock = { line: anywhere ? anyCard(view.line) : view.line,
      play: Object.fromEntries(view.actions.map((word, at) => [word, Number(whole[at].toFixed(6))])) };
    if (scope === "some") {
      if (!painter?.text) return;
      lock.hands = painter.text;
    }
    pending = [...pending.filter((other) => !sameHands(other, lock)), lock];
    drawList();
  }
  const keptLocks = () => (info.spot.lock ?? []).filter((lock) => !pending.some((other) => sameHands(other, lock)));
  function drawList() {
    const kept = keptLocks();
    const item = (lock, off, fresh) => h("li", { class: "row spread" },
      h("span", { class: "tiny" }, fresh ? h("span", { class: "badge warn" }, t("study.lock.new")) : null, " ", lockText(lock)),
      off ? h("button", { type: "button", class: "button small quiet", onclick: off }, t("study.lock.drop")) : null);
    const drop = (lock) => () => { pending = pending.filter((other) => other !== lock); drawList(); };
    put(list, kept.map((lock) => item(lock, null)), pending.map((lock) => item(lock, drop(lock), true)));
    list.hidden = !kept.length && !pending.length;
    solve.disabled = !pending.length;
  }
  const solve = h("button", { type: "button", class: "button primary", onclick: async () => {
    solve.disabled = true;
    try { await onsolve([...keptLocks(), ...pending]); } finally { solve.disabled = !pending.length; }
  } }, t("study.lock.solve"));

  element.update = (next, spot, selected) => {
    const moved = view?.line !== next.line;
    [view, info, picked] = [next, spot, selected];
    if (view.kind !== "decision") { put(element, h("p", { class: "empty" }, t("study.lock.nobody"))); return; }
    if (!moved && element.childElementCount > 1) return;
    shares = view.frequencies.map((chance) => 100 * (chance ?? 1 / view.frequencies.length));
    typed = [];
    painter = null;
    drawSliders();
    drawScope();
    drawList();
    put(element, h("p", { class: "tiny muted" }, t("study.lock.help")), sliders,
      segmented(["all", "some"].map((value) => ({ value, label: t(`study.lock.scope.${value}`) })), scope,
        (value) => { scope = value; drawScope(); }, { label: t("study.lock.whose") }), chosen,
      hasCards(view.line) ? toggle(t("study.lock.any-card"), anywhere, (value) => { anywhere = value; }) : null,
      h("div", { class: "row" }, h("button", { type: "button", class: "button", onclick: add }, t("study.lock.add"))), list, solve);
  };
  return element;
}
