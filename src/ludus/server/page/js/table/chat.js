// Words between the people at a table, in a window that opens from the line above it. Who does not want them sees none.

import { button, input } from "../components/forms.js";
import { icon } from "../components/shell.js";
import { h, put } from "../dom.js";
import { t } from "../i18n.js";
import { preferences } from "../preferences.js";
import { play } from "./sounds.js";

const MOST = 200; // characters

// send(text) says something. Returns {element, heard(message), draw(view)}.
export function chat(send) {
  const lines = h("ol", { class: "list" }), log = h("div", { class: "chat-lines", role: "log", "aria-label": t("table.chat"), tabindex: 0 }, lines), unread = h("span", { class: "chat-unread", hidden: true });
  const text = input({ maxlength: MOST, autocomplete: "off", "aria-label": t("table.chat.say"), placeholder: t("table.chat.say") });
  const form = h("form", { class: "row", onsubmit: (event) => {
    event.preventDefault();
    if (text.value.trim() && send(text.value.trim())) text.value = "";
  } }, h("div", { class: "grow" }, text), button(t("table.chat.send"), null, "small", { type: "submit" }));
  const element = h("details", { class: "pop chat", hidden: true, ontoggle: () => { if (element.open) { read(); text.focus(); log.scrollTop = log.scrollHeight; } } },
    h("summary", { class: "button quiet small icon", "aria-label": t("table.chat"), title: t("table.chat") }, icon("chat"), unread),
    h("div", { class: "pop-body stack tight" }, log, form));
  let count = 0;

  function read() {
    count = 0;
    unread.hidden = true;
  }

  function heard({ name, text: words, old }) {
    lines.append(h("li", {}, h("b", {}, name), " ", words));
    while (lines.childElementCount > 50) lines.firstElementChild.remove();
    log.scrollTop = log.scrollHeight;
    if (old || element.open || preferences.chat === "off") return;
    count += 1;
    unread.hidden = false;
    put(unread, String(count));
    play("said");
  }

  const draw = (view) => { element.hidden = preferences.chat === "off" || view.you === null || view.config.people < 2; };
  return { element, heard, draw, clear: () => put(lines) };
}
