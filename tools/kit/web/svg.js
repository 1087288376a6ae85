// SPDX-License-Identifier: Apache-2.0
// Elements, scales and files; nothing here knows what is shown.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const escaped = (text) =>
  String(text).replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);

/// An SVG element as text.
function tag(name, attributes, inner = "") {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  return `<${name}${list.join("")}>${inner}</${name}>`;
}

/// `parts` of a drawing of the given size; `label` says in words what it shows.
function drawing(width, height, label, parts) {
  const holder = element("div");
  holder.innerHTML = tag("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    parts.join(""));
  return holder.firstChild;
}

/// Three significant digits, without an exponent.
function number(value) {
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(size < 0.01 ? 2 : 3)));
}

const percent = (share) => `${(100 * share).toFixed(2)} %`;

function bytes(value) {
  if (value < 1e4) return `${number(value)} B`;
  return value < 1e6 ? `${number(value / 1e3)} kB` : `${number(value / 1e6)} MB`;
}

/// Maps values to pixels from `from` to `to`; `ticks` are round values within.
function logScale(values, from, to) {
  const low = Math.floor(Math.log10(Math.min(...values)) + 1e-9);
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values)) - 1e-9));
  const place = (value) => from + (to - from) * (Math.log10(value) - low) / (high - low);
  const step = Math.ceil((high - low) / 5);
  const ticks = [];
  for (let power = low; power <= high; power += step) ticks.push(10 ** power);
  return { place, ticks };
}

function linearScale(low, high, from, to) {
  const place = (value) => from + (to - from) * (value - low) / (high - low);
  const rough = (high - low) / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((size) => size >= rough);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9; ++i) ticks.push(i * step);
  return { place, ticks };
}

/// `rows` are arrays of texts or elements; columns in `textColumns` are aligned to the left.
function table(header, rows, textColumns = [0]) {
  const kind = (column) => textColumns.includes(column) ? { class: "text" } : {};
  return element("div", { class: "scroll" }, element("table", {},
    element("thead", {}, element("tr", {}, ...header.map((text, i) => element("th", kind(i), text)))),
    element("tbody", {}, ...rows.map((row) =>
      element("tr", {}, ...row.map((value, i) => element("td", kind(i), value)))))));
}

function button(text, onClick) {
  const made = element("button", { type: "button" }, text);
  made.addEventListener("click", onClick);
  return made;
}

function save(name, type, text) {
  const link = element("a", { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);  // Some browsers read it later.
}

function csv(header, rows) {
  const quoted = (value) => `"${String(value).replaceAll('"', '""')}"`;
  return [header, ...rows].map((row) => row.map(quoted).join()).join("\n") + "\n";
}

/// The drawing in the colours of paper, whatever the page's are.
function saveSvg(name, svg) {
  const copy = svg.cloneNode(true);
  copy.setAttribute("style", "background:#fff;color:#1b1e23;font:12px sans-serif");
  const style = "text{fill:currentColor;font:12px sans-serif}.soft{fill:#5b6470}.line{stroke:#d5d9df}";
  copy.insertAdjacentHTML("afterbegin", tag("style", {}, style));
  save(name, "image/svg+xml", new XMLSerializer().serializeToString(copy));
}

/// A figure with its charts (elements, each with an SVG), and their figures as a table and as files.
function figure(name, caption, charts, header, rows) {
  const svgs = charts.flatMap((chart) => [...chart.querySelectorAll("svg")]);
  return element("figure", {},
    element("div", { class: "grid" }, ...charts),
    element("figcaption", {}, caption),
    element("details", {}, element("summary", {}, "Figures"), table(header, rows),
      button("CSV", () => save(`${name}.csv`, "text/csv", csv(header, rows))),
      ...svgs.map((svg, i) => button(svgs.length > 1 ? `SVG ${i + 1}` : "SVG",
        () => saveSvg(`${name}-${i + 1}.svg`, svg)))));
}
