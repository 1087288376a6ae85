// SPDX-License-Identifier: Apache-2.0
// The charts.  A row is a policy, or another way of balancing; see the data's `groups`.

const WIDTH = 430;
const MOST_BACKENDS_DRAWN = 16;
const LOG_FROM = 20;
const NINES = [[0.5, "50"], [0.9, "90"], [0.99, "99"], [0.999, "99.9 %"]];
const ninesOf = (share) => -Math.log10(1 - share);
const COUNT_LOG_FROM = 50;
const chart = (title, svg) => element("div", {}, element("h3", {}, title), svg);

/// A scale for times: logarithmic only if it must be, and it says so.
function timeScale(values, from, to) {
  const positive = values.filter((value) => value > 0);
  const most = Math.max(...positive);
  if (most > LOG_FROM * Math.min(...positive)) return { ...logScale(positive, from, to), note: ", logarithmic" };
  return { ...linearScale(0, most, from, to), note: "" };
}

/// What the vertical axis counts, above it.
const axisName = (text) => words(0, 12, text, { class: "soft" });

/// Latency by percentile, in nines; a band from the least to the most of the runs, and what is published as grey bars.
function curveChart(group, published) {
  const [left, right, top, bottom] = [56, WIDTH - 134, 26, 246];
  const x = linearScale(ninesOf(0.5), ninesOf(0.999), left, right);
  const values = [...group.rows.flatMap((row) => [...row.curve.least, ...row.curve.most]),
    ...published.flatMap((figure) => [figure.least, figure.most])];
  const y = timeScale(values, bottom, top);
  const parts = y.ticks.flatMap((tick) => [rule(left, y.place(tick), right, y.place(tick)),
    words(left - 6, y.place(tick) + 4, number(tick), { class: "soft", "text-anchor": "end" })]);
  for (const [share, name] of NINES) {
    parts.push(rule(x.place(ninesOf(share)), top, x.place(ninesOf(share)), bottom),
      words(x.place(ninesOf(share)), bottom + 16, name, { class: "soft", "text-anchor": "middle" }));
  }
  parts.push(axisName(`ms${y.note}`), words((left + right) / 2, bottom + 33, "percentile", { class: "soft", "text-anchor": "middle" }));
  const labels = [];
  for (const row of group.rows) {
    const points = (of) => row.curve.nines.map((nines, i) => [x.place(nines), y.place(Math.max(of[i], 1e-3))]);
    const look = lookOf(row);
    parts.push(tag("path", { d: band(points(row.curve.least), points(row.curve.most)), fill: look.color, "fill-opacity": 0.15 }),
      titled(pathOf(points(row.curve.median), { stroke: look.color, "stroke-width": 2, "stroke-dasharray": look.dash }),
        `${row.label}: p50 ${ms(row.p50)}, p99 ${ms(row.p99)}`));
    labels.push({ y: points(row.curve.median).at(-1)[1], row });
  }
  for (const { y: at, row } of spread(labels, 16)) {
    parts.push(markAt(row, right + 10, at), words(right + 18, at + 4, row.label + (row.growing ? " \u2191" : "")));
  }
  for (const figure of published.filter(({ figure: name }) => name === "p50" || name === "p99")) {
    const at = x.place(ninesOf(figure.figure === "p50" ? 0.5 : 0.99));
    parts.push(titled(rule(at, y.place(figure.least) + 2, at, y.place(figure.most) - 2,
      { stroke: "var(--soft, #5b6470)", "stroke-width": 7, "stroke-opacity": 0.7 }),
    `published, ${figure.policy} ${figure.figure}: ${number(figure.least)} to ${ms(figure.most)}`));
  }
  const best = group.rows.reduce((least, row) => row.p99 < least.p99 ? row : least);
  return chart(group.name || "Latency", drawing(WIDTH, bottom + 40, `Latency by percentile: the lowest p99 is that of ${best.label}, ${ms(best.p99)}`, parts));
}

const band = (low, high) =>
  `M${[...low, ...high.reverse()].map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}z`;

/// The p99 of every run as a dot, and their median.
function dotsChart(group) {
  const [left, right, top, height] = [122, WIDTH - 66, 6, 24];
  const x = timeScale(group.rows.flatMap((row) => row.p99_of_runs), left, right);
  const bottom = top + height * group.rows.length;
  const parts = x.ticks.flatMap((tick) => [rule(x.place(tick), top, x.place(tick), bottom),
    words(x.place(tick), bottom + 16, number(tick), { class: "soft", "text-anchor": "middle" })]);
  group.rows.forEach((row, i) => {
    const y = top + height * (i + 0.5);
    parts.push(words(left - 10, y + 4, row.label, { "text-anchor": "end" }));
    for (const value of row.p99_of_runs) {
      parts.push(tag("circle", { cx: x.place(value).toFixed(1), cy: y, r: 4, fill: lookOf(row).color, "fill-opacity": 0.5 }));
    }
    parts.push(rule(x.place(row.p99), y - 8, x.place(row.p99), y + 8, { stroke: "currentColor", "stroke-width": 2 }),
      words(WIDTH, y + 4, row.growing ? "\u2191 grows" : number(row.p99), { "text-anchor": "end" }));
  });
  parts.push(words((left + right) / 2, bottom + 33, `p99 of each run, ms${x.note}`, { class: "soft", "text-anchor": "middle" }));
  return chart(group.name || "p99", drawing(WIDTH, bottom + 40, `p99: ${group.rows.map((row) => `${row.label} ${ms(row.p99)}`).join(", ")}`, parts));
}

/// The scale of a count from 0 to `most`: logarithmic from 50 on, and it says so.
function countScale(most, from, to) {
  if (most <= COUNT_LOG_FROM) return { ...linearScale(0, Math.max(most, 1), from, to), note: "" };
  const scale = linearScale(0, Math.log10(1 + most), from, to);
  return { place: (count) => scale.place(Math.log10(1 + count)), ticks: [0, 10, 100, 1000, 10000, 100000].filter((tick) => tick <= most),
    note: ", logarithmic" };
}

/// The grid and the words of a chart over the time.
function timeFrame(times_s, y, name, [left, right, top, bottom]) {
  const x = linearScale(0, times_s.at(-1), left, right);
  return { x, parts: [axisName(name),
    ...y.ticks.flatMap((tick) => [rule(left, y.place(tick), right, y.place(tick)),
      words(left - 6, y.place(tick) + 4, number(tick), { class: "soft", "text-anchor": "end" })]),
    ...x.ticks.flatMap((tick) => [rule(x.place(tick), top, x.place(tick), bottom),
      words(x.place(tick), bottom + 16, `${number(tick)} s`, { class: "soft", "text-anchor": "middle" })])] };
}

/// How many requests each backend has, over the time; `most` is the same for all rows.
function queueChart(row, most, marked) {
  const box = [44, WIDTH - 60, 26, 150];
  const [, right, top, bottom] = box;
  const { times_s, present } = row.over_time;
  const y = countScale(most, bottom, top);
  const { x, parts } = timeFrame(times_s, y, `requests${y.note}`, box);
  drawnOf(present, marked).forEach((backend) => {
    const points = present[backend].map((count, i) => [x.place(times_s[i]), y.place(count)]);
    parts.push(titled(pathOf(points, marked.includes(backend) ? { stroke: "var(--bad, #b04a00)", "stroke-width": 2 }
      : { stroke: "currentColor", "stroke-width": 1, "stroke-opacity": 0.55 }), `backend ${backend + 1}`));
  });
  const last = Math.max(...present.map((counts) => counts.at(-1)));
  parts.push(words(right + 6, y.place(last) + 4, number(last)));
  return chart(row.label, drawing(WIDTH, bottom + 22, `${row.label}: the longest queue at the end is ${last}`, parts));
}

/// Median and p99 of what came in each part of the time; `y` is the same for all rows.
function latencyChart(row, values) {
  const box = [56, WIDTH - 60, 26, 150];
  const [, right, top, bottom] = box;
  const { times_s, p50, p99 } = row.over_time;
  const y = timeScale(values, bottom, top);
  const { x, parts } = timeFrame(times_s, y, `ms${y.note}`, box);
  const least = Math.min(...values);
  const { color } = lookOf(row);
  const ends = [];
  for (const [name, of, width] of [["p99", p99, 2], ["p50", p50, 1.5]]) {
    const points = of.map((value, i) => [x.place(times_s[i]), y.place(Math.max(value ?? 0, least))]).filter((_, i) => of[i] !== null);
    parts.push(titled(pathOf(points, { stroke: color, "stroke-width": width, "stroke-dasharray": name === "p50" ? "4 3" : "" }), `${row.label}, ${name}`));
    ends.push({ y: points.at(-1)?.[1] ?? bottom, name });
  }
  for (const { y: at, name } of spread(ends, 14)) parts.push(words(right + 6, at + 4, name));
  return chart(row.label, drawing(WIDTH, bottom + 22, `${row.label}: latency over the time, at most ${ms(Math.max(...p99))}`, parts));
}

/// Of many backends the marked ones, and some others.
function drawnOf(lists, marked) {
  const all = lists.map((_, backend) => backend);
  if (all.length <= MOST_BACKENDS_DRAWN) return all;
  const chosen = marked.slice(0, MOST_BACKENDS_DRAWN / 2);
  return [...all.filter((backend) => !marked.includes(backend)).slice(0, MOST_BACKENDS_DRAWN - chosen.length), ...chosen];
}

/// What is published about the share of the slow ones, in percent: [[least, most], ...].
function publishedShares(row, published, marked) {
  if (marked.length !== 1) return [];
  return published.filter(({ policy, figure: name }) => policy === row.policy && name === "slow share").map(({ least, most }) => [least, most]);
}

/// What each backend gets, in percent, beside the fair share by number.
function sharesChart(group, marked, published) {
  const backends = group.rows[0].shares.length;
  const [left, right, top] = [122, WIDTH - 10, 8];
  const height = 14 + 6 * backends;
  const bottom = top + height * group.rows.length;
  const most = Math.max(...group.rows.flatMap((row) => row.shares), 1 / backends);
  const x = linearScale(0, 100 * most, left, right);
  const parts = x.ticks.flatMap((tick) => [rule(x.place(tick), top, x.place(tick), bottom),
    words(x.place(tick), bottom + 16, `${number(tick)} %`, { class: "soft", "text-anchor": "middle" })]);
  group.rows.forEach((row, i) => {
    const y = top + height * i;
    const { color } = lookOf(row);
    parts.push(words(left - 10, y + height / 2 + 1, row.label, { "text-anchor": "end" }));
    row.shares.forEach((share, backend) => parts.push(titled(tag("rect", { x: left, y: y + 4.5 + 6 * backend, height: 4,
      width: Math.max(0, x.place(100 * share) - left).toFixed(1), fill: color, stroke: color, "fill-opacity": marked.includes(backend) ? 0 : 1 }),
    `backend ${backend + 1}: ${percent(share)}`)));
    parts.push(...publishedShares(row, published, marked).map(([low, high]) => titled(
      rule(x.place(low), y + height - 3, Math.max(x.place(high), x.place(low) + 4), y + height - 3,
        { stroke: "var(--soft, #5b6470)", "stroke-width": 7, "stroke-opacity": 0.7 }),
      `published, ${row.policy}: ${number(low)} to ${number(high)} %`)));
  });
  const fair = x.place(100 / backends);
  parts.push(rule(fair, top, fair, bottom, { stroke: "currentColor", "stroke-dasharray": "4 3" }),
    words(fair, bottom + 32, "equal", { class: "soft", "text-anchor": "middle" }));
  return chart(group.name || "Shares", drawing(WIDTH, bottom + 38, "Shares of the backends", parts));
}
