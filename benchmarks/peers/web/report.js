// SPDX-License-Identifier: Apache-2.0
// The report of `./dev bench peers`: draws itself from the JSON in the page.  Bundled by esbuild.
import { data, median, number, ratio, resultsOf, verdictsOf } from "./figures.js";
import { element, key, resultTable, seconds, table, targetTable } from "./elements.js";
import { dots, lines, ratios } from "./charts.js";

const only = (results, ...measures) => results.filter((result) => measures.includes(result.measure));
const sizeOf = (result) => `messages of ${result.parameters.size} B`;

// Case -> its heading, what is done, and how it is drawn.
const CASES = {
  echo: ["Round trips", "Each connection sends a message when it has the answer to the last one.",
    (results) => [lines(only(results, "CPU per message", "rate"), "connections", sizeOf),
                  lines(only(results, "p50", "p99", "p99.9"), "connections", sizeOf)]],
  open: ["Round trips at a fixed rate",
    "Half of what the better peer can do at most; latency counts from the moment a message was due, " +
    "so that a stall delays all that were due meanwhile.", (results) => [dots(results)]],
  connect: ["New connections", "Connect, 64 bytes, their answer, close; 64 at a time.",
    (results) => [dots(results)]],
  bulk: ["Bulk", "As many bytes as there is room for.",
    (results) => [lines(results, "streams", (result) => result.parameters.direction)]],
  idle: ["Idle sessions", "After one message. User memory is the growth of the contender's proportional " +
    "set size without mapped files; kernel memory the growth of slabs and TCP buffers of the whole machine, the generator's and " +
    "the backend's sockets with it: none shows what those alone take.", (results) => [dots(results)]],
  mixed: ["Small messages beside bulk", "2,000 messages a second over 16 connections, alone and beside four " +
    "streams that take all they can.", (results) => [dots(results)]],
  growth: ["Growth", "What a message and a connection cost with many idle sessions, and with many backends.",
    (results) => [
      lines(results.filter((result) => result.parameters.sessions), "sessions", undefined, "idle sessions"),
      lines(results.filter((result) => result.parameters.backends), "backends",
            (result) => result.parameters.policy)]],
  deaths: ["Dying backends", "New connections while 5 of 20 backends die at once. Failed are those that " +
    "were open at a dead backend or found no other one in time.", (results) => [dots(results)]],
};

function headline(targets) {
  const verdicts = targets.flatMap(verdictsOf).map((verdict) => verdict.met);
  const met = verdicts.filter((verdict) => verdict).length;
  const parts = [];
  for (const measure of ["CPU per GB", "CPU per message", "CPU per connection"]) {
    const found = targets.filter((result) => result.measure === measure)
      .flatMap((result) => Object.values(result.ratios)).filter((values) => values.length).map(median);
    if (found.length) {
      const low = ratio(Math.min(...found)), high = ratio(Math.max(...found));
      parts.push(`${measure} ${low === high ? low : `${low} to ${high}`}`);
    }
  }
  const share = verdicts.length ? `l4lb meets ${met} of ${verdicts.length} targets` : "No target was measured";
  return parts.length ? `${share}; beside the better of HAProxy and nginx: ${parts.join(", ")}.` : `${share}.`;
}

function caseSection(name, workers) {
  const results = resultsOf({ case: name, workers });
  const [title, text, draw] = CASES[name];
  return [element("h2", {}, workers === data.results[0].workers ? title
                                                               : `${title}, ${workers} workers each`),
          element("p", {}, text), ...draw(results)];
}

function sections() {
  const made = [];
  for (const workers of new Set(data.results.map((result) => result.workers))) {
    for (const name of Object.keys(CASES)) {
      if (resultsOf({ case: name, workers }).length) made.push(...caseSection(name, workers));
    }
  }
  return made;
}

function systemCalls() {
  if (!data.system_calls.length) return [];
  const rows = data.system_calls.map((entry) => [entry.contender, entry.operation,
    number(entry.per_operation),
    Object.entries(entry.calls).map(([call, count]) => `${call} ${count.toFixed(2)}`).join(", ")]);
  return [element("h2", {}, "System calls"),
          element("p", {}, "Counted by strace in a short run of its own: 64 connections, 64 bytes."),
          table(["Contender", "Per", "Calls", "Which"], rows, [0, 1, 3]),
          data.no_system_calls ? element("p", { class: "soft" }, data.no_system_calls) : null];
}

function profiles() {
  if (!data.profiles?.length) return [];
  return [element("h2", {}, "Where the CPU goes"),
          ...data.profiles.map((entry) => element("details", {},
            element("summary", {}, `${entry.contender}, ${entry.work}`),
            table(["Symbol", "%"], entry.symbols.map(([percent, symbol]) => [symbol, percent]))))];
}

function failures() {
  if (!data.failures.length) return [];
  return [element("h2", {}, "Failures"),
          element("p", {}, "Who lost or corrupted something has no figure there, and is no peer to compare with."),
          table(["Contender", "Work", "Round", "What"], data.failures.map((failure) => [failure.contender,
            `${failure.case} ${failure.point}`, failure.round, failure.reason]), [0, 1, 3])];
}

function howMeasured() {
  const machine = data.machine;
  return [element("h2", {}, "How this was measured"),
    element("p", {}, `${data.time}: ${machine.cores} cores, ${machine.cpu}, Linux ${machine.kernel}, load ` +
      `${number(machine.load_average)} at the start. Client, contender and backend share the cores: rates say what the ` +
      "whole machine does, CPU figures what the contender itself costs, all its processes and threads. Rounds are " +
      "interleaved; shown are medians, bars from the least to the most, and ratios taken within a round. " +
      "A spread that reaches across 1 is not a difference."),
    element("p", {}, "Repeat: ", element("code", {}, data.command))];
}

function main() {
  const targets = data.results.filter((result) => verdictsOf(result).length);
  document.getElementById("report").append(
    element("h1", {}, headline(targets)),
    element("p", { class: "soft" }, `Up to ${data.rounds} rounds of ${number(data.seconds)} s, ${seconds(data.took_seconds)} ` +
      `in all, ${data.machine.cores} cores shared by client, contender and backend` +
      (data.cut_short ? "; time ran out before the last ones" : "") +
      (data.quick ? "; a quick run, which is a smoke test and no figure" : "") + "."),
    key(),
    ...[targets.length ? element("h2", {}, "Targets") : null, targets.length ? ratios(targets) : null,
        targets.length ? targetTable(targets) : null].filter(Boolean),
    ...sections(), ...systemCalls().filter(Boolean), ...profiles(), ...failures(), ...howMeasured(),
    element("details", {}, element("summary", {}, "All figures"), resultTable(data.results)));
}

main();
