// SPDX-License-Identifier: Apache-2.0
// Swim lanes: a line for each connection at its backend, as thick as its rate of requests.

const LANES_HEIGHT = 440;
const LEAST_PITCH = 1.6;
const LEAST_THICKNESS = 0.4;
const BAND_GAP = 8;
const THICKEST = 0.86;
const STEPS = 10;

const bandHeight = () => Math.max(28, Math.min(110, LANES_HEIGHT / drawn.length));

/// Lanes in rows: one that begins after another has ended may lie in its row.
function packed(lanes) {
  const ends = [];
  return lanes.map((lane) => {
    let row = ends.findIndex((end_s) => end_s <= lane.from_s + 0.001);
    if (row < 0) row = ends.length;
    ends[row] = lane.to_s;
    return { lane, row };
  });
}

const rowsIn = (band) => band.reduce((most, { row }) => Math.max(most, row + 1), 0);

/// The lanes of each drawn backend; where there is no room for all, each `every`-th of them.
function bandsOf(mode) {
  const lanes = drawn.map((backend) => mode.lanes.lanes.filter((lane) => lane.backend === backend)
    .sort((a, b) => a.from_s - b.from_s));
  const take = (every) => lanes.map((own) => packed(own.filter((_, i) => i % every === 0)));
  const room = bandHeight() / LEAST_PITCH;
  let every = 1;
  let bands = take(every);
  while (Math.max(...bands.map(rowsIn)) > room) bands = take(++every);
  return { bands, every, pitch: bandHeight() / Math.max(4, ...bands.map(rowsIn)) };
}

/// The rate in about a tenth of the run at a time: [{from_s, to_s, rate}].
function stepsOf(lane, step_s) {
  const together = Math.max(1, Math.round(parameters.duration_s / STEPS / step_s));
  const first = Math.floor(lane.from_s / step_s + 1e-9);
  const requests = new Map();
  lane.requests.forEach((answered, i) => {
    const step = Math.floor((first + i) / together);
    requests.set(step, (requests.get(step) ?? 0) + answered);
  });
  const long_s = together * step_s;
  return [...requests].map(([step, answered]) => {
    const from_s = Math.max(lane.from_s, step * long_s);
    const to_s = Math.min(lane.to_s, (step + 1) * long_s, parameters.duration_s);
    return { from_s, to_s, rate: answered / Math.max(to_s - from_s, step_s / 2) };
  }).filter((step) => step.to_s > step.from_s);
}

/// Pixels for a request a second, the same on both sides: nearly all lanes fit their rows.
function thicknessOf(sides, pair) {
  return Math.min(...sides.map(({ bands, pitch }, i) => {
    const steps = bands.flat().flatMap(({ lane }) => stepsOf(lane, pair[i].lanes.step_s));
    const rates = steps.map((step) => step.rate).sort((a, b) => a - b);
    return THICKEST * pitch / (rates[Math.floor(0.97 * rates.length)] || 1);
  }));
}

function laneShape(mode, { lane, row }, look) {
  const y = look.top + (row + 0.5) * look.pitch;
  const place = look.frame.x.place;
  const steps = stepsOf(lane, mode.lanes.step_s);
  const half = ({ rate: value }) =>
    Math.min(THICKEST * look.pitch, Math.max(LEAST_THICKNESS, look.thickness * value)) / 2;
  const over = steps.map((step) => `V${(y - half(step)).toFixed(2)}H${near(place(step.to_s))}`);
  const under = steps.toReversed().map((step) => `V${(y + half(step)).toFixed(2)}H${near(place(step.from_s))}`);
  const title = `${backends[lane.backend]}: ${number(lane.from_s)} to ${seconds(lane.to_s)}, ` +
    `${count(sum(lane.requests))} requests`;
  const outline = `M${near(place(lane.from_s))} ${y.toFixed(2)}${over.join("")}${under.join("")}z`;
  const shape = tag("path", { d: outline, fill: look.color }, tag("title", {}, escaped(title)));
  if (lane.to_s > endOf(mode) - 0.1) return shape;
  const end = place(lane.to_s);
  const reach = Math.max(1.5, 0.42 * look.pitch);
  return shape + rule(end, y - reach, end, y + reach, { stroke: "currentColor", "stroke-width": 1.2 });
}

/// Name, and where there is room how many connections are open in the end.
function bandName(mode, backend, middle) {
  const lines = [[short(backends[backend]), isAdded(backend) ? BOLD : {}]];
  if (isAdded(backend)) lines.push(["added", { class: "soft" }]);
  if (mode.lanes.left_out === 0) lines.push([`${count(openAtEnd(mode, backend))} open`, { class: "soft" }]);
  const room = Math.max(1, Math.floor(bandHeight() / LINE_HEIGHT));
  const shown = lines.slice(0, room);
  return shown.map(([text, look], i) => words(0, middle + 4 + LINE_HEIGHT * (i - (shown.length - 1) / 2), text, look));
}

function bandOf(mode, backend, band, look) {
  const { frame, top } = look;
  const height = bandHeight();
  const parts = [rule(0, top + height + BAND_GAP / 2, frame.right, top + height + BAND_GAP / 2)];
  const middle = top + height / 2;
  parts.push(...bandName(mode, backend, middle));
  const [from, to] = [parameters.add_at_s, endOf(mode)].map(frame.x.place);
  if (isAdded(backend) && from < to) {
    parts.push(box(from, top - 2, to - from, height + 4, { fill: look.color, "fill-opacity": 0.12 }));
    const kept = mode.lanes.left_out === 0 || sum(mode.series.requests[backend]) === 0;
    if (band.length === 0) parts.push(words(from + 12, middle + 4, kept ? "no connection" : "not kept"));
  }
  return [...parts, ...band.map((placed) => laneShape(mode, placed, look))].join("");
}

/// How thick a round rate of requests is drawn.
function thicknessKey(frame, y, thickness) {
  const shown = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000].find((size) => size * thickness >= 2.5) ?? 10000;
  const text = `${count(shown)} requests/s in a connection`;
  const left = frame.right - 6.3 * text.length - 34;
  return [box(left, y - 4 - shown * thickness / 2, 26, shown * thickness, { fill: "currentColor" }),
          words(frame.right, y, text, { class: "soft", "text-anchor": "end" })];
}

/// Open when the run ended.
function openAtEnd(mode, backend) {
  return mode.lanes.lanes.filter((lane) => lane.backend === backend && lane.to_s > endOf(mode) - 0.1).length;
}

function lanesConclusion(mode) {
  const of = (list) => list.map((backend) => `${openAtEnd(mode, backend)} at ${backends[backend]}`).join(", ");
  const added = drawn.filter(isAdded);
  return `${mode.mode}: connections in the end: ${of(drawn.filter((backend) => !isAdded(backend)))}` +
    (added.length > 0 ? `; at what was added: ${of(added)}.` : ".");
}

function lanesChart(mode, frame, side, thickness) {
  const parts = heading(mode, frame);
  const pitch = bandHeight() + BAND_GAP;
  drawn.forEach((backend, i) => parts.push(bandOf(mode, backend, side.bands[i], {
    frame, thickness, pitch: side.pitch, top: frame.top + i * pitch,
    color: isAdded(backend) ? highlightOf(mode) : OLD })));
  const bottom = frame.top + drawn.length * pitch - BAND_GAP / 2;
  parts.push(...changeRules(frame, bottom), ...timeAxis(frame, bottom),
    ...thicknessKey(frame, bottom + 36, thickness));
  return drawing(frame.width, bottom + 44, lanesConclusion(mode), parts);
}

const eachOf = (every) => every === 2 ? "every second" : every === 3 ? "every third" : `every ${every}th`;

function lanesNote(pair, sides) {
  const notes = pair.flatMap((mode, i) => [
    sides[i].every > 1 && `${mode.mode}: ${eachOf(sides[i].every)} connection is drawn.`,
    mode.lanes.left_out > 0 && `${mode.mode}: ${count(mode.lanes.left_out)} more connections were not kept.`]);
  return [...notes.filter(Boolean), leftOutText()].join(" ");
}

function lanesFigure(pair) {
  const frame = frameOf(pair, 64, 8);
  const sides = pair.map(bandsOf);
  const thickness = thicknessOf(sides, pair);
  const closed = pair.some((mode) => mode.lanes.lanes.some((lane) => lane.to_s < endOf(mode) - 0.1));
  const rows = pair.flatMap((mode) => mode.lanes.lanes.map((lane) => [mode.mode, backends[lane.backend],
    lane.from_s.toFixed(3), lane.to_s.toFixed(3), count(sum(lane.requests))]));
  const sentence = "Each line is a connection at its backend, as thick as the requests in it.";
  return pairFigure({
    name: "connections", title: "Where the connections are", sentence: `${changesText()}${sentence}`,
    caption: [sentence, closed && "A stroke ends one that was closed.",
      pair.length > 1 && "Thickness means the same on both sides.", "At the left: how many are open in the end.",
      lanesNote(pair, sides)].filter(Boolean).join(" "),
    svgs: pair.map((mode, i) => lanesChart(mode, frame, sides[i], thickness)),
    header: ["Mode", "Backend", "From s", "To s", "Requests"], rows });
}
