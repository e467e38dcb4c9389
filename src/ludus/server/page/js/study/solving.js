// A spot while it is solved: how far it has come, and how exploitability falls.

import { api, connect } from "../api.js";
import { h, put } from "../dom.js";
import { number, percent, t } from "../i18n.js";
import { lineChart } from "../components/chart.js";

// ondone(info) when it is over, however it ended; onestimate(figures) once there is one. element.stop() ends watching, not solving.
export function solvingPanel(info, ondone, onestimate) {
  const steps = [...(info.progress ?? [])];
  const figures = h("dl", { class: "solve-figures" }), chart = h("div", { class: "solving-chart" });
  const bar = h("progress", { max: "1", "aria-label": t("study.solving.progress") });
  const cancel = h("button", { type: "button", class: "button danger",
    onclick: async () => { cancel.disabled = true; element.stop(); ondone(await api.post(`/spots/${info.id}/cancel`)); } }, t("study.solving.cancel"));
  const element = h("section", { class: "panel stack solving" },
    h("div", { class: "row spread" }, h("h2", {}, h("span", { class: "spinner", "aria-hidden": "true" }), " ",
      h("span", { class: "solving-state" }, t(`study.status.${info.status}`))), cancel),
    bar, figures, chart, h("p", { class: "muted tiny" }, t("study.solving.help")));

  let arrived = performance.now();
  const begun = () => steps.length || info.status === "solving";
  const passed = () => (begun() ? (steps.at(-1)?.seconds ?? 0) + (performance.now() - arrived) / 1000 : 0); // reports may be seconds apart
  const figure = (key, value) => h("div", {}, h("dt", {}, t(`study.solving.${key}`)), h("dd", { class: "num" }, value));
  function count() {
    const last = steps.at(-1), measured = steps.filter((step) => step.percent !== null), now = measured.at(-1)?.percent;
    put(figures, figure("iterations", number(last?.iterations ?? 0)), figure("seconds", t("study.seconds.value", { seconds: number(Math.round(passed())) })),
      figure("exploitability", now === undefined ? "–" : percent(now / 100, now < 1 ? 2 : 1)),
      info.target ? figure("target", percent(info.target / 100, 2)) : null);
    bar.value = portion(measured);
  }
  function draw() {
    const measured = steps.filter((step) => step.percent !== null);
    count();
    if (measured.length > 1) put(chart, lineChart({ series: [{ name: t("study.solving.exploitability"),
      points: measured.map((step) => [step.seconds, step.percent]) },
      ...(info.target ? [{ name: t("study.solving.target"), kind: "dashed",
        points: [[measured[0].seconds, info.target], [measured.at(-1).seconds, info.target]] }] : [])],
    x: t("study.solving.x"), y: t("study.solving.y"), yLog: true, height: 240, label: t("study.solving.chart") }));
    else put(chart, h("p", { class: "empty" }, t("study.solving.first")));
  }
  // Time is certain, the target is a guess: on a log scale exploitability falls about evenly.
  function portion(measured) {
    const byTime = info.seconds ? passed() / info.seconds : 0;
    const fallen = (to) => Math.log(measured[0].percent / to);
    const byTarget = info.target && measured.length > 1 ? fallen(measured.at(-1).percent) / fallen(info.target) : 0;
    return Math.min(1, Math.max(byTime, byTarget, 0.01));
  }
  const socket = connect(`/spots/${info.id}/socket`, { message(data) {
    if (data.type === "progress") {
      if (steps.length && data.iterations <= steps.at(-1).iterations) return; // told again after a lost connection
      steps.push(data);
      arrived = performance.now();
      element.querySelector(".solving-state").textContent = t("study.status.solving");
      draw();
    } else if (data.type === "estimate") onestimate(data.estimate);
    else if (data.type === "done") { element.stop(); ondone(data.info); }
  } });
  draw();
  const clock = setInterval(count, 1000);
  element.stop = () => { clearInterval(clock); socket.close(); };
  return element;
}
