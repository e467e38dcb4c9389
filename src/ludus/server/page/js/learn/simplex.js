// A triangle in which every point is a mix of three moves: the corners are the pure ones, the middle is a third each.

import { h, put } from "../dom.js";
import { percent, t } from "../i18n.js";

const WIDE = 320, HIGH = 292, EDGE = 34;
const CORNERS = [[WIDE / 2, EDGE], [EDGE, HIGH - EDGE], [WIDE - EDGE, HIGH - EDGE]]; // rock on top, paper left, scissors right
const place = (mix) => [0, 1].map((axis) => mix.reduce((sum, share, move) => sum + share * CORNERS[move][axis], 0));
const path = (mixes) => mixes.map((mix, index) => `${index ? "L" : "M"}${place(mix).map((value) => value.toFixed(1)).join(" ")}`).join("");

export function simplex(names) {
  const trail = h("svg:path", { class: "trail", fill: "none" });
  const jumps = h("svg:path", { class: "jumps", fill: "none" });
  const now = h("svg:circle", { class: "now", r: 6 });
  const mean = h("svg:circle", { class: "mean", r: 7 });
  const aim = h("svg:path", { class: "aim", d: "M-7 0H7M0 -7V7" });
  const thirds = [[[2 / 3, 1 / 3, 0], [2 / 3, 0, 1 / 3]], [[1 / 3, 2 / 3, 0], [0, 2 / 3, 1 / 3]], [[1 / 3, 0, 2 / 3], [0, 1 / 3, 2 / 3]],
    [[1 / 3, 2 / 3, 0], [1 / 3, 0, 2 / 3]], [[2 / 3, 1 / 3, 0], [0, 1 / 3, 2 / 3]], [[2 / 3, 0, 1 / 3], [0, 2 / 3, 1 / 3]]];
  const element = h("svg:svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "simplex", role: "img", "aria-label": t("learn.rps.triangle") },
    thirds.map((ends) => h("svg:path", { class: "grid-line", d: path(ends) })),
    h("svg:path", { class: "frame", d: `${path([[1, 0, 0], [0, 1, 0], [0, 0, 1]])}Z` }),
    names.map((name, move) => h("svg:text", { x: CORNERS[move][0], y: CORNERS[move][1] + (move ? 24 : -14), "text-anchor": "middle" }, name)),
    jumps, trail, aim, now, mean);

  function move(circle, mix) {
    const [x, y] = place(mix);
    circle.setAttribute("cx", x.toFixed(1));
    circle.setAttribute("cy", y.toFixed(1));
  }

  return {
    element,
    // The points so far, the last one being now; the target is drawn when it is known.
    show(points, target) {
      const last = points.at(-1);
      trail.setAttribute("d", path(points.map((point) => point.average)));
      jumps.setAttribute("d", path(points.slice(-12).map((point) => point.mix)));
      move(now, last.mix);
      move(mean, last.average);
      aim.toggleAttribute("hidden", !target);
      aim.style.display = target ? "" : "none";
      if (target) aim.setAttribute("transform", `translate(${place(target).join(" ")})`);
      element.setAttribute("aria-label", `${t("learn.rps.triangle")}: ${names.map((name, index) => `${name} ${percent(last.average[index], 1)}`).join(", ")}`);
    },
  };
}

// Three labelled bars for a mix, in the order of the names; .update(mix) moves them.
export function mixBars(names, label) {
  const rows = names.map((name, move) => {
    const bar = h("span", { class: `fill move-${move}` }), figure = h("span", { class: "num" });
    return { bar, figure, element: h("div", { class: "mix-line" }, h("span", {}, name), h("span", { class: "track", "aria-hidden": "true" }, bar), figure) };
  });
  return {
    element: h("div", { class: "mix-lines", role: "group", "aria-label": label }, label && h("p", { class: "mix-label" }, label), rows.map((row) => row.element)),
    update(mix) {
      mix.forEach((share, move) => { rows[move].bar.style.width = `${100 * share}%`; put(rows[move].figure, percent(share, 1)); });
    },
  };
}
