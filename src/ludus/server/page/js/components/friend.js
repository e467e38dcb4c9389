// A table for two people: one click, and the link stands there to be passed on.

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { icon } from "./shell.js";

export const friendButton = (start) => h("button", { type: "button", class: "button friend", onclick: start },
  icon("link"), h("b", {}, t("session.friend")), h("span", { class: "muted" }, t("session.friend.help")));
