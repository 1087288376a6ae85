// SPDX-License-Identifier: Apache-2.0
// The charts and tables of what was simulated or run, from top to bottom.

const HEADER = ["", "mean ms", "p50", "p90", "p99", "p99.9", "max", "p99 of the runs"];

function rowCells(row, marked) {
  const cells = [row.label + (row.growing ? " \u2191" : ""), row.mean, row.p50, row.p90, row.p99, row.p99_9, row.max]
    .map((value) => typeof value === "number" ? number(value) : value);
  cells.push(`${number(Math.min(...row.p99_of_runs))} \u2013 ${number(Math.max(...row.p99_of_runs))}`);
  if (marked.length > 0) cells.push(percent(marked.reduce((sum, backend) => sum + row.shares[backend], 0)));
  if (row.failed_percent !== undefined) cells.push(`${row.failed_percent.toFixed(1)} %`);
  return cells;
}

function headerOf(found) {
  const header = [...HEADER];
  if (found.marked.length > 0) header.push(`${found.marked_name} get`);
  if (found.groups[0].rows[0].failed_percent !== undefined) header.push("failed");
  return header;
}

/// What the figures come to, in one sentence.
function headline(found) {
  const rows = found.groups[0].rows;
  const growing = rows.filter((row) => row.growing);
  const stable = rows.filter((row) => !row.growing);
  if (stable.length === 0) return "Queues grow whatever is done: more comes than all backends can do";
  const best = stable.reduce((least, row) => row.p99 < least.p99 ? row : least);
  const worst = stable.reduce((most, row) => row.p99 > most.p99 ? row : most);
  const first = `${best.label} has the lowest p99, ${ms(best.p99)}`;
  if (growing.length > 0) return `${first}; with ${growing.map((row) => row.label).join(" and ")} a queue grows without end`;
  return rows.length === 1 ? first : `${first}; the highest is ${ms(worst.p99)}, with ${worst.label}`;
}

function claimTable(claims) {
  return table(["", "Claim", "Measured"], claims.map((claim) => [
    element("span", { class: claim.holds ? "pass" : "miss" }, claim.holds ? "\u2713 holds" : "\u2715 does not"),
    claim.claim, claim.measured]), [0, 1, 2]);
}

const rowsOverTime = (found) => found.groups.flatMap((group) => group.rows).filter((row) => row.over_time);

function queuesOverTime(found) {
  const rows = rowsOverTime(found);
  if (rows.length === 0) return [];
  const most = Math.max(...rows.flatMap((row) => row.over_time.present.flat()));
  return [element("h2", {}, "Queues over time"),
    element("p", {}, "One line for each backend, the first run; the vertical axis is the same for all. " +
      (found.marked.length > 0 ? `In colour: the ${found.marked_name} ones. ` : "") + "A queue that is sent more than its backend can do has no end."),
    figure("queues", "Requests at a backend, those included that wait for it at a balancer.",
      rows.map((row) => queueChart(row, most, found.marked)),
      ["", "s", ...rows[0].over_time.present.map((_, backend) => `backend ${backend + 1}`)],
      rows.flatMap((row) => row.over_time.times_s.map((time, i) => [row.label, number(time), ...row.over_time.present.map((counts) => counts[i])])))];
}

function latencyOverTime(found) {
  const rows = rowsOverTime(found);
  const values = rows.flatMap((row) => [...row.over_time.p50, ...row.over_time.p99]).filter((value) => value !== null);
  if (values.length === 0) return [];
  const cell = (value) => value === null ? "" : number(value);
  return [element("h2", {}, "Latency over time"),
    element("p", {}, "Of what was answered in each part of the time, all runs together: the median and the p99. The vertical axis is the same for all."),
    figure("latency-over-time", "A line that rises to the end is latency that grows as long as requests come.",
      rows.map((row) => latencyChart(row, values)), ["", "s", "p50 ms", "p99 ms"],
      rows.flatMap(({ label, over_time: { times_s, p50, p99 } }) => times_s.map((time, i) => [label, number(time), cell(p50[i]), cell(p99[i])])))];
}

function shares(found) {
  if (found.groups[0].rows[0].shares.length > MOST_BACKENDS_DRAWN) return [];
  const has = (name) => found.published.some((figure) => figure.figure === name);
  return [element("h2", {}, "Who gets what"),
    figure("shares", "Share of each backend, from the first at the top to the last." +
      (found.marked.length > 0 ? ` Hollow: the ${found.marked_name} ones.` : "") + (has("slow share") ? " Grey bars: what is published about them." : ""),
    found.groups.map((group) => sharesChart(group, found.marked, found.published)), ["", "shares"],
    found.groups.flatMap((group) => group.rows.map((row) => [row.label, row.shares.map(percent).join(", ")])))];
}

function reportOf(found) {
  const header = headerOf(found);
  const rows = found.groups.flatMap((group) => group.rows.map((row) => [...rowCells(row, found.marked)]
    .map((cell, i) => i === 0 && group.name ? `${cell} (${group.name})` : cell)));
  const parts = [element("h1", {}, headline(found)), element("p", {}, unbroken(found.text)), table(header, rows)];
  if (rows.some(([name]) => name.includes("\u2191"))) parts.push(element("p", { class: "soft" }, "\u2191 grows as long as requests come."));
  parts.push(element("h2", {}, "Latency"),
    element("p", {}, "From the moment a request comes to its answer. Lines: the median of the runs; bands: from the least to the most of them." +
      (found.published.length > 0 ? " Grey bars: what is published." : "")),
    figure("latency", "Percentiles are in nines. Dots: the p99 of each run, and their median as a line.",
      found.groups.flatMap((group) => [curveChart(group, found.published), dotsChart(group)]),
      [...header, "p99 of each run"], found.groups.flatMap((group) => group.rows).map((row, i) =>
        [...rows[i], row.p99_of_runs.map(number).join(" ")])),
    ...latencyOverTime(found), ...queuesOverTime(found), ...shares(found));
  if (found.claims.length > 0) parts.push(element("h2", {}, "What is said, and what is measured"), claimTable(found.claims));
  parts.push(element("p", { class: "soft" }, "Again: ", element("code", {}, found.command)));
  return parts;
}
