// SPDX-License-Identifier: Apache-2.0
// How a policy looks everywhere: its colour, its dash and its mark.

const LOOKS = {
  round_robin: { color: "#E69F00", dash: "", mark: "M-4-4h8v8h-8z" },
  random: { color: "#999999", dash: "2 3", mark: "M0-4.5a4.5 4.5 0 1 0 .01 0z" },
  least_connections: { color: "#009E73", dash: "7 3", mark: "M0-5l5 9h-10z" },
  p2c: { color: "#0072B2", dash: "10 3 2 3", mark: "M0-5.5l5 5.5-5 5.5-5-5.5z" },
  maglev: { color: "#D55E00", dash: "4 2", mark: "M-2.5-6h5v12h-5z" },
  ring: { color: "#CC79A7", dash: "1 2", mark: "M0 5l5-9h-10z" },
};

const lookOf = (row) => LOOKS[row.policy] ?? { color: "currentColor", dash: "", mark: "M-3-3h6v6h-6z" };

const words = (x, y, text, attributes = {}) => tag("text", { x: x.toFixed(1), y: y.toFixed(1), ...attributes }, escaped(text));
const rule = (x1, y1, x2, y2, attributes = { class: "line" }) =>
  tag("line", { x1: x1.toFixed(1), y1: y1.toFixed(1), x2: x2.toFixed(1), y2: y2.toFixed(1), ...attributes });
const markAt = (row, x, y) =>
  tag("path", { d: lookOf(row).mark, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`, fill: lookOf(row).color });
const pathOf = (points, attributes) =>
  tag("path", { d: points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join(""), fill: "none", ...attributes });
const titled = (inner, text) => tag("g", {}, tag("title", {}, escaped(text)) + inner);

/// A number and its percent sign stay on one line.
const unbroken = (text) => text.replaceAll(" %", "\u00a0%");
const ms = (value) => `${number(value)} ms`;

/// Moves labels apart that would lie on each other: [{y, ...}], none closer than `gap`.
function spread(labels, gap) {
  labels.sort((a, b) => a.y - b.y);
  for (let i = 1; i < labels.length; ++i) labels[i].y = Math.max(labels[i].y, labels[i - 1].y + gap);
  return labels;
}
