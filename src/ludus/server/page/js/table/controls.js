// What the player can do, by mouse, finger and keyboard. Every action is sent once: for its hand and turn.

import { h, put, shortcut } from "../dom.js";
import { t } from "../i18n.js";
import { preferences } from "../preferences.js";
import { unitOf } from "./money.js";
import { presets } from "./presets.js";

// send(action, to) acts. Returns {element, update(view, money), key(event), refused(), take(action)}.
export function controls(send) {
  const element = h("div", { class: "table-controls", role: "group", "aria-label": t("table.controls") });
  let view = null, money = null, amount = 0, sent = null, armed = null, parts = {}, shownTurn = null;

  const legal = () => view?.hand?.legal ?? null;
  const turnKey = () => (view?.hand ? `${view.hand.id}:${view.hand.turn}` : null);
  const clamp = (chips) => Math.max(legal().raise.min, Math.min(legal().raise.max, Math.round(chips)));
  const own = () => view.chairs[view.you];
  const allIn = () => legal()?.raise && legal().raise.max === own().bet + own().stack ? legal().raise.max : null;
  // Raises name all chips of the street. A bet names what it adds: antes lie there too, in games that have them.
  const isRaise = () => legal().call > 0 || (view.config.game === "holdem" && view.hand.street === 0);
  const base = () => (isRaise() ? 0 : own().bet);

  function act(action, to = null) {
    if (!legal() || sent === turnKey()) return;
    sent = turnKey();
    arm(null);
    if (send(view.hand, action, to)) freeze(true);
    else sent = null;
  }

  function freeze(on) {
    for (const each of element.querySelectorAll("button, input")) each.disabled = on;
    element.classList.toggle("sent", on);
  }

  // What a second key press confirms: "raise" or "all-in".
  function arm(wish) {
    const what = wish === "raise" && parts.raise.disabled ? "all-in" : wish;
    armed = what;
    parts.raise?.classList.toggle("armed", what === "raise");
    parts.allIn?.classList.toggle("armed", what === "all-in");
    if (parts.hint) parts.hint.textContent = what === "raise" ? t("table.confirm-raise") : what === "all-in" ? t("table.confirm-all-in") : "";
  }

  function setAmount(chips, from = null) {
    amount = clamp(chips);
    if (parts.slider && from !== parts.slider) parts.slider.value = amount;
    if (parts.field && from !== parts.field) parts.field.value = (amount - base()) / money.scale;
    if (parts.slider) parts.slider.setAttribute("aria-valuetext", money(amount - base()));
    const { min, max } = legal().raise;
    parts.slider?.style.setProperty("--part", `${max > min ? (100 * (amount - min)) / (max - min) : 100}%`);
    const whole = amount === allIn(), twice = whole && Boolean(parts.allIn); // one button for all chips is enough
    parts.raise.disabled = twice;
    put(parts.raise, ...label(whole && !twice ? "all-in" : isRaise() ? "raise" : "bet", amount - base(), "R"));
  }

  const before = () => view.hand.street === 0 && view.config.game === "holdem";
  const sizes = () => presets({ before: before(), top: own().bet + legal().call, base: own().bet + legal().call, pot: legal().pot, ...legal().raise });
  const fraction = (share) => clamp(own().bet + legal().call + share * legal().pot);

  function label(key, chips, letter) {
    const text = h("span", {}, t(`table.do.${key}`)), value = chips !== null && h("span", { class: "num" }, money(chips));
    return [h("span", { class: "what" }, text, value), h("kbd", { "aria-hidden": "true" }, letter)];
  }

  function button(kind, content, onclick) {
    return h("button", { type: "button", class: `button act ${kind}`, onclick }, content);
  }

  function sizer() {
    const { min, max } = legal().raise;
    if (min === max) return null;
    parts.slider = h("input", {
      type: "range", min, max, step: 1, value: amount, class: "bet-slider", "aria-label": t("table.amount"),
      oninput: (event) => setAmount(Number(event.target.value), event.target),
    });
    parts.field = h("input", {
      type: "number", class: "bet-field num", inputmode: "decimal", step: "any", min: (min - base()) / money.scale, max: (max - base()) / money.scale,
      "aria-label": t("table.amount"),
      oninput: (event) => { if (event.target.value !== "") setAmount(Number(event.target.value) * money.scale + base(), event.target); },
      onchange: () => setAmount(amount), onfocus: (event) => event.target.select(),
    });
    const quick = sizes().map(({ label: text, to }, i) => h("button", {
      type: "button", class: "button small quiet", title: t("table.key", { key: i + 1 }), onclick: () => setAmount(to),
    }, text, h("kbd", { "aria-hidden": "true" }, i + 1)));
    return h("div", { class: "bet-sizer" }, h("div", { class: "bet-sizes" }, quick), h("div", { class: "row bet-sizing" }, parts.slider, parts.field));
  }

  function build() {
    const { fold, call, raise } = legal(), stake = Math.min(call, own().stack);
    parts = { hint: h("span", { class: "table-hint", role: "status" }) };
    if (raise) amount = Math.min(raise.max, Math.max(raise.min, defaultRaise()));
    const row = h("div", { class: "acts" });
    if (fold) row.append(button("fold", label("fold", null, "F"), () => act("fold")));
    row.append(button("call", call ? label(stake === own().stack ? "call-all-in" : "call", stake, "C") : label("check", null, "C"), () => act("call")));
    const sizes = raise && sizer();
    if (raise) {
      parts.raise = button("raise", [], () => act("raise", amount));
      row.append(parts.raise);
      if (allIn() && raise.min < raise.max) {
        parts.allIn = button("allin", label("all-in", allIn() - base(), "A"), () => act("raise", allIn()));
        row.append(parts.allIn);
      }
    }
    put(element, sizes, row, parts.hint);
    if (raise) setAmount(amount);
  }

  // Before the flop two and a half blinds or three times the raise; later half the pot.
  function defaultRaise() {
    const top = own().bet + legal().call, blind = unitOf(view.config);
    if (before()) return top <= blind ? Math.round(2.5 * blind) : 3 * top;
    return fraction(0.5);
  }

  function update(next, asMoney) {
    view = next;
    money = asMoney;
    if (!legal()) { parts = {}; armed = null; shownTurn = null; element.classList.remove("sent"); put(element); return false; }
    const key = `${turnKey()}:${money.scale}:${JSON.stringify(preferences.sizes)}`;
    if (shownTurn === key) return true;
    shownTurn = key;
    armed = null;
    element.classList.remove("sent");
    build();
    if (sent === turnKey()) freeze(true);
    return true;
  }

  // The server said no: the player may try again.
  function refused() {
    sent = null;
    freeze(false);
    if (legal()?.raise) setAmount(amount);
  }

  function key(event) {
    if (!legal() || sent === turnKey()) return false;
    const name = shortcut(event), typing = event.target === parts.field;
    const step = (by) => { if (parts.slider) { setAmount(amount + by * unitOf(view.config)); arm("raise"); } };
    if (typing && name === "Escape") { parts.field.blur(); return true; }
    if (typing && name !== "Enter") return false; // letters and digits belong to the field
    if (name === "f" && legal().fold) act("fold");
    else if (name === "c") act("call");
    else if (name === "r" && legal().raise) { if (armed === "raise" || !parts.slider) act("raise", amount); else arm("raise"); }
    else if (name === "a" && allIn()) { if (armed === "all-in") act("raise", allIn()); else arm("all-in"); }
    else if (name === "Enter" && armed === "raise") act("raise", amount);
    else if (name === "Enter" && armed === "all-in") act("raise", allIn());
    else if (name === "Enter" && (typing || event.target === parts.slider)) act("raise", amount);
    else if (name === "Escape" && armed) arm(null);
    else if (/^[1-6]$/.test(name) && parts.slider && sizes()[name - 1]) { setAmount(sizes()[name - 1].to); arm("raise"); }
    else if ((name === "ArrowUp" || name === "ArrowRight") && event.target !== parts.slider) step(1);
    else if ((name === "ArrowDown" || name === "ArrowLeft") && event.target !== parts.slider) step(-1);
    else return false;
    return true;
  }

  // What somebody points at elsewhere, a line of the advice: a raise to so much is set, anything else is shown.
  function take(action) {
    if (!legal() || sent === turnKey()) return;
    const wanted = action < 0 ? ".fold" : action === 0 ? ".call" : action === allIn() ? ".allin" : ".raise";
    if (action > 0 && legal().raise) { setAmount(action); arm(action === allIn() ? "all-in" : "raise"); } else arm(null);
    (element.querySelector(wanted) ?? element.querySelector(".raise"))?.focus();
  }

  return { element, update, key, refused, take };
}
