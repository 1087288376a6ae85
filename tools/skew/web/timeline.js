// SPDX-License-Identifier: Apache-2.0
// The share of what was added over time, with a line for each mode.

const TIMELINE_POINTS = 20;

/// [{at_s, share}] from the moment of adding on, in steps of about a twentieth of the run.
function sharesOverTime(mode) {
  const { step_s, requests } = mode.series;
  const size = Math.max(1, Math.round(parameters.duration_s / TIMELINE_POINTS / step_s));
  const first = Math.floor(parameters.add_at_s / step_s + 1e-9);
  const last = Math.floor(endOf(mode) / step_s + 1e-9);
  const points = [];
  for (let from = first; from + size <= last; from += size) {
    const counts = requests.map((series) => sum(series.slice(from, from + size)));
    if (sum(counts) > 0) points.push({ at_s: (from + size / 2) * step_s, share: ofAdded(counts) / sum(counts) });
  }
  return points;
}

function curve(mode, points, x, y) {
  const places = points.map(({ at_s, share: value }) => `${near(x.place(at_s))} ${near(y.place(value))}`);
  const { color, dash } = lookOf(mode);
  const line = tag("path", { d: `M${places.join("L")}`, stroke: color, "stroke-width": 2.2,
                             "stroke-dasharray": dash, "stroke-linejoin": "round", fill: "none" });
  const [right, bottom] = places.at(-1).split(" ").map(Number);
  return line + markAt(mode, right, bottom);
}

/// Names at the ends of the lines, moved apart, with a thin line to where theirs ends.
function curveLabels(lines, x, y, right) {
  const ends = lines.map(({ points }) => y.place(points.at(-1).share));
  const places = apart(ends, 14);
  return lines.flatMap(({ mode, points }, i) => [
    rule(x.place(points.at(-1).at_s) + 7, ends[i], right + 14, places[i],
      { stroke: lookOf(mode).color, "stroke-opacity": 0.7 }),
    words(right + 18, places[i] + 4, short(mode.mode, 18))]);
}

function timelineConclusion(lines) {
  const isFair = ({ mode, points }) => points.at(-1).share > 0.8 * parameters.add / inUse(endOf(mode));
  const titles = (of) => of.map(({ mode }) => mode.mode).join(", ") || "none";
  return `Share of ${addedName} over time. In the end it is about fair with ${titles(lines.filter(isFair))}; ` +
    `it is below with ${titles(lines.filter((line) => !isFair(line)))}.`;
}

function fairOverTime(x, y) {
  const moments = changes.map(({ at_s }) => at_s).filter((at_s) => at_s >= parameters.add_at_s);
  const steps = moments.map((at_s, i) => {
    const level = near(y.place(parameters.add / inUse(at_s)));
    return `M${near(x.place(at_s))} ${level}H${near(x.place(moments[i + 1] ?? parameters.duration_s))}`;
  });
  return tag("path", { d: steps.join(""), stroke: "currentColor", "stroke-dasharray": "4 3", fill: "none" });
}

function timelineChart(lines) {
  const width = widthOfAll();
  const [left, right, top, bottom] = [46, width - 136, 28, narrow.matches ? 250 : 300];
  const x = linearScale(0, parameters.duration_s, left, right);
  const shares = lines.flatMap(({ points }) => points.map((point) => point.share));
  const y = fromZero(shares, bottom, top, 1.15 * fairOfAdded);
  const parts = y.ticks.flatMap((tick) => [rule(left, y.place(tick), right, y.place(tick)),
    words(left - 6, y.place(tick) + 4, `${number(100 * tick)} %`, { class: "soft", "text-anchor": "end" })]);
  parts.push(fairOverTime(x, y),
    words(x.place(parameters.add_at_s) - 6, y.place(fairOfAdded) + 4, `fair: ${share(fairOfAdded)}`,
      { "text-anchor": "end" }),
    ...changeRules({ x, top: 24, width }, bottom), ...timeAxis({ x, left, right }, bottom),
    ...lines.map(({ mode, points }) => curve(mode, points, x, y)), ...curveLabels(lines, x, y, right));
  return drawing(width, bottom + 26, timelineConclusion(lines), parts);
}

/// One colour is one policy.
function greens(lines) {
  const green = lines.filter(({ mode }) => lookOf(mode).color === LOOKS.least_connections.color);
  return green.length > 1 ? " The green ones all have the policy least_connections." : "";
}

/// Nothing if nothing was added, or no run came so far.
function timelineFigure() {
  if (parameters.add === 0) return [];
  const lines = modes.map((mode) => ({ mode, points: sharesOverTime(mode) })).filter(({ points }) => points.length > 0);
  if (lines.length === 0) return [];
  const longest = lines.reduce((a, b) => a.points.length >= b.points.length ? a : b).points;
  const rows = longest.map(({ at_s }, i) =>
    [number(at_s), ...lines.map(({ points }) => share(points[i]?.share))]);
  const made = figure("share-over-time", `Dashed: the fair share.${greens(lines)}`,
    [element("div", {}, timelineChart(lines))], ["At s", ...lines.map(({ mode }) => mode.mode)], rows);
  made.classList.add("whole");
  return [element("h3", {}, `Share of ${addedName} over time`), made];
}
