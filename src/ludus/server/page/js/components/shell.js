// The frame around every page: top bar, toasts, dialogs, stylesheets.

import { session, show } from "../app.js";
import { $, h, put } from "../dom.js";
import { choose, language, LANGUAGES, t } from "../i18n.js";
import { prefer, preferences } from "../preferences.js";

export { preferences } from "../preferences.js";

const PLACES = [ // path, text, other paths that belong to it
  ["/", "shell.play", /^\/$|^\/table/],
  ["/study", "shell.study", /^\/study/],
  ["/drill", "shell.drill", /^\/drill/],
  ["/learn", "shell.learn", /^\/learn|^\/rps/],
  ["/hands", "shell.hands", /^\/hands|^\/uploads/],
  ["/statistics", "shell.statistics", /^\/statistics/],
];
const ICONS = { // 20 x 20, stroked
  auto: "M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14",
  light: "M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M10 1.5v2M10 16.5v2M1.5 10h2M16.5 10h2M4 4l1.4 1.4M14.6 14.6 16 16M4 16l1.4-1.4M14.6 5.4 16 4",
  dark: "M16.5 12A7 7 0 0 1 8 3.5a7 7 0 1 0 8.5 8.5z",
  menu: "M3 5.5h14M3 10h14M3 14.5h14",
  close: "M5 5l10 10M15 5L5 15",
  copy: "M7 7h9v10H7zM4 13V3h9",
  chat: "M3 4.5h14v9H9l-4 3v-3H3z",
  sound: "M3.5 8v4H6l4 3.5v-11L6 8zM13 7.5a3.5 3.5 0 0 1 0 5M15.2 5.2a7 7 0 0 1 0 9.6",
  mute: "M3.5 8v4H6l4 3.5v-11L6 8zM13 8l4 4M17 8l-4 4",
  link: "M8.5 11.5a3 3 0 0 0 4.3 0l3-3a3 3 0 0 0-4.3-4.3l-1 1M11.5 8.5a3 3 0 0 0-4.3 0l-3 3a3 3 0 0 0 4.3 4.3l1-1",
};
const THEMES = ["auto", "light", "dark"];

// A line drawing of 20 px in the colour of the text; see ICONS.
export function icon(name) {
  return h("svg:svg", { viewBox: "0 0 20 20", width: 20, height: 20, fill: "none", stroke: "currentColor", "stroke-width": 1.6,
    "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true" },
  h("svg:path", { d: ICONS[name] }), name === "auto" && h("svg:path", { d: "M10 3a7 7 0 0 0 0 14z", fill: "currentColor", stroke: "none" }));
}

// Draws the top bar for a path; again whenever the person, the language or the theme changes.
export function header({ me } = session, path = location.pathname) {
  const nav = h("nav", { id: "places", "aria-label": t("shell.places") },
    PLACES.map(([to, text, here]) => h("a", { href: to, "aria-current": here.test(path) ? "page" : null }, t(text))));
  const opener = h("button", { type: "button", class: "button quiet icon opener", "aria-label": t("shell.menu"), "aria-expanded": "false", "aria-controls": "places",
    onclick: () => open(!nav.classList.contains("open")) }, icon("menu"));
  const open = (yes) => { nav.classList.toggle("open", yes); opener.setAttribute("aria-expanded", String(yes)); put(opener, icon(yes ? "close" : "menu")); };
  nav.addEventListener("keydown", (event) => { if (event.key === "Escape") { open(false); opener.focus(); } });
  put($("#top"), h("div", { class: "topbar" },
    opener,
    h("a", { class: "brand", href: "/" }, h("img", { src: "/icon.svg", alt: "", width: 26, height: 26 }), t("shell.name")),
    nav,
    h("div", { class: "tools" },
      h("a", { class: "button quiet person", href: "/account", "aria-current": path === "/account" ? "page" : null, title: t("shell.account") }, h("span", {}, me?.name ?? "")),
      languageSwitch(), themeSwitch())));
}

function languageSwitch() {
  const select = h("select", { "aria-label": t("shell.language"), onchange: () => speak(select.value).then(() => $("#top select").focus()) },
    Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, lang: code }, name)));
  select.value = language;
  return h("span", { class: "language", title: t("shell.language") }, h("span", { "aria-hidden": "true" }, language), select);
}

// Another language: texts are fetched, the page is drawn again.
export async function speak(code) {
  await choose(code);
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  await show();
  await prefer({ language: code });
}

function themeSwitch() {
  const name = () => t("shell.theme", { theme: t(`shell.theme.${preferences.theme}`) });
  const button = h("button", { type: "button", class: "button quiet icon", onclick: () => prefer({ theme: THEMES[(THEMES.indexOf(preferences.theme) + 1) % 3] }) });
  const draw = () => { put(button, icon(preferences.theme)); button.setAttribute("aria-label", name()); button.title = name(); };
  draw();
  window.addEventListener("preferences", function update() { if (button.isConnected) draw(); else window.removeEventListener("preferences", update); });
  return button;
}

// A short word at the foot of the page; kind "good" | "bad" | "". Bad news stays longer and can be closed.
export function toast(text, kind = "") {
  const element = h("div", { class: `toast ${kind}`.trim() }, h("span", {}, text),
    h("button", { type: "button", "aria-label": t("shell.close"), onclick: () => element.remove() }, "×"));
  const place = $("#toasts");
  if ([...place.children].some((other) => other.firstChild.textContent === text)) return;
  place.append(element);
  raise(place);
  setTimeout(() => element.remove(), kind === "bad" ? 9000 : 4000);
}

// Above an open dialog, which otherwise lies over everything.
function raise(place) {
  if (place.matches(":popover-open")) place.hidePopover();
  place.popover = document.querySelector("dialog[open]") ? "manual" : null;
  if (place.popover) place.showPopover();
}

// A modal window. body: element(s); actions: [{label, value, kind?, check?()}], check false keeps it open.
// Resolves to the value of the action taken, null when it is closed without one.
export function dialog({ title, body, actions = [{ label: t("shell.close"), value: null, kind: "primary" }], wide = false }) {
  return new Promise((resolve) => {
    let result = null;
    const heading = h("h2", { tabindex: -1, id: `dialog-${Date.now()}` }, title);
    const button = ({ label, value, kind = "", check }, last) => h("button", { type: last ? "submit" : "button", class: `button ${kind}`.trim(),
      onclick: async (event) => { event.preventDefault(); if ((await check?.()) === false) return; result = value; element.close(); } }, label);
    const element = h("dialog", { class: wide ? "wide" : "", "aria-labelledby": heading.id,
      onclose() { element.remove(); resolve(result); },
      onclick(event) { if (event.target === element) element.close(); } },
    h("form", { method: "dialog" }, heading, h("div", { class: "stack" }, body), h("div", { class: "row end" }, actions.map((action, i) => button(action, i === actions.length - 1)))));
    document.body.append(element);
    element.showModal();
    (element.querySelector("[autofocus]") ?? heading).focus();
  });
}

// Something is awaited: a wheel and what for.
export const waiting = (text = t("common.loading")) => h("p", { class: "muted", role: "status" }, h("span", { class: "spinner", "aria-hidden": "true" }), " ", text);

const sheets = new Map();
// Adds /css/<name>.css once; resolves when it is there, so that a page is never seen without it.
export function style(name) {
  if (!sheets.has(name)) sheets.set(name, new Promise((resolve) => {
    document.head.append(h("link", { rel: "stylesheet", href: `/css/${name}.css`, onload: resolve, onerror: resolve }));
  }));
  return sheets.get(name);
}

// Text into the clipboard, with a word about it.
export async function copy(text) {
  try { await navigator.clipboard.writeText(text); toast(t("shell.copied"), "good"); } catch { toast(t("shell.notCopied"), "bad"); }
}
