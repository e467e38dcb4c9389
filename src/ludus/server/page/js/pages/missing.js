// There is no such page.

import { h, put } from "../dom.js";
import { t } from "../i18n.js";

export function show(root) {
  put(root, h("section", { class: "panel narrow stack" }, h("h1", {}, t("shell.missing")), h("p", {}, t("shell.missing.why", { path: location.pathname })),
    h("p", {}, h("a", { class: "button primary", href: "/" }, t("shell.missing.home")))));
}
