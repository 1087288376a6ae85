// SPDX-License-Identifier: Apache-2.0
// What the report knows: the results of a run, and words and numbers made from them.

export const data = JSON.parse(document.getElementById("data").textContent);

// Okabe and Ito's colours, the same in every chart; each contender has its own marker as well.
const LOOKS = {
  "l4lb-epoll": { color: "#d55e00", symbol: "circle" },
  "l4lb-io_uring": { color: "#cc79a7", symbol: "diamond" },
  haproxy: { color: "#0072b2", symbol: "square" },
  nginx: { color: "#009e73", symbol: "triangle" },
  none: { color: "#999999", symbol: "times" },
};

export const look = (name) => LOOKS[name] ?? { color: "#999999", symbol: "star" };
export const isOurs = (name) => name.startsWith("l4lb");

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/// Three digits, no more: the rest is noise.
export function number(value) {
  if (value !== 0 && Math.abs(value) < 0.001) return value.toExponential(1);
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return value.toLocaleString("en", { maximumSignificantDigits: 3 });
}

/// For axes: 20K.
export const short = (value) => Math.abs(value) < 10000 ? number(value)
  : value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 });

export const ratio = (value) => value >= 100 ? number(value) : value.toFixed(2);

export const titleOf = (result) => result.unit ? `${result.measure}, ${result.unit}` : result.measure;

export const resultsOf = (wanted) => data.results.filter((result) =>
  Object.entries(wanted).every(([name, value]) => result[name] === value));

/// One line for each contender that has sound figures.
export function pointsOf(result) {
  return data.contenders.filter((name) => result.values[name]?.length && !result.failed[name]?.length)
    .map((name) => ({
      name, result, values: result.values[name], median: median(result.values[name]),
      low: Math.min(...result.values[name]), high: Math.max(...result.values[name]),
      point: result.point, ...result.parameters,
    }));
}

export function spread(values) {
  if (values.length < 2) return number(values[0]);
  return `${number(median(values))} (${number(Math.min(...values))}..${number(Math.max(...values))})`;
}

/// One sentence: where l4lb stands in these results.
export function conclusion(results) {
  const parts = [];
  for (const name of data.contenders.filter(isOurs)) {
    const ratios = results.filter((result) => result.ratios[name]?.length)
      .map((result) => median(result.ratios[name]));
    if (!ratios.length) continue;
    const low = ratio(Math.min(...ratios)), high = ratio(Math.max(...ratios));
    parts.push(`${name}: ${low === high ? low : `${low} to ${high}`} times the better peer`);
  }
  const failed = data.contenders.filter((name) => results.some((result) => result.failed[name]?.length));
  return [parts.length && `${parts.join("; ")}. ${results[0].more_is_better ? "More" : "Less"} is better.`,
          failed.length && `Failed, and so left out: ${failed.join(", ")}.`].filter(Boolean).join(" ");
}

export const sign = (target) => target.at_least ? "\u2265" : "\u2264";

export const targetText = (result, target) =>
  `${sign(target)} ${number(target.limit)}${target.absolute ? ` ${result.unit}` : ""}`;

export const EPOLL = "l4lb-epoll";

/// What l4lb aims at in a result: of each contender of ours to the better peer, or of the value
/// itself, and to our epoll engine.
export function verdictsOf(result) {
  const plain = Object.entries(result.targets).map(([name, target]) => ({
    name, target, met: result.met[name],
    judged: target.absolute ? result.values[name] : result.ratios[name],
    to: target.absolute ? "itself" : result.better_peer,
  }));
  const beside = Object.entries(result.targets_to_epoll).filter(() => data.contenders.includes(EPOLL))
    .map(([name, target]) => ({
      name, target, met: result.met_to_epoll[name], judged: result.ratios_to_epoll[name], to: EPOLL,
    }));
  return [...plain, ...beside];
}
