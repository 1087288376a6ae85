// SPDX-License-Identifier: Apache-2.0
// The charts: lines over a number, dots beside a name, and ratios with their targets.
import * as Plot from "@observablehq/plot";
import { EPOLL, conclusion, data, isOurs, look, median, number, pointsOf, ratio, short, sign, titleOf, verdictsOf }
  from "./figures.js";
import { element, figuresOf } from "./elements.js";

const WIDTH = 380;
const LINES_HEIGHT = 230;
const LABEL_HEIGHT = 13;
const symbols = { domain: data.contenders, range: data.contenders.map((name) => look(name).symbol) };
const colors = { domain: data.contenders, range: data.contenders.map((name) => look(name).color) };
const slug = (text) => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

/// Values that differ by more than twenty times are shown on a logarithmic axis, which says so.
function valueScale(points, label) {
  const high = Math.max(...points.map((point) => point.high));
  const low = Math.min(...points.map((point) => point.low).filter((value) => value > 0));
  const log = high / low > 20 && points.every((point) => point.low > 0);
  return { type: log ? "log" : "linear", domain: log ? [low, high] : [0, high || 1], nice: true, grid: true,
           ticks: 4, tickFormat: short, label: log ? `${label} (log)` : label };
}

function figure(title, results, plot, name, summary = conclusion(results)) {
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", `${title}. ${summary}`);
  const made = element("figure", {}, element("h4", {}, title), plot,
                       element("figcaption", {}, summary));
  made.append(figuresOf(name, results, made));
  return made;
}

/// Names at the ends of lines, pushed apart where they would lie on each other.
function endLabels(points, x, scale) {
  const last = data.contenders.map((name) => points.filter((point) => point.name === name).at(-1))
    .filter(Boolean);
  const [low, high] = scale.domain;
  const part = scale.type === "log"
    ? (value) => Math.log(value / low) / Math.log(high / low) : (value) => (value - low) / (high - low);
  const inner = LINES_HEIGHT - 60;
  let lowest = -Infinity;
  return last.sort((a, b) => a.median - b.median).map((point) => {
    const at = part(point.median) * inner;
    lowest = Math.max(at, lowest + LABEL_HEIGHT);
    return Plot.text([point], { x, y: "median", text: "name", textAnchor: "start", dx: 9,
                                dy: at - lowest, fill: look(point.name).color, fontWeight: 600 });
  });
}

/// One chart for each measure and facet, over the parameter `x`.
export function lines(results, x, facetOf = () => "", xLabel = x) {
  const made = [];
  for (const title of new Set(results.map(titleOf))) {
    const ofMeasure = results.filter((result) => titleOf(result) === title);
    const all = ofMeasure.flatMap(pointsOf);
    if (!all.length) continue;
    const scale = valueScale(all, title);
    for (const facet of new Set(ofMeasure.map(facetOf))) {
      const some = ofMeasure.filter((result) => facetOf(result) === facet);
      const points = some.flatMap(pointsOf);
      const name = [title, facet].filter(Boolean).join("; ");
      // A logarithmic axis of Plot names powers of ten only.
      const at = (point) => Math.log10(point[x]);
      const style = { x: at, y: "median", stroke: "name", z: "name" };
      const plot = Plot.plot({
        width: WIDTH, height: LINES_HEIGHT, marginRight: 90, marginLeft: 52, color: colors, symbol: symbols,
        x: { label: `${xLabel} (log)`, ticks: [...new Set(points.map(at))],
             tickFormat: (value) => short(Math.round(10 ** value)), inset: 6 },
        y: scale,
        marks: [Plot.ruleX(points, { x: at, y1: "low", y2: "high", stroke: "name", strokeOpacity: 0.5, strokeWidth: 3 }),
                Plot.line(points, style), Plot.dot(points, { ...style, fill: "name", symbol: "name", r: 3.5 }),
                ...endLabels(points, at, scale)],
      });
      made.push(figure(name, some, plot, slug(`${some[0].case} ${name}`)));
    }
  }
  return element("div", { class: "grid" }, ...made);
}

/// One chart for each measure: a band for each point, a row for each contender, a small dot for each
/// round.
export function dots(results) {
  const made = [];
  for (const title of new Set(results.map(titleOf))) {
    const some = results.filter((result) => titleOf(result) === title);
    const points = some.flatMap(pointsOf);
    if (!points.length) continue;
    const bands = [...new Set(points.map((point) => point.point))];
    const plots = bands.map((band) => bandPlot(band, points, title, band === bands.at(-1)));
    const holder = element("div");
    holder.append(...plots.flatMap((plot, i) => [element("div", { class: "soft" }, bands[i]), plot]));
    made.push(figure(title, some, holder, slug(`${some[0].case} ${title}`)));
  }
  return element("div", { class: "grid" }, ...made);
}

function bandPlot(band, points, title, last) {
  const some = points.filter((point) => point.point === band);
  const rounds = some.flatMap((point) => point.values.map((value) => ({ name: point.name, value })));
  return Plot.plot({
    width: WIDTH, height: 24 * some.length + (last ? 42 : 4), marginLeft: 92, marginRight: 64, marginTop: 2,
    marginBottom: last ? 40 : 2,
    color: colors, symbol: symbols,
    x: { ...valueScale(points, title), axis: last ? "bottom" : null },
    y: { domain: data.contenders.filter((name) => some.some((point) => point.name === name)), label: null,
         tickSize: 0 },
    marks: [Plot.ruleY(some, { y: "name", x1: "low", x2: "high", stroke: "name", strokeWidth: 3, strokeOpacity: 0.5 }),
            Plot.dot(rounds, { x: "value", y: "name", r: 1.8, fill: "name" }),
            Plot.dot(some, { x: "median", y: "name", fill: "name", stroke: "name", symbol: "name", r: 4.5 }),
            Plot.text(some, { x: "high", y: "name", text: (point) => number(point.median), dx: 8,
                              textAnchor: "start", fill: "currentColor" })],
  });
}

/// Ratios to the better peer with their spread, and the target of each as a tick.
export function ratios(results) {
  const points = results.flatMap((result) => verdictsOf(result)
    .filter(({ target, judged, to }) => !target.absolute && to !== EPOLL && judged?.length)
    .map(({ name, target, judged }) => ({
      name, work: `${result.point}: ${result.measure}`, median: median(judged),
      low: Math.min(...judged), high: Math.max(...judged), limit: target.limit, sign: sign(target), result,
    })));
  if (!points.length) return null;
  const works = [...new Set(points.map((point) => point.work))];
  const plots = works.map((work) => ratioPlot(points.filter((point) => point.work === work), points,
                                              work === works.at(-1)));
  const holder = element("div");
  holder.append(...plots.flatMap((plot, i) => [element("div", { class: "soft" }, works[i]), plot]));
  const some = [...new Set(points.map((point) => point.result))];
  return figure("Ratio to the better peer; 1 is a draw, the tick is the target", some, holder, "ratios",
                "Left of 1 is better for CPU and latency, right of 1 for throughput.");
}

function ratioPlot(some, all, last) {
  // What lies far outside stands at the edge, with its number beside it.
  const low = Math.max(0.1, Math.min(0.4, ...all.map((point) => point.low)));
  const high = Math.min(10, Math.max(1.5, ...all.map((point) => point.high)));
  return Plot.plot({
    width: Math.min(760, document.getElementById("report").clientWidth - 32),
    height: 24 * some.length + (last ? 44 : 6), marginLeft: 100, marginRight: 120, marginTop: 2,
    marginBottom: last ? 36 : 2, color: colors, symbol: symbols,
    x: { type: "log", domain: [low, high], clamp: true, grid: true, axis: last ? "bottom" : null, ticks: 6,
         tickFormat: short, label: "times the better peer (log)" },
    y: { label: null, tickSize: 0 },
    marks: [Plot.ruleX([1], { strokeOpacity: 0.6 }),
            Plot.tickX(some, { x: "limit", y: "name", stroke: "currentColor", strokeWidth: 2 }),
            Plot.ruleY(some, { y: "name", x1: "low", x2: "high", stroke: "name", strokeWidth: 3, strokeOpacity: 0.5 }),
            Plot.dot(some, { x: "median", y: "name", fill: "name", stroke: "name", symbol: "name", r: 4.5 }),
            Plot.text(some, { frameAnchor: "right", y: "name", dx: 118, textAnchor: "end", fill: "currentColor",
                              text: (point) => `${ratio(point.median)}  (${point.sign} ${number(point.limit)})` })],
  });
}
