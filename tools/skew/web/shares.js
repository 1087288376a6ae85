// SPDX-License-Identifier: Apache-2.0
// Each backend's share of the requests, before and after, against what is fair.

const BAR = 10;
const BAR_PITCH = 14;
const ROW_GAP = 10;

/// Not shown is the time in which what was added had just come.
const partsShown = (mode) => partsOf(mode).filter(({ key }) => key !== "during");

const fairShare = (part) => 1 / inUse((part.from_s + part.to_s) / 2);

function shareBars(mode, backend, frame, top) {
  const { keys } = frame;
  const color = isAdded(backend) ? highlightOf(mode) : OLD;
  const parts = [words(0, top + (keys.length * BAR_PITCH) / 2 + 2, short(backends[backend]),
    isAdded(backend) ? BOLD : {})];
  keys.forEach(([key], i) => {
    const part = mode[key];
    if (!part || key === "before" && isAdded(backend)) return;
    const y = top + i * BAR_PITCH;
    const end = frame.scale.place(part.share[backend]);
    const first = i === 0 && keys.length > 1;
    parts.push(box(frame.left, y, end - frame.left, BAR,
      { fill: first ? "var(--paper, #fff)" : color, stroke: color, "stroke-width": 1.2 }),
      words(frame.right + 8, y + 10, share(part.share[backend]), first ? { class: "soft" } : {}));
  });
  return parts.join("");
}

/// Rules at the fair shares, each named on a line of its own.
function fairRules(mode, frame, bottom) {
  const shares = new Map(frame.keys.filter(([key]) => mode[key]).map(
    ([key, name]) => [near(100 * fairShare(mode[key])), name]));
  const sorted = [...shares].sort(([a], [b]) => a - b);
  return sorted.flatMap(([fair, name], i) => {
    const x = frame.scale.place(fair / 100);
    const text = `fair ${sorted.length > 1 ? `${name} ` : ""}${fair} %`;
    const level = frame.top - 8 - LINE_HEIGHT * i;
    const left = x > 6.3 * text.length;
    const dash = sorted.length > 1 && name === PARTS.before ? "1 3" : "4 3";
    return [rule(x, level - 9, x, bottom, { stroke: "currentColor", "stroke-dasharray": dash }),
            words(x + (left ? -4 : 4), level, text, { "text-anchor": left ? "end" : "start" })];
  });
}

function sharesConclusion(mode) {
  const { name, part } = partsShown(mode).at(-1) ?? {};
  if (!part) return `${mode.mode}: ended before anything was counted.`;
  const shares = drawn.map((backend) => `${backends[backend]} ${share(part.share[backend])}`);
  return `${mode.mode}: shares of the requests ${name}: ${shares.join(", ")}; fair is ${share(fairShare(part))}.`;
}

function sharesChart(mode, frame) {
  const pitch = frame.keys.length * BAR_PITCH + ROW_GAP;
  const bottom = frame.top + drawn.length * pitch;
  const parts = heading(mode, frame);
  for (const tick of frame.scale.ticks) {
    const x = frame.scale.place(tick);
    parts.push(rule(x, frame.top, x, bottom),
      words(x, bottom + 16, `${number(100 * tick)} %`, { class: "soft", "text-anchor": "middle" }));
  }
  drawn.forEach((backend, i) => parts.push(shareBars(mode, backend, frame, frame.top + ROW_GAP / 2 + i * pitch)));
  parts.push(...fairRules(mode, frame, bottom));
  return drawing(frame.width, bottom + 24, sharesConclusion(mode), parts);
}

function sharesFigure(pair) {
  const keys = partNames(pair).filter(([key]) => key !== "during");
  const frame = { ...frameOf(pair, 64, 62), keys };
  const parts = pair.flatMap((mode) => partsShown(mode).map(({ part }) => part));
  if (parts.length === 0) return [];
  frame.top += LINE_HEIGHT * (keys.length - 1);
  frame.scale = fromZero(parts.flatMap((part) =>
    [1.1 * fairShare(part), ...drawn.map((backend) => part.share[backend])]), frame.left, frame.right);
  const header = ["Backend", ...pair.flatMap((mode) => keys.map(([, name]) => `${mode.mode} ${name}`))];
  const rows = drawn.map((backend) => [backends[backend],
    ...pair.flatMap((mode) => keys.map(([key]) => orDash(mode[key], (part) => share(part.share[backend]))))]);
  const bars = keys.map(([, name], i) => `${i === 0 && keys.length > 1 ? "hollow" : "filled"}: ${name}`);
  const spans = "After: the second half of what follows, so that what was added has had time.";
  return pairFigure({
    name: "shares", title: "Shares of the requests",
    sentence: `${changesText()}Each backend's share of the requests; ${bars.join(", ")}.`,
    caption: `Bars of each, from above: ${bars.join(", ")}. Dashed: the fair share. ` +
      `${parameters.add > 0 ? spans : ""} ${leftOutText()}`,
    svgs: pair.map((mode) => sharesChart(mode, frame)), header, rows });
}
