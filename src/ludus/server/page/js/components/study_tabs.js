// The parts of the study, as links above each of them.

import { h } from "../dom.js";
import { t } from "../i18n.js";

const PARTS = { spots: "/study", charts: "/study/charts", flops: "/study/flops" };

export const studyTabs = (current) => h("nav", { class: "tabs", "aria-label": t("charts.parts") },
  Object.entries(PARTS).map(([name, to]) => h("a", { href: to, "aria-current": name === current ? "page" : null }, t(`charts.part.${name}`))));
