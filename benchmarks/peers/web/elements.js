// SPDX-License-Identifier: Apache-2.0
// Parts of the page that are not charts.
import { EPOLL, data, isOurs, look, number, spread, targetText, titleOf, verdictsOf } from "./figures.js";

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/// `rows` are arrays of texts or elements; columns in `textColumns` are aligned to the left.
export function table(header, rows, textColumns = [0]) {
  const kind = (column) => textColumns.includes(column) ? { class: "text" } : {};
  return element("div", { class: "scroll" }, element("table", {},
    element("thead", {}, element("tr", {}, ...header.map((text, i) => element("th", kind(i), text)))),
    element("tbody", {}, ...rows.map((row) =>
      element("tr", {}, ...row.map((value, i) => element("td", kind(i), value)))))));
}

function save(name, type, text) {
  const link = element("a", { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
  link.click();
  URL.revokeObjectURL(link.href);
}

function csv(results) {
  const lines = ["case,workers,work,measure,unit,contender,round,value"];
  const quoted = (text) => `"${String(text).replaceAll('"', '""')}"`;
  for (const result of results) {
    for (const [name, values] of Object.entries(result.values)) {
      values.forEach((value, i) => lines.push([result.case, result.workers, quoted(result.point),
        quoted(result.measure), quoted(result.unit), name, result.rounds[name][i] + 1, value].join()));
    }
  }
  return lines.join("\n") + "\n";
}

const SVG = "http://www.w3.org/2000/svg";
const TITLE_HEIGHT = 20;

/// All parts of a figure below each other, each under its name.  For print or slides: the look of paper.
function saveSvg(name, figure) {
  const all = document.createElementNS(SVG, "svg");
  let y = 0;
  for (const part of figure.querySelectorAll("svg")) {
    const title = document.createElementNS(SVG, "text");
    title.textContent = part.previousElementSibling?.textContent ?? "";
    title.setAttribute("y", y + TITLE_HEIGHT - 6);
    const copy = part.cloneNode(true);
    copy.setAttribute("y", y + TITLE_HEIGHT);
    all.append(title, copy);
    y += TITLE_HEIGHT + Number(part.getAttribute("height"));
  }
  const width = figure.querySelector("svg").getAttribute("width");
  all.setAttribute("viewBox", `0 0 ${width} ${y}`);
  all.setAttribute("style", "background:#fff;color:#1b1e23;font:12px sans-serif");
  save(name, "image/svg+xml", new XMLSerializer().serializeToString(all));
}

export function resultTable(results) {
  const ours = data.contenders.filter(isOurs);
  const others = ours.includes(EPOLL) ? ours.filter((name) => name !== EPOLL) : [];
  const rows = results.map((result) => [
    result.point, titleOf(result),
    ...data.contenders.map((name) => result.failed[name]?.length ? `failed ${result.failed[name].length}\u00d7`
      : result.values[name]?.length ? spread(result.values[name]) : "\u2013"),
    ...ours.map((name) => result.ratios[name]?.length
      ? `${spread(result.ratios[name])} of ${result.better_peer}` : "\u2013"),
    ...others.map((name) => result.ratios_to_epoll[name]?.length ? spread(result.ratios_to_epoll[name])
                                                                 : "\u2013"),
  ]);
  return table(["Work", "Measure", ...data.contenders, ...ours.map((name) => `${name} ratio`),
                ...others.map((name) => `${name} to ${EPOLL}`)],
               rows, [0, 1]);
}

/// What stands under a chart: its figures as a table, and as files.
export function figuresOf(name, results, figure) {
  const button = (text, onClick) => {
    const made = element("button", { type: "button" }, text);
    made.addEventListener("click", onClick);
    return made;
  };
  return element("details", {}, element("summary", {}, "Figures: median (least..most of the rounds)"),
    resultTable(results), button("CSV", () => save(`${name}.csv`, "text/csv", csv(results))),
    figure && button("SVG", () => saveSvg(`${name}.svg`, figure)));
}

export function targetTable(results) {
  const rows = [];
  for (const result of results) {
    for (const { name, target, met, judged, to } of verdictsOf(result)) {
      const verdict = met === null ? "\u2013"
        : element("span", { class: met ? "pass" : "miss" }, met ? "\u2713 pass" : "\u2715 MISS");
      rows.push([verdict, `${result.case}: ${result.point}`, titleOf(result),
        judged?.length ? spread(judged) : "\u2013", targetText(result, target), to ?? "\u2013", name]);
    }
  }
  return table(["", "Work", "Measure", "Ratio or value", "Target", "To", "Contender"], rows,
               [0, 1, 2, 5, 6]);
}

const SHAPES = {
  circle: "M7 2a5 5 0 1 0 .01 0", square: "M2.5 2.5h9v9h-9z", triangle: "M7 1l6 11H1z",
  diamond: "M7 1l5 6-5 6-5-6z", times: "M2 3l1-1 4 4 4-4 1 1-4 4 4 4-1 1-4-4-4 4-1-1 4-4z",
};

export function key() {
  const items = data.contenders.map((name) => {
    const item = element("li");
    item.innerHTML = `<svg width="14" height="14" aria-hidden="true"><path fill="${look(name).color}" ` +
      `d="${SHAPES[look(name).symbol] ?? SHAPES.circle}"/></svg>`;
    item.append(`${name}: ${data.versions[name]}`);
    return item;
  });
  return element("ul", { class: "key" }, ...items);
}

export const seconds = (value) => value < 90 ? `${number(value)} s` : `${number(value / 60)} min`;
