// Charts as SVG, drawn for the width at hand, each with a table for those who do not see it.

import { h, put } from "../dom.js";
import { number, t } from "../i18n.js";

const LEFT = 52, RIGHT = 12, TOP = 10, BOTTOM = 36;
const seriesColour = (series, i) => series.colour ?? `var(--series-${i % 6})`;

// Round steps of 1, 2 or 5 times a power of ten: at most about `count` of them within [low, high].
export function ticks(low, high, count = 5) {
  const rough = (high - low || 1) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.75);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

function logTicks(low, high) {
  const powers = [];
  for (let power = Math.ceil(Math.log10(low) - 1e-9); power <= Math.floor(Math.log10(high) + 1e-9); power++) powers.push(10 ** power);
  return powers.length >= 2 ? powers : ticks(low, high, 4);
}

// A scale from data to pixels.
function scale([low, high], [from, to], log) {
  const f = log ? Math.log10 : (v) => v, a = f(low), b = f(high);
  return (value) => from + ((f(value) - a) / (b - a || 1)) * (to - from);
}

function extent(values, { zero, pad = 0 } = {}) {
  let low = Infinity, high = -Infinity;
  for (const value of values) if (Number.isFinite(value)) { low = Math.min(low, value); high = Math.max(high, value); }
  if (low > high) [low, high] = [0, 1];
  if (zero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  if (low === high) [low, high] = [low - 1, high + 1];
  const room = (high - low) * pad;
  return [low === 0 && zero ? 0 : low - room, high === 0 && zero ? 0 : high + room];
}

// Draws again whenever the width changes.
function responsive(element, draw) {
  let width = 0;
  new ResizeObserver(([entry]) => {
    const now = Math.round(entry.contentRect.width);
    if (now && now !== width) { width = now; draw(now); }
  }).observe(element);
}

const svg = (name, attributes, ...children) => h(`svg:${name}`, attributes, ...children);
const path = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

function axes({ width, height, xs, ys, x, y, xTicks, yTicks, xFormat, yFormat }) {
  return [
    yTicks.map((tick) => [
      svg("line", { class: tick === 0 ? "zero" : "gridline", x1: LEFT, x2: width - RIGHT, y1: ys(tick), y2: ys(tick) }),
      svg("text", { x: LEFT - 7, y: ys(tick) + 4, "text-anchor": "end" }, yFormat(tick)),
    ]),
    xTicks.map((tick) => svg("text", { x: xs(tick), y: height - BOTTOM + 16, "text-anchor": "middle" }, xFormat(tick))),
    x && svg("text", { x: (LEFT + width - RIGHT) / 2, y: height - 3, "text-anchor": "middle" }, x),
    y && svg("text", { transform: `translate(11 ${(TOP + height - BOTTOM) / 2}) rotate(-90)`, "text-anchor": "middle" }, y),
  ];
}

const legend = (series) =>
  series.length > 1 && h("ul", { class: "legend", "aria-hidden": "true" }, series.map((one, i) => h("li", {}, h("i", { style: { background: seriesColour(one, i) } }), one.name)));

function table(caption, head, rows) {
  return h("div", { class: "visually-hidden" }, h("table", {}, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, head.map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, rows.map(([first, ...rest]) => h("tr", {}, h("th", { scope: "row" }, first), rest.map((text) => h("td", {}, text)))))));
}

// series: [{name, points: [[x, y]...], kind?: "" | "dashed" | "thin" | "points", colour?}], band: [[x, low, high]...] of the first one.
// x, y: names of the axes. log: logarithmic x (yLog: y). zero: keep y = 0 in sight. xFormat, yFormat: how values read. marks: [{x, label}].
export function lineChart({ series, band = [], x = "", y = "", log = false, yLog = false, zero = true, height = 260, label, xFormat = number, yFormat = number, marks = [] }) {
  const drawing = svg("svg", { height, role: "img", "aria-label": label ?? [y, x].filter(Boolean).join(" / "), tabindex: 0 });
  const readout = h("div", { class: "readout", hidden: true }), spoken = h("div", { class: "visually-hidden", "aria-live": "polite" });
  const usable = ([px, py]) => Number.isFinite(px) && Number.isFinite(py) && (!log || px > 0) && (!yLog || py > 0);
  const lines = series.map((one, i) => ({ ...one, points: one.points.filter(usable), colour: seriesColour(one, i) }));
  const all = [...new Set(lines.flatMap((one) => one.points.map(([px]) => px)))].sort((a, b) => a - b);
  const strip = band.filter(([px, low, high]) => usable([px, low]) && usable([px, high]));
  let scales = null, at = -1;

  function draw(width) {
    const xRange = extent(all), yValues = [...lines.flatMap((one) => one.points.map((p) => p[1])), ...strip.flatMap((p) => [p[1], p[2]])];
    const yRange = extent(yValues, { zero: zero && !yLog, pad: yLog ? 0 : 0.05 });
    const xs = scale(xRange, [LEFT, width - RIGHT], log), ys = scale(yRange, [height - BOTTOM, TOP], yLog);
    scales = { xs, ys, width };
    const xTicks = log ? logTicks(...xRange) : ticks(...xRange, Math.max(2, Math.floor(width / 110)));
    const yTicks = yLog ? logTicks(...yRange) : ticks(...yRange, Math.max(2, Math.floor(height / 55)));
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    put(drawing, axes({ width, height, xs, ys, x, y, xTicks, yTicks, xFormat, yFormat }),
      strip.length > 1 && svg("path", { class: "band", fill: lines[0].colour, d: `${path([...strip.map((p) => [xs(p[0]), ys(p[2])]), ...[...strip].reverse().map((p) => [xs(p[0]), ys(p[1])])])}Z` }),
      marks.map((mark) => [svg("line", { class: "cursor", x1: xs(mark.x), x2: xs(mark.x), y1: TOP, y2: height - BOTTOM }), svg("text", { x: xs(mark.x) + 4, y: TOP + 10 }, mark.label)]),
      lines.map((one) => (one.kind === "points" || one.points.length === 1
        ? one.points.map((p) => svg("circle", { cx: xs(p[0]), cy: ys(p[1]), r: 2.5, fill: one.colour }))
        : svg("path", { class: `line ${one.kind ?? ""}`, stroke: one.colour, d: path(one.points.map((p) => [xs(p[0]), ys(p[1])])) }))),
      svg("g", { class: "hover" }));
    hide();
  }

  function read(index) {
    if (!all.length || !scales) return;
    at = Math.max(0, Math.min(all.length - 1, index));
    const here = all[at], { xs, ys, width } = scales;
    const values = lines.map((one) => [one, one.points.find((p) => p[0] === here)]).filter(([, point]) => point);
    const range = strip.find((p) => p[0] === here);
    put(drawing.querySelector(".hover"), svg("line", { class: "cursor", x1: xs(here), x2: xs(here), y1: TOP, y2: height - BOTTOM }),
      values.map(([one, point]) => svg("circle", { cx: xs(here), cy: ys(point[1]), r: 4, fill: one.colour })));
    put(readout, h("div", { class: "muted" }, [x, xFormat(here)].filter(Boolean).join(" ")),
      values.map(([one, point]) => h("div", {}, h("i", { style: { background: one.colour } }), one.name, " ", h("b", {}, yFormat(point[1])))),
      range && h("div", { class: "muted" }, t("common.between", { low: yFormat(range[1]), high: yFormat(range[2]) })));
    readout.hidden = false;
    const side = xs(here) > width / 2;
    Object.assign(readout.style, { left: side ? "auto" : `${xs(here) + 12}px`, right: side ? `${width - xs(here) + 12}px` : "auto" });
  }
  function hide() { at = -1; readout.hidden = true; const hover = drawing.querySelector(".hover"); if (hover) put(hover); }
  const nearest = (pixel) => all.reduce((best, value, i) => (Math.abs(scales.xs(value) - pixel) < Math.abs(scales.xs(all[best]) - pixel) ? i : best), 0);

  const point = (event) => { if (scales && all.length) read(nearest(event.clientX - drawing.getBoundingClientRect().left)); };
  drawing.addEventListener("pointermove", point);
  drawing.addEventListener("pointerdown", point);
  drawing.addEventListener("pointerleave", hide);
  drawing.addEventListener("blur", hide);
  drawing.addEventListener("keydown", (event) => {
    const far = Math.max(1, Math.round(all.length / 20));
    const to = { ArrowRight: at + 1, ArrowLeft: at < 0 ? all.length - 1 : at - 1, PageDown: at + far, PageUp: at - far, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Escape") return hide();
    if (to === undefined) return;
    event.preventDefault();
    read(to);
    put(spoken, readout.innerText);
  });
  const element = h("figure", { class: "chart" }, drawing, readout, spoken, legend(lines), seriesTable(lines, all, { label, x, y, xFormat, yFormat }));
  responsive(element, draw);
  return element;
}

// At most about twenty rows: a listener wants the course, not four hundred numbers.
function seriesTable(lines, all, { label, x, y, xFormat, yFormat }) {
  const every = Math.max(1, Math.ceil(all.length / 20));
  const rows = all.filter((_, i) => i % every === 0 || i === all.length - 1);
  const cell = (one, here) => { const point = one.points.find((p) => p[0] === here); return point ? yFormat(point[1]) : ""; };
  return table(label ?? y, [x || t("common.x"), ...lines.map((one) => one.name)], rows.map((here) => [xFormat(here), ...lines.map((one) => cell(one, here))]));
}

// Bars: [{name, value, low?, high?, colour?}]; low and high draw a whisker. A bar below zero hangs down.
export function barChart({ bars, y = "", x = "", height = 220, label, yFormat = number, colour }) {
  const drawing = svg("svg", { height, role: "img", "aria-label": label ?? y });
  const fill = (bar) => bar.colour ?? colour ?? "var(--series-0)";
  function draw(width) {
    const range = extent(bars.flatMap((bar) => [bar.value, bar.low ?? bar.value, bar.high ?? bar.value]), { zero: true, pad: 0.05 });
    const ys = scale(range, [height - BOTTOM, TOP]), step = (width - LEFT - RIGHT) / Math.max(1, bars.length), thick = Math.min(46, step * 0.68);
    const middle = (i) => LEFT + step * (i + 0.5), every = Math.ceil(44 / step);
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    put(drawing, axes({ width, height, xs: middle, ys, x, y, xTicks: [], yTicks: ticks(...range, Math.max(2, Math.floor(height / 50))), yFormat }),
      bars.map((bar, i) => svg("g", {},
        svg("rect", { x: middle(i) - thick / 2, width: thick, y: Math.min(ys(0), ys(bar.value)), height: Math.max(1, Math.abs(ys(bar.value) - ys(0))), rx: 2, fill: fill(bar) },
          svg("title", {}, `${bar.name} ${yFormat(bar.value)}`)),
        Number.isFinite(bar.low) && Number.isFinite(bar.high) && svg("path", { stroke: "var(--text)", fill: "none", "stroke-width": 1.25,
          d: `M${middle(i)} ${ys(bar.low)}V${ys(bar.high)}M${middle(i) - 4} ${ys(bar.low)}h8M${middle(i) - 4} ${ys(bar.high)}h8` }),
        i % every === 0 && svg("text", { x: middle(i), y: height - BOTTOM + 16, "text-anchor": "middle" }, bar.name))));
  }
  const range = (bar) => (Number.isFinite(bar.low) && Number.isFinite(bar.high) ? ` (${t("common.between", { low: yFormat(bar.low), high: yFormat(bar.high) })})` : "");
  const element = h("figure", { class: "chart" }, drawing,
    table(label ?? y, [x || t("common.x"), y || t("common.value")], bars.map((bar) => [bar.name, yFormat(bar.value) + range(bar)])));
  responsive(element, draw);
  return element;
}
