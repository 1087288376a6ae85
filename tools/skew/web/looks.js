// SPDX-License-Identifier: Apache-2.0
// How each mode looks, everywhere the same, and what every chart is drawn with.

// Okabe and Ito's colours.  The three greens are least connections: alone, with an age, rebalanced.
const LOOKS = {
  round_robin: { color: "#E69F00", dash: "", mark: "circle" },
  random: { color: "#999999", dash: "1 3", mark: "times", highlight: "currentColor" },
  least_connections: { color: "#009E73", dash: "", mark: "triangle" },
  p2c: { color: "#0072B2", dash: "9 3", mark: "diamond" },
  maglev: { color: "#D55E00", dash: "4 2", mark: "bar" },
  ring: { color: "#CC79A7", dash: "7 2 1 2", mark: "down" },
  age: { color: "#009E73", dash: "7 3", mark: "square" },
  rebalance: { color: "#009E73", dash: "2 2", mark: "plus" },
  client: { color: "#56B4E9", dash: "", mark: "star" },
  layer7: { color: "currentColor", dash: "8 2 2 2", mark: "hexagon" },
};
const OTHER = { color: "#999999", dash: "", mark: "circle" };
const SHAPES = {
  circle: "M0-4.5a4.5 4.5 0 1 0 .01 0z", square: "M-4-4h8v8h-8z", triangle: "M0-5l5 9h-10z",
  diamond: "M0-5.5l5 5.5-5 5.5-5-5.5z", down: "M0 5l5-9h-10z", bar: "M-2.5-6h5v12h-5z",
  times: "M-4.5-3l1.5-1.5 3 3 3-3 1.5 1.5-3 3 3 3-1.5 1.5-3-3-3 3-1.5-1.5 3-3z",
  plus: "M-1.5-5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5z", hexagon: "M-2.7-4.8h5.4l2.8 4.8-2.8 4.8h-5.4l-2.8-4.8z",
  star: "M0-6l1.6 4h4.2l-3.3 2.7 1.2 4.3-3.7-2.5-3.7 2.5 1.2-4.3-3.3-2.7h4.2z",
};
// Backends that were there from the beginning; those that came are in the colour of the mode.
const OLD = "var(--old, #8a939e)";
const BOLD = { style: "font-weight:600" };

const lookOf = (mode) => LOOKS[mode.mode] ?? OTHER;
const highlightOf = (mode) => lookOf(mode).highlight ?? lookOf(mode).color;

const near = (value) => Number(value.toFixed(1));
const words = (x, y, text, attributes = {}) =>
  tag("text", { x: near(x), y: near(y), ...attributes }, escaped(text));
const rule = (x1, y1, x2, y2, attributes = { class: "line" }) =>
  tag("line", { x1: near(x1), y1: near(y1), x2: near(x2), y2: near(y2), ...attributes });
const box = (x, y, width, height, attributes) =>
  tag("rect", { x: near(x), y: near(y), width: near(Math.max(0, width)), height: near(height), ...attributes });

function markAt(mode, x, y, hollow = false) {
  const { color, mark } = lookOf(mode);
  const paint = hollow ? { fill: "var(--paper, #fff)", stroke: color, "stroke-width": 1.5 } : { fill: color };
  return tag("path", { d: SHAPES[mark], transform: `translate(${near(x)} ${near(y)})`, ...paint });
}

/// Drawings are made for the width that there is, so that text keeps its size.
const narrow = matchMedia("(max-width: 600px)");
const oneColumn = matchMedia("(max-width: 1000px)");  // As in page.css.
const widthOfChart = () => narrow.matches ? 360 : 560;
const widthOfAll = () => oneColumn.matches ? widthOfChart() : 1120;

/// `text` in lines that fit; a letter is taken as 6.3 wide.
function linesOf(text, width) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length * 6.3 <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/// At most `length` letters.
const short = (name, length = 8) => name.length > length ? `${name.slice(0, length - 1)}\u2026` : name;

const titled = (title, svg) => element("div", {}, element("h3", {}, title), svg);

/// From zero, and higher than zero even where nothing was.
const fromZero = (values, from, to, least = 0) => linearScale(0, Math.max(least, ...values) || 1, from, to);

/// Moves labels, lowest first, up until they no longer lie on each other; `places` is y by label.
function apart(places, height) {
  const order = places.map((y, i) => ({ y, i })).sort((a, b) => b.y - a.y);
  let limit = Infinity;
  const moved = [];
  for (const { y, i } of order) {
    limit = Math.min(y, limit - height);
    moved[i] = limit;
  }
  return moved;
}
