// SPDX-License-Identifier: Apache-2.0
// The Maglev table slot by slot, and the ring with a slider for its points.

const COLUMNS = 257;
const NODE_COLORS = ["#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7", "#999999", "currentColor"];

const bytesOf = (base64) => Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));

function rgb(color) {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
}

/// One pixel for each slot; `colorOf(slot)` gives [r, g, b].  Those of `lit` are made larger, as they are few.
function tablePicture(label, colorOf, lit = []) {
  const rows = Math.ceil(data.maglev.size / COLUMNS);
  const canvas = element("canvas", { width: COLUMNS, height: rows, role: "img", "aria-label": label });
  const context = canvas.getContext("2d");
  const image = context.createImageData(COLUMNS, rows);
  const paint = (slot, color) => image.data.set([...color, 255], 4 * slot);
  for (let slot = 0; slot < data.maglev.size; ++slot) paint(slot, colorOf(slot));
  for (const slot of lit) {
    for (const neighbour of [slot, slot - 1, slot + 1, slot - COLUMNS, slot + COLUMNS]) {
      if (neighbour >= 0 && neighbour < data.maglev.size) paint(neighbour, rgb(IN_VAIN));
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

const OWN = "#0072B2";
const MOVED = "#56B4E9";
const IN_VAIN = "#D55E00";

function maglevPictures() {
  const { size, gone } = data.maglev;
  const before = bytesOf(data.maglev.before);
  const still = rgb(getComputedStyle(document.documentElement).getPropertyValue("--still").trim());
  const [moved, own] = [MOVED, OWN].map(rgb);
  const after = (title, owners) => {
    const vain = [];
    for (let slot = 0; slot < size; ++slot) {
      if (before[slot] !== gone && owners[slot] !== before[slot]) vain.push(slot);
    }
    const words = `${title}: ${vain.length.toLocaleString("en-US")} slots of other nodes changed`;
    return element("div", {}, element("h3", {}, words), tablePicture(words, (slot) =>
      owners[slot] === before[slot] ? still : moved, vain));
  };
  const owned = before.filter((owner) => owner === gone).length;
  const words = `Before: node ${gone} owns ${owned.toLocaleString("en-US")} of ${size.toLocaleString("en-US")} slots`;
  return element("figure", {}, element("div", { class: "grid" },
    element("div", {}, element("h3", {}, words),
      tablePicture(words, (slot) => before[slot] === gone ? own : still)),
    after(`Node ${gone} removed, table built anew`, bytesOf(data.maglev.removed)),
    after(`Node ${gone} dead, health as an overlay`, bytesOf(data.maglev.dead))),
  element("figcaption", {}, `A Maglev table of ${data.maglev.nodes} nodes, a cell for each slot.`,
    element("span", { class: "chip", style: `background:${OWN}` }), `slots of node ${gone}`,
    element("span", { class: "chip", style: `background:${MOVED}` }), "moved from it to others",
    element("span", { class: "chip", style: `background:${IN_VAIN}` }), "moved between others, in vain (drawn larger)"));
}

// --- the ring

const CIRCLE = 2 ** 32;

function ringPositions() {
  const view = new DataView(bytesOf(data.ring.positions).buffer);
  return Array.from({ length: data.ring.nodes }, (_, node) => Array.from({ length: data.ring.points }, (_, i) =>
    view.getUint32(4 * (node * data.ring.points + i), true)));
}

/// The arcs of every node when each has `count` points: [[from, to], ...] by node, and the shares.
function arcsOf(positions, count) {
  const points = positions.flatMap((own, node) => own.slice(0, count).map((at) => [at, node]));
  points.sort((a, b) => a[0] - b[0]);
  const arcs = positions.map(() => []);
  const shares = positions.map(() => 0);
  points.forEach(([at, node], i) => {
    const from = i > 0 ? points[i - 1][0] : points[points.length - 1][0] - CIRCLE;
    arcs[node].push([from / CIRCLE, at / CIRCLE]);
    shares[node] += (at - from) / CIRCLE * positions.length;
  });
  const stddev = Math.sqrt(shares.reduce((sum, share) => sum + (share - 1) ** 2, 0) / shares.length);
  return { arcs, shares, stddev };
}

function circle({ arcs, shares }, count) {
  const at = (turn, radius) => {
    const angle = 2 * Math.PI * turn;
    return `${(180 + radius * Math.sin(angle)).toFixed(2)} ${(180 - radius * Math.cos(angle)).toFixed(2)}`;
  };
  const parts = arcs.map((own, node) => tag("path", { stroke: NODE_COLORS[node], "stroke-width": 44, fill: "none",
    d: own.map(([from, to]) => `M${at(from, 140)}A140 140 0 ${to - from > 0.5 ? 1 : 0} 1 ${at(to, 140)}`).join("") }));
  const most = Math.max(...shares);
  parts.push(text(180, 176, `V = ${count}`, { "text-anchor": "middle" }),
    text(180, 194, `fullest: ${most.toFixed(2)} x fair`, { "text-anchor": "middle" }));
  return drawing(360, 360, `A ring of ${arcs.length} nodes with ${count} points each; the fullest node has ` +
    `${most.toFixed(2)} times its fair share`, parts);
}

function spreadCurve(spreads, count) {
  const [left, right, top, bottom] = [56, 340, 12, 312];
  const x = logScale([1, data.ring.points], left, right);
  const y = logScale([0.01, 1], bottom, top);
  const place = (v, spread) => `${x.place(v).toFixed(1)} ${y.place(Math.max(0.01, spread)).toFixed(1)}`;
  const parts = y.ticks.flatMap((tick) => [
    line(left, y.place(tick), right, y.place(tick), { class: "line" }),
    text(left - 6, y.place(tick) + 4, `${100 * tick} %`, { class: "soft", "text-anchor": "end" })]);
  x.ticks.filter((tick) => tick <= data.ring.points).forEach((tick) => parts.push(
    text(x.place(tick), bottom + 17, number(tick), { class: "soft", "text-anchor": "middle" })));
  parts.push(text((left + right) / 2, bottom + 36, "V, points of a node; both axes logarithmic", { class: "soft", "text-anchor": "middle" }),
    tag("path", { d: `M${place(1, 1)}L${place(data.ring.points, data.ring.points ** -0.5)}`, stroke: "currentColor", "stroke-dasharray": "4 3", fill: "none" }),
    tag("path", { d: "M" + spreads.map(({ v, stddev }) => place(v, stddev)).join("L"), stroke: "#CC79A7", "stroke-width": 2, fill: "none" }));
  const here = spreads.find(({ v }) => v === count);
  parts.push(tag("circle", { cx: x.place(count), cy: y.place(Math.max(0.01, here.stddev)), r: 6, fill: "#CC79A7" }),
    text(right, top + 14, `spread ${percent(here.stddev)}, 1/\u221aV ${percent(count ** -0.5)}`, { "text-anchor": "end" }));
  return drawing(360, 356, `The spread of the shares falls as 1 over the root of V: ${percent(here.stddev)} at V = ${count}`, parts);
}

function ringPicture() {
  const positions = ringPositions();
  const counts = Array.from({ length: Math.log2(data.ring.points) + 1 }, (_, i) => 2 ** i);
  const states = new Map(counts.map((count) => [count, arcsOf(positions, count)]));
  const spreads = counts.map((v) => ({ v, stddev: states.get(v).stddev }));
  const left = element("div");
  const right = element("div");
  const slider = element("input", { type: "range", min: 0, max: counts.length - 1, value: 3, "aria-label": "Points of a node" });
  const draw = () => {
    const count = counts[slider.value];
    slider.setAttribute("aria-valuetext", `${count} points`);
    left.replaceChildren(circle(states.get(count), count));
    right.replaceChildren(spreadCurve(spreads, count));
  };
  slider.addEventListener("input", draw);
  draw();
  const rows = spreads.map(({ v, stddev }) => [v, percent(stddev), percent(v ** -0.5), Math.max(...states.get(v).shares).toFixed(3)]);
  const made = figure("ring", "Solid: standard deviation of the shares of this ring; dashed: 1/\u221aV.", [left, right],
    ["V", "Spread", "1/\u221aV", "Fullest, x fair"], rows);
  made.prepend(element("label", {}, element("span", { class: "soft" }, "Points of a node: 1 to 1,024"), element("br"), slider));
  return made;
}
