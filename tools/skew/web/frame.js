// SPDX-License-Identifier: Apache-2.0
// What the charts of a pair of modes share: place, time axis, heading and the moments of change.

const LINE_HEIGHT = 15;
const TIME_STEPS_S = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600];

/// The same for both sides, so that what lies side by side can be compared.
function frameOf(pair, left, rightMargin) {
  const width = widthOfChart();
  const lines = Math.max(...pair.map((mode) => linesOf(aboutMode(mode), width).length));
  const right = width - rightMargin;
  return { width, left, right, top: 18 + lines * LINE_HEIGHT + 22,
           x: linearScale(0, parameters.duration_s, left, right) };
}

function aboutMode(mode) {
  return isCutShort(mode) ? `${mode.text} (ended early, at ${seconds(endOf(mode))})` : mode.text;
}

/// Mark and name of the mode, and what it is.
function heading(mode, frame) {
  return [markAt(mode, 7, 9), words(20, 13, mode.mode, BOLD), ...linesOf(aboutMode(mode), frame.width).map(
    (line, i) => words(0, 13 + LINE_HEIGHT * (i + 1), line, { class: "soft" }))];
}

/// Ticks and labels below `bottom`.
function timeAxis(frame, bottom) {
  const end_s = parameters.duration_s;
  const step = TIME_STEPS_S.find((size) => end_s / size <= 6) ?? end_s / 5;
  const parts = [rule(frame.left, bottom, frame.right, bottom)];
  for (let i = 0; i * step <= end_s + 1e-9; ++i) {
    const x = frame.x.place(i * step);
    parts.push(rule(x, bottom, x, bottom + 4), words(x, bottom + 17, i === 0 ? "0 s" : number(i * step),
      { class: "soft", "text-anchor": "middle" }));
  }
  return parts;
}

/// A dashed rule from `frame.top` to `bottom` when a backend is added or removed, named above it.
function changeRules(frame, bottom) {
  return changes.flatMap(({ at_s, text }, i) => {
    const x = frame.x.place(at_s);
    const toTheLeft = i === 0 && changes.length > 1 || x + 6.3 * text.length > frame.width;
    return [rule(x, frame.top - 14, x, bottom, { stroke: "currentColor", "stroke-dasharray": "4 3" }),
            words(x + (toTheLeft ? -5 : 5), frame.top - 6, text, { "text-anchor": toTheLeft ? "end" : "start", ...BOLD })];
  });
}

const GAP = 40;
const MARGIN = 16;

/// Drawings side by side in one that stands alone, under a sentence.
function besideEachOther(svgs, sentence) {
  const sizes = svgs.map((svg) => svg.viewBox.baseVal);
  const width = sum(sizes.map((size) => size.width)) + GAP * (svgs.length - 1) + 2 * MARGIN;
  const lines = linesOf(sentence, width - 2 * MARGIN);
  const top = MARGIN + 20 * lines.length + 12;
  const height = top + Math.max(...sizes.map((size) => size.height)) + MARGIN;
  const parts = [box(0, 0, width, height, { fill: "#fff" }), ...lines.map((line, i) =>
    words(MARGIN, MARGIN + 12 + 20 * i, line, { style: "font-size:15px;font-weight:600" }))];
  let x = MARGIN;
  svgs.forEach((svg, i) => {
    const copy = svg.cloneNode(true);
    Object.entries({ x, y: top, width: sizes[i].width, height: sizes[i].height })
      .forEach(([name, value]) => copy.setAttribute(name, value));
    parts.push(copy.outerHTML);
    x += sizes[i].width + GAP;
  });
  const made = drawing(width, height, `${sentence} ${svgs.map((svg) => svg.getAttribute("aria-label")).join(" ")}`, parts);
  made.setAttribute("width", width);
  made.setAttribute("height", height);
  return made;
}

/// A figure with a drawing for each mode of a pair; `sentence` heads the file with both.
function pairFigure({ name, title, sentence, caption, svgs, header, rows }) {
  const made = figure(name, caption, svgs.map((svg) => element("div", {}, svg)), header, rows);
  made.classList.add("pair");
  if (svgs.length > 1) {
    made.querySelector("details").append(button("SVG of both", () =>
      saveSvg(`${name}.svg`, besideEachOther(svgs, sentence))));
  }
  return [element("h3", {}, title), made];
}
