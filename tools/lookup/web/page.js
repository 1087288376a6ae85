// SPDX-License-Identifier: Apache-2.0
// The page from top to bottom.

const counts = data.parameters.nodes;
const rowsOf = (nodes) => data.rows.filter((row) => row.nodes === nodes);

function headline() {
  const missed = data.claims.filter((claim) => !claim.holds);
  const nodes = counts.includes(100) ? 100 : counts[0];
  const fastest = rowsOf(nodes).reduce((best, row) => row.lookup_ns < best.lookup_ns ? row : best);
  const gentle = rowsOf(nodes).filter((row) => row.disruption["kill 1"].extra === 0).map(titleOf);
  const verdict = missed.length === 0 ? `All ${data.claims.length} claims hold`
    : `${missed.length} of ${data.claims.length} claims do not hold`;
  return [element("h1", {}, `${verdict}; at ${nodes} nodes ${titleOf(fastest)} looks up fastest, ` +
      `in ${number(fastest.lookup_ns)} ns`),
    element("p", {}, `When one of ${nodes} nodes dies, no key of another node moves with: ` +
      `${gentle.join(", ") || "none of them"}.`)];
}

function claimTable() {
  const value = (amount, unit) => `${number(amount)} ${unit === "x" ? "\u00d7" : unit}`;
  const rows = data.claims.map((claim) => [
    element("span", { class: claim.holds ? "pass" : "miss" }, claim.holds ? "\u2713 holds" : "\u2715 does not"),
    claim.claim, element("span", {}, element("b", {}, value(claim.measured, claim.unit)), element("br"),
      element("span", { class: "soft" }, `${claim.rule === "about" ? "about" : "at most"} ${value(claim.expected, claim.unit)}`)),
    claim.note]);
  const made = table(["", "Claim", "Measured", "How"], rows, [0, 1, 3]);
  for (const cell of made.querySelectorAll("td:first-child")) cell.classList.add("verdict");
  return made;
}

function costs(nodes) {
  const rows = rowsOf(nodes);
  const whole = (tick) => number(tick);
  const title = `${nodes} nodes`;
  return [
    element("h2", {}, "What a lookup costs"),
    element("p", {}, "Filled: throughput, lookups that do not wait for each other. Hollow: latency, each waits for the " +
      `one before. Both with the loop around them, which alone takes ${number(data.empty.lookup_ns)} and ` +
      `${number(data.empty.latency_ns)} ns. Lines: from the fastest to the slowest round.`),
    figure("lookup", "One thread, keys already hashed.", [costChart(title, rows, [
      { of: (row) => row.lookup_ns, range: (row) => row.lookup_ns_range },
      { of: (row) => row.latency_ns, range: (row) => row.latency_ns_range, hollow: true }], "ns for a lookup", whole)],
    ["Algorithm", "Throughput ns", "from", "to", "Latency ns", "from", "to"], rows.map((row) => [titleOf(row),
      ...[row.lookup_ns, ...row.lookup_ns_range, row.latency_ns, ...row.latency_ns_range].map(number)])),
    element("h2", {}, "Memory and building"),
    figure("memory", "Memory of what a lookup reads; building from names to the first lookup.", [
      costChart("Memory", rows, [{ of: (row) => row.memory_bytes }], "bytes", bytes),
      costChart("Building", rows, [{ of: (row) => row.build_ms, range: (row) => row.build_ms_range }], "ms", whole)],
    ["Algorithm", "Memory", "Build ms", "from", "to"], rows.map((row) => [titleOf(row), bytes(row.memory_bytes),
      ...[row.build_ms, ...row.build_ms_range].map(number)]))];
}

function shares(nodes) {
  const rows = rowsOf(nodes);
  const keys = data.parameters.keys;
  const chance = Math.sqrt((nodes - 1) / keys);
  return [element("h2", {}, "How even the shares are"),
    element("p", {}, `One dot for each node; the fullest is labelled. ${keys.toLocaleString("en-US")} keys over ${nodes} nodes ` +
      `spread by ${percent(chance)} by chance alone, whatever the algorithm.`),
    figure("shares", "Dashed: the fair share.", [shareChart(`${nodes} nodes`, rows)],
      ["Algorithm", "Fullest, x fair", "Spread"],
      rows.map((row) => [titleOf(row), row.peak_to_mean.toFixed(3), percent(row.stddev)]))];
}

function moves(nodes) {
  const rows = rowsOf(nodes);
  const changes = Object.keys(CHANGES);
  const cell = (movement) => movement ? `${percent(movement.moved)} (${percent(movement.extra)} in vain)` : "\u2013";
  return [element("h2", {}, "What moves when nodes change"),
    element("p", {}, "The stroke is the least that can move between the two splits, the mark what moved: the bar between them, and " +
      `the number at the right, moved in vain. With equal shares ${percent(1 / (nodes + 1))} have to move when one of ${nodes} nodes is added, ` +
      `${percent(1 / nodes)} when one leaves.`),
    figure("moves", "Died: health says so, and the node stays configured; maglev and ring keep everything else in its place. " +
      "From 8 to 10 and from 9 to 10 do not depend on the number of nodes chosen.",
    changes.map((change) => moveChart(change, rows)), ["Algorithm", ...changes],
    rows.map((row) => [titleOf(row), ...changes.map((change) => cell(row.disruption[change]))]))];
}

function howItWasRun() {
  const { parameters } = data;
  const flags = ["nodes", "points", "table_sizes", "keys", "seed"].map((name) => `--${name}=${[parameters[name]].flat().join()}`);
  return [element("h2", {}, "How it was run"),
    element("p", {}, `One thread; the median of ${parameters.rounds} rounds of at least ${number(parameters.round_ms)} ms. ` +
      "Shares and moves depend on nothing but these flags; times are of the machine that it ran on."),
    element("p", {}, element("code", {}, `l4lb-lookup ${flags.join(" ")}`))];
}

function show() {
  const chosen = element("div");
  const buttons = counts.map((nodes) => button(`${nodes} nodes`, () => choose(nodes)));
  const choose = (nodes) => {
    buttons.forEach((one, i) => one.setAttribute("aria-pressed", counts[i] === nodes));
    chosen.replaceChildren(...costs(nodes), ...shares(nodes), ...moves(nodes));
  };
  choose(counts.includes(100) ? 100 : counts[0]);
  document.getElementById("report").replaceChildren(...headline(),
    element("h2", {}, "What is claimed"), claimTable(),
    element("h2", {}, "By number of nodes"), element("div", {}, ...buttons), chosen,
    element("h2", {}, "A Maglev table when a node leaves"), maglevPictures(),
    element("h2", {}, "A ring, and what points are for"), ringPicture(), ...howItWasRun());
}

show();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
