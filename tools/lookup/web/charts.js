// SPDX-License-Identifier: Apache-2.0
// Charts with a row for each algorithm: the same colour and mark everywhere, the name at the left.

const LOOKS = {
  modulo: { color: "currentColor", mark: "circle" },
  jump: { color: "#56B4E9", mark: "square" },
  rendezvous: { color: "#009E73", mark: "triangle" },
  multi_probe: { color: "#0072B2", mark: "diamond" },
  textbook_ring: { color: "#999999", mark: "times" },
  ring: { color: "#CC79A7", mark: "down" },
  maglev: { color: "#D55E00", mark: "bar" },
};
const SHAPES = {
  circle: "M0-4.5a4.5 4.5 0 1 0 .01 0z", square: "M-4-4h8v8h-8z", triangle: "M0-5l5 9h-10z",
  diamond: "M0-5.5l5 5.5-5 5.5-5-5.5z", down: "M0 5l5-9h-10z", bar: "M-2.5-6h5v12h-5z",
  times: "M-4.5-3l1.5-1.5 3 3 3-3 1.5 1.5-3 3 3 3-1.5 1.5-3-3-3 3-1.5-1.5 3-3z",
};

const WIDTH = 360;
const LEFT = 142;
const RIGHT = WIDTH - 44;
const TOP = 8;
const ROW = 22;

function titleOf(row) {
  if (row.table_size > 0) return `${row.algorithm} ${row.table_size}`;
  return row.points > 1 ? `${row.algorithm} V=${row.points}` : row.algorithm;
}

function mark(row, x, y, hollow = false) {
  const look = LOOKS[row.algorithm];
  const paint = hollow ? { fill: "var(--paper, #fff)", stroke: look.color, "stroke-width": 1.5 }
    : { fill: look.color };
  return tag("path", { d: SHAPES[look.mark], transform: `translate(${x.toFixed(1)} ${y})`, ...paint });
}

const text = (x, y, words, attributes = {}) => tag("text", { x: x.toFixed(1), y, ...attributes }, escaped(words));
const line = (x1, y1, x2, y2, attributes) =>
  tag("line", { x1: x1.toFixed(1), y1, x2: x2.toFixed(1), y2, ...attributes });

/// Names, grid and axis; `format` writes a tick.
function frame(rows, scale, axis, format) {
  const bottom = TOP + ROW * rows.length;
  const parts = scale.ticks.flatMap((tick) => [
    line(scale.place(tick), TOP, scale.place(tick), bottom, { class: "line" }),
    text(scale.place(tick), bottom + 15, format(tick), { class: "soft", "text-anchor": "middle" })]);
  rows.forEach((row, i) =>
    parts.push(text(LEFT - 10, middle(i) + 4, titleOf(row), { "text-anchor": "end" })));
  parts.push(text((LEFT + RIGHT) / 2, bottom + 32, axis, { class: "soft", "text-anchor": "middle" }));
  return parts;
}

const middle = (i) => TOP + ROW * (i + 0.5);
const heightOf = (rows) => TOP + ROW * rows.length + 40;
const chart = (title, svg) => element("div", {}, element("h3", {}, title), svg);

/// Dots with the range of the rounds, on a logarithmic axis.  `measures`: [{of, range, hollow}].
function costChart(title, rows, measures, axis, format) {
  const all = rows.flatMap((row) => measures.flatMap(({ of, range }) => [of(row), ...(range ? range(row) : [])]));
  const scale = logScale(all, LEFT, RIGHT);
  const parts = frame(rows, scale, `${axis}, logarithmic`, format);
  rows.forEach((row, i) => {
    for (const { of, range, hollow } of measures) {
      if (range) {
        const [least, most] = range(row).map(scale.place);
        parts.push(line(least, middle(i), most, middle(i), { stroke: LOOKS[row.algorithm].color, "stroke-width": 2 }));
      }
      parts.push(mark(row, scale.place(of(row)), middle(i), hollow));
    }
  });
  const best = rows.reduce((least, row) => measures[0].of(row) < measures[0].of(least) ? row : least);
  return chart(title, drawing(WIDTH, heightOf(rows), `${title}: least for ${titleOf(best)}`, parts));
}

/// One dot for each node, at its share in means.
function shareChart(title, rows) {
  const most = Math.max(...rows.map((row) => row.peak_to_mean));
  const scale = linearScale(0, Math.max(1.2, most * 1.02), LEFT, RIGHT);
  const parts = frame(rows, scale, "share of a node / fair share", number);
  parts.push(line(scale.place(1), TOP, scale.place(1), TOP + ROW * rows.length, { stroke: "currentColor", "stroke-dasharray": "3 3" }));
  rows.forEach((row, i) => {
    const places = [...new Set(row.shares.map((share) => scale.place(share).toFixed(1)))];
    parts.push(tag("path", { d: places.map((x) => `M${x} ${middle(i)}h0`).join(""), stroke: LOOKS[row.algorithm].color,
      "stroke-width": 5, "stroke-linecap": "round", "stroke-opacity": 0.55, fill: "none" }));
    parts.push(text(WIDTH, middle(i) + 4, row.peak_to_mean.toFixed(2), { "text-anchor": "end" }));
  });
  const worst = rows.reduce((max, row) => row.peak_to_mean > max.peak_to_mean ? row : max);
  return chart(title, drawing(WIDTH, heightOf(rows),
    `${title}: the fullest node has ${number(worst.peak_to_mean)} times its fair share, with ${titleOf(worst)}`, parts));
}

/// What moved, with a stroke at what had to; at the right what moved in vain.
function moveChart(change, rows) {
  const able = rows.filter((row) => row.disruption[change]);
  const most = Math.max(0.01, ...able.map((row) => row.disruption[change].moved));
  const scale = linearScale(0, most * 1.05, LEFT, RIGHT);
  const parts = frame(rows, scale, "keys moved, %", (tick) => number(100 * tick));
  rows.forEach((row, i) => {
    const movement = row.disruption[change];
    if (!movement) {
      parts.push(text(LEFT + 4, middle(i) + 4, "no weights", { class: "soft" }));
      return;
    }
    const ideal = scale.place(movement.ideal);
    parts.push(line(ideal, middle(i), scale.place(movement.moved), middle(i),
      { stroke: LOOKS[row.algorithm].color, "stroke-width": 3 }));
    parts.push(line(ideal, middle(i) - 8, ideal, middle(i) + 8, { stroke: "currentColor", "stroke-width": 1.5 }));
    parts.push(mark(row, scale.place(movement.moved), middle(i)));
    if (movement.extra > 0) {
      parts.push(text(WIDTH, middle(i) + 4, `+${number(100 * movement.extra)}`, { "text-anchor": "end" }));
    }
  });
  const exact = able.filter((row) => row.disruption[change].extra === 0).map(titleOf);
  return chart(CHANGES[change], drawing(WIDTH, heightOf(rows),
    `${CHANGES[change]}: no key moves in vain with ${exact.join(", ") || "none of them"}`, parts));
}

const CHANGES = {
  "+1": "One node is added", "-1": "One node is removed", "kill 1": "One node dies",
  "kill 10%": "A tenth of the nodes dies", "revive": "One of the dead comes back",
  "weight x2": "One node gets twice its weight", "8->10": "From 8 to 10 nodes", "9->10": "From 9 to 10 nodes",
};
