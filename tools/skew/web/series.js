// SPDX-License-Identifier: Apache-2.0
// Requests a second: a small chart for each backend, all with the same axes, on both sides.

const PANEL = 46;
const PANEL_GAP = 18;

/// Requests a second of one backend: [{from_s, to_s, rate}] as far as the run came.
function ratesOf(mode, backend) {
  const { step_s, requests } = mode.series;
  const end_s = endOf(mode);
  return requests[backend].map((answered, i) => {
    const to_s = Math.min((i + 1) * step_s, end_s);
    return { from_s: i * step_s, to_s, rate: answered / (to_s - i * step_s) };
  }).filter(({ from_s, to_s }) => to_s - from_s > step_s / 2);
}

/// From when it is there.
const ratesInUse = (mode, backend) => ratesOf(mode, backend).filter(({ to_s }) =>
  !isAdded(backend) || to_s > parameters.add_at_s);

/// What would be fair, from change to change while the backend is in use.
function fairLine(backend, frame, y) {
  const from = isAdded(backend) ? parameters.add_at_s : 0;
  const to = isRemoved(backend) ? parameters.remove_at_s : parameters.duration_s;
  const moments = [from, ...changes.map(({ at_s }) => at_s).filter((at_s) => at_s > from && at_s < to)];
  const path = moments.map((at_s, i) => {
    const level = near(y.place(parameters.rate / inUse(at_s)));
    return `M${near(frame.x.place(at_s))} ${level}H${near(frame.x.place(moments[i + 1] ?? to))}`;
  });
  return tag("path", { d: path.join(""), stroke: "currentColor", "stroke-dasharray": "2 3", fill: "none" });
}

/// In the latest part that was reached.
function latestRate(mode, backend) {
  const { part } = partsOf(mode).at(-1) ?? {};
  return part ? part.requests[backend] / (part.to_s - part.from_s) : null;
}

function panel(mode, backend, frame, y) {
  const color = isAdded(backend) ? highlightOf(mode) : OLD;
  const parts = y.ticks.map((tick) => rule(frame.left, y.place(tick), frame.right, y.place(tick)));
  for (const tick of [y.ticks[0], y.ticks.at(-1)]) {
    parts.push(words(frame.left - 6, y.place(tick) + 4, count(tick), { class: "soft", "text-anchor": "end" }));
  }
  parts.push(fairLine(backend, frame, y));
  const points = ratesInUse(mode, backend).map(({ from_s, to_s, rate: value }) =>
    `${near(frame.x.place((from_s + to_s) / 2))} ${near(y.place(value))}`);
  if (points.length === 0) return parts.join("");
  if (isAdded(backend)) {
    const [first, last] = [points[0], points.at(-1)].map((point) => point.split(" ")[0]);
    const zero = near(y.place(0));
    parts.push(tag("path", { d: `M${first} ${zero}L${points.join("L")}L${last} ${zero}z`, fill: color,
                             "fill-opacity": 0.18 }));
  }
  parts.push(tag("path", { d: `M${points.join("L")}`, stroke: color, "stroke-width": isAdded(backend) ? 2.5 : 1.75,
                           "stroke-linejoin": "round", fill: "none" }));
  return parts.join("");
}

/// Name and latest rate at the end of the line.
function panelLabel(mode, backend, frame, top) {
  const latest = latestRate(mode, backend);
  const look = isAdded(backend) ? BOLD : {};
  return words(frame.right + 8, top + PANEL / 2 - 3, short(backends[backend]), look) +
    (latest === null ? "" : words(frame.right + 8, top + PANEL / 2 + 12, `${rate(latest)}/s`, { class: "soft" }));
}

function seriesConclusion(mode) {
  if (parameters.add === 0 || !mode.since_added) return `${mode.mode}: requests a second by backend.`;
  const latest = drawn.filter(isAdded).map((backend) => latestRate(mode, backend));
  return `${mode.mode}: requests a second by backend. In the end ${addedName} ` +
    `${parameters.add > 1 ? "on average get" : "gets"} ${rate(sum(latest) / latest.length)}; ${rate(parameters.rate / inUse(endOf(mode)))} would be fair.`;
}

function seriesChart(mode, frame, most) {
  const parts = heading(mode, frame);
  drawn.forEach((backend, i) => {
    const top = frame.top + i * (PANEL + PANEL_GAP);
    const y = linearScale(0, most, top + PANEL, top);
    parts.push(panel(mode, backend, frame, y), panelLabel(mode, backend, frame, top));
  });
  const bottom = frame.top + drawn.length * (PANEL + PANEL_GAP) - PANEL_GAP;
  parts.push(...changeRules(frame, bottom), ...timeAxis(frame, bottom + 3));
  return drawing(frame.width, bottom + 26, seriesConclusion(mode), parts);
}

function seriesFigure(pair) {
  const frame = frameOf(pair, 40, 66);
  const all = pair.flatMap((mode) => drawn.flatMap((backend) =>
    ratesInUse(mode, backend).map((step) => step.rate)));
  const most = Math.max(parameters.rate / inUse(0), ...all);
  const header = ["From s", ...pair.flatMap((mode) => drawn.map((backend) => `${mode.mode} ${backends[backend]}`))];
  const columns = pair.flatMap((mode) => drawn.map((backend) => ratesOf(mode, backend)));
  const longest = columns.reduce((a, b) => a.length >= b.length ? a : b);
  const rows = longest.map(({ from_s }, i) =>
    [number(from_s), ...columns.map((steps) => orDash(steps[i], (step) => rate(step.rate)))]);
  return pairFigure({
    name: "requests", title: "Requests a second at each backend",
    sentence: `${changesText()}Requests a second at each backend.`,
    caption: "One axis for all, in requests a second; at the right each backend's mean in the last part. Dotted: its " +
      `fair part of ${count(parameters.rate)} requests a second. ${leftOutText()}`,
    svgs: pair.map((mode) => seriesChart(mode, frame, most)), header, rows });
}
