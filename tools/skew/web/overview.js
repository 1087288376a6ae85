// SPDX-License-Identifier: Apache-2.0
// All modes at once: a line for each over time, and a row for each in charts of dots.

const NAMES_WIDTH = 148;
const ROW = 24;
const LOG_FROM_RATIO = 20;

const rowY = (i) => 26 + ROW * (i + 0.5);

/// A row for each mode: `draw(mode, y)` makes what stands in it, `end(mode)` the text at its right.
function rowChart(title, conclusion, { scale, axis, format, draw, end, above = [] }) {
  const width = widthOfChart();
  const bottom = rowY(modes.length - 0.5);
  const parts = [...scale.ticks.flatMap((tick) => [
    rule(scale.place(tick), 26, scale.place(tick), bottom),
    words(scale.place(tick), bottom + 16, format(tick), { class: "soft", "text-anchor": "middle" })]), ...above];
  modes.forEach((mode, i) => parts.push(markAt(mode, 7, rowY(i)), words(20, rowY(i) + 4, short(mode.mode, 18)),
    ...draw(mode, rowY(i)), words(width, rowY(i) + 4, end(mode), { "text-anchor": "end" })));
  const lines = linesOf(axis, width);
  lines.forEach((line, i) => parts.push(
    words(width, bottom + 34 + LINE_HEIGHT * i, line, { class: "soft", "text-anchor": "end" })));
  return titled(title, drawing(width, bottom + 27 + LINE_HEIGHT * lines.length, `${title}. ${conclusion}`, parts));
}

const ends = (room) => [NAMES_WIDTH, widthOfChart() - room];
const bar = (mode, from, to, y, attributes = {}) =>
  rule(from, y, to, y, { stroke: lookOf(mode).color, "stroke-width": 2.5, ...attributes });

const stroke = (x, y, color) => rule(x, y - 8, x, y + 8, { stroke: color, "stroke-width": 2.5 });

function namesWhere(matches) {
  const found = modes.filter(matches).map((mode) => mode.mode);
  return found.length === 0 ? "none" : found.join(", ");
}

function shareRows() {
  const shares = modes.map((mode) => shareOfAdded(mode.since_added));
  const [left, right] = ends(64);
  const scale = fromZero(shares.filter((value) => value !== null), left, right, 1.25 * fairOfAdded);
  const fair = scale.place(fairOfAdded);
  return rowChart(`Share of ${addedName} since the moment of adding`,
    `Fair is ${share(fairOfAdded)}; less than a tenth of it with ${namesWhere(({ since_added }) =>
      since_added && shareOfAdded(since_added) < 0.1 * fairOfAdded)}.`, {
      scale, axis: "share of all requests", format: (tick) => `${number(100 * tick)} %`,
      above: [rule(fair, 18, fair, rowY(modes.length - 0.5), { stroke: "currentColor", "stroke-dasharray": "4 3" }),
              words(fair, 13, `fair: ${share(fairOfAdded)}`, { "text-anchor": "middle" })],
      draw: (mode, y) => {
        const value = shareOfAdded(mode.since_added);
        return value === null ? [] : [bar(mode, left, scale.place(value), y), markAt(mode, scale.place(value), y)];
      },
      end: (mode) => share(shareOfAdded(mode.since_added)),
    });
}

function fairRows() {
  const rest = parameters.duration_s - parameters.add_at_s;
  const [left, right] = ends(64);
  const scale = fromZero([rest], left, right);
  return rowChart(`Seconds until ${addedName} had nine tenths of the fair share`,
    `Never with ${namesWhere((mode) => mode.during && mode.seconds_to_fair === null)}.`, {
      scale, axis: "seconds from the moment of adding", format: number,
      draw: (mode, y) => {
        if (!mode.during) return [];
        if (mode.seconds_to_fair === null) {
          const end = scale.place(endOf(mode) - parameters.add_at_s);
          return [bar(mode, left, end, y, { "stroke-width": 1.5, "stroke-dasharray": "1 4" })];
        }
        const x = scale.place(mode.seconds_to_fair);
        return [bar(mode, left, x, y), markAt(mode, x, y)];
      },
      end: fairAfter,
    });
}

function costRows() {
  const [left, right] = ends(96);
  const scale = fromZero(modes.flatMap((mode) => [mode.connections_cut, mode.retries, mode.errors]), left, right);
  const worst = modes.reduce((a, b) => b.connections_cut > a.connections_cut ? b : a);
  return rowChart("Connections cut, requests sent again, requests lost",
    `Most are cut with ${worst.connections_cut > 0 ? worst.mode : "none"}; ` +
    `requests are lost with ${namesWhere((mode) => mode.errors > 0)}.`, {
      scale, axis: "filled: cut; hollow: sent again; stroke: lost", format: count,
      draw: (mode, y) => [bar(mode, left, scale.place(mode.connections_cut), y),
        mode.errors > 0 ? stroke(scale.place(mode.errors), y, "currentColor") : "",
        mode.retries > 0 ? markAt(mode, scale.place(mode.retries), y, true) : "",
        mode.connections_cut > 0 ? markAt(mode, scale.place(mode.connections_cut), y) : ""],
      end: (mode) => [mode.connections_cut, mode.retries, mode.errors].map(count).join(" / "),
    });
}

/// The 99th percentiles of the parts that any mode reached: hollow the first, filled the last, strokes between.
function latencyRows() {
  const keys = partNames(modes);
  const valuesOf = (mode) => keys.map(([key]) => mode[key]?.p99_ms ?? null);
  const known = (mode) => valuesOf(mode).filter((value) => value > 0);
  const all = modes.flatMap(known);
  const log = all.length > 0 && Math.max(...all) / Math.min(...all) > LOG_FROM_RATIO;
  const [left, right] = ends(16 + 36 * keys.length);
  const scale = log ? logScale(all, left, right) : fromZero(all, left, right);
  const looks = keys.map((_, i) => i === keys.length - 1 ? "filled" : i === 0 ? "hollow" : "stroke");
  const draws = {
    filled: (mode, x, y) => markAt(mode, x, y), hollow: (mode, x, y) => markAt(mode, x, y, true),
    stroke: (mode, x, y) => stroke(x, y, lookOf(mode).color),
  };
  const worst = modes.reduce((a, b) => Math.max(0, ...known(b)) > Math.max(0, ...known(a)) ? b : a);
  const legend = keys.length > 1 ? keys.map(([, name], i) => `; ${looks[i]}: ${name}`).join("") : "";
  return rowChart("Latency of the slowest hundredth of requests", `Highest with ${worst.mode}.`, {
    scale, axis: `p99 in ms${log ? ", logarithmic" : ""}${legend}`, format: number,
    draw: (mode, y) => known(mode).length === 0 ? [] : [
      bar(mode, scale.place(Math.min(...known(mode))), scale.place(Math.max(...known(mode))), y),
      ...valuesOf(mode).map((value, i) => value > 0 ? draws[looks[i]](mode, scale.place(value), y) : "")],
    end: (mode) => known(mode).map(number).join(" / "),
  });
}

/// All that is known of each mode in few numbers.
function overviewFigure() {
  const charts = [...(parameters.add > 0 ? [shareRows(), fairRows()] : []), costRows(), latencyRows()];
  const keys = partNames(modes);
  const header = ["Mode", "Share of added", "Fair after", "Cut", "Sent again", "Lost",
    ...keys.map(([, name]) => `p99 ${name}`), "Jain's index"];
  const rows = modes.map((mode) => [mode.mode, share(shareOfAdded(mode.since_added)), fairAfter(mode),
    count(mode.connections_cut), count(mode.retries), count(mode.errors),
    ...keys.map(([key]) => milliseconds(mode[key]?.p99_ms)), orDash(mode.jain, number)]);
  const caption = "Connections cut are those closed by the balancer before their client was done; a request in one is " +
    "sent again by its client. Latency counts from when a request was due.";
  const made = figure("overview", caption, charts, header, rows);
  made.classList.add("pair");
  return made;
}
