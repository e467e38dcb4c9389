// How drills have gone: figures, the curve, and by theme.

import { h, put } from "../dom.js";
import { has, number, t } from "../i18n.js";
import { lineChart } from "../components/chart.js";
import { shown } from "./summary.js";

export const themeName = (key) => (has(`drill.theme.${key}`) ? t(`drill.theme.${key}`) : key);
const lossText = (value) => shown(value, (loss) => number(loss, 2));

// The line above a question: this sitting's streak and mean loss beside those of all time.
export function scoreBar() {
  const element = h("dl", { class: "drill-score", "aria-live": "off" });
  const figure = (key, value) => h("div", {}, h("dt", {}, t(`drill.score.${key}`)), h("dd", { class: "num" }, value));
  element.update = (score, sitting) => {
    const mean = sitting.length ? sitting.reduce((sum, loss) => sum + loss, 0) / sitting.length : null;
    put(element, figure("streak", number(score?.streak ?? 0)), figure("answered", number(score?.answered ?? 0)), figure("mean", lossText(score?.loss_per_answer)), figure("now", lossText(mean)));
  };
  return element;
}

export function scorePanel() {
  const element = h("section", { class: "panel drill-history" });
  element.update = (score) => {
    const curve = score?.curve ?? [],
      line = (key) => ({ name: t(`drill.curve.${key}`), points: curve.map((point) => [point.answered, point[key]]), kind: key === "loss" ? "" : "thin" });
    put(element, h("h2", {}, t("drill.history")),
      curve.length > 2 ? lineChart({ series: [line("loss"), line("recent")], x: t("drill.curve.x"), y: t("drill.curve.y"), height: 200,
        label: t("drill.curve") }) : h("p", { class: "muted" }, t("drill.history.empty")),
      score?.by_theme?.length ? h("table", { class: "drill-themes-table" }, h("caption", { class: "visually-hidden" }, t("drill.by-theme")),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("drill.themes")), h("th", { scope: "col", class: "num" }, t("drill.score.answered")),
          h("th", { scope: "col", class: "num" }, t("drill.score.mean")))),
        h("tbody", {}, score.by_theme.map((row) => h("tr", {}, h("th", { scope: "row" }, themeName(row.theme)),
          h("td", { class: "num" }, number(row.answered)), h("td", { class: "num" }, lossText(row.loss_per_answer)))))) : null);
  };
  return element;
}
