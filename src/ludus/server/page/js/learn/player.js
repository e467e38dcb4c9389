// Play, pause, step and speed for a row of frames; the figure itself is drawn by onframe(index).

import { h, put } from "../dom.js";
import { t } from "../i18n.js";

const SPEEDS = [["slow", 700], ["medium", 220], ["fast", 60]]; // milliseconds a frame
const SHAPES = { play: "M4 2l10 6-10 6z", pause: "M4 2h3v12H4zM9 2h3v12H9z", back: "M12 2L5 8l7 6zM3 2h2v12H3z", step: "M4 2l7 6-7 6zM11 2h2v12h-2z" };

const icon = (name) => h("svg:svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" }, h("svg:path", { d: SHAPES[name], fill: "currentColor" }));

export function player({ onframe, caption }) {
  let count = 0, at = 0, timer = null, wait = SPEEDS[1][1];
  const range = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": t("learn.player.position"), oninput: () => { pause(); to(Number(range.value)); } });
  const text = h("output", { class: "num player-text" });
  const key = (name, label, onclick) => h("button", { type: "button", class: "button small", "aria-label": label, title: label, onclick }, icon(name));
  const toggle = key("play", t("learn.player.play"), () => (timer === null ? play() : pause()));
  const speed = h("select", { "aria-label": t("learn.player.speed"), onchange: () => { wait = Number(speed.value); if (timer !== null) { pause(); play(); } } },
    SPEEDS.map(([name, value]) => h("option", { value, selected: value === wait }, t(`learn.player.${name}`))));

  function to(index) {
    at = Math.max(0, Math.min(count - 1, index));
    range.value = at;
    text.textContent = caption(at);
    range.setAttribute("aria-valuetext", text.textContent);
    onframe(at);
  }

  function play() {
    if (at >= count - 1) to(0);
    timer = setInterval(() => { to(at + 1); if (at >= count - 1) pause(); }, wait);
    dress();
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    dress();
  }

  function dress() {
    const label = t(timer === null ? "learn.player.play" : "learn.player.pause");
    put(toggle, icon(timer === null ? "play" : "pause"));
    toggle.setAttribute("aria-label", label);
    toggle.title = label;
  }

  const element = h("div", { class: "player", role: "group", "aria-label": t("learn.player.title") },
    key("back", t("learn.player.back"), () => { pause(); to(at - 1); }), toggle,
    key("step", t("learn.player.step"), () => { pause(); to(at + 1); }), range, speed, text);
  return {
    element,
    stop: pause,
    // New frames; begins at one of them, and plays when the reader has nothing against motion.
    load(frames, start = 0, run = false) {
      pause();
      count = frames;
      range.max = Math.max(0, frames - 1);
      to(start);
      if (run && !matchMedia("(prefers-reduced-motion: reduce)").matches) play();
    },
  };
}
