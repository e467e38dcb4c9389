// What one can set at the table: amounts, pace, sounds, chat, one's own sizes of bets.

import { segmented, toggle } from "../components/forms.js";
import { dialog } from "../components/shell.js";
import { h } from "../dom.js";
import { t } from "../i18n.js";
import { prefer, preferences } from "../preferences.js";
import { presetFields } from "./presets.js";
import { play } from "./sounds.js";

export function settings(people) {
  const speeds = ["slow", "normal", "fast", "off"].map((value) => ({ value, label: t(`table.speed.${value}`) }));
  const units = ["bb", "chips"].map((value) => ({ value, label: t(`table.unit.${value}`) }));
  const choice = (name, choices, key, wrap = false) => h("div", { class: "field" }, h("span", { class: "label" }, t(name)),
    segmented(choices, preferences[key], (value) => prefer({ [key]: value }), { label: t(name), wrap }));
  const onOff = (key, help) => toggle(t(`table.${key}`), preferences[key] === "on", (on) => { prefer({ [key]: on ? "on" : "off" }); if (key === "sounds") play("turn"); }, help);
  dialog({
    title: t("table.settings"),
    body: [
      choice("table.amounts", units, "amounts"), choice("table.speed", speeds, "speed", true),
      onOff("skip", t("table.skip.help")), onOff("sounds"), people > 1 && onOff("chat"), presetFields(),
    ],
    actions: [{ label: t("table.done"), value: null, kind: "primary" }],
  });
}
