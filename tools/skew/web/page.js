// SPDX-License-Identifier: Apache-2.0
// The page from top to bottom.

function introduction() {
  const { clients, add, remove, duration_s, add_at_s, remove_at_s } = parameters;
  const change = (name, many, what, at_s) => `${name} ${many > 1 ? "are" : "is"} ${what} after ${seconds(at_s)}`;
  const parts = [`${count(clients)} clients keep HTTP/2 connections and send ${count(parameters.rate)} requests a second ` +
    `to ${parameters.backends} backends for ${seconds(duration_s)}`,
    add > 0 && change(addedName, add, "added", add_at_s),
    remove > 0 && change(removedName, remove, "removed", remove_at_s),
    modes.length > 1 && `and so again in each of ${modes.length} modes, which differ in what stands in the middle`];
  return [element("h1", {}, data.headline), element("p", {}, `${parts.filter(Boolean).join("; ")}.`)];
}

/// null: the run was too short to tell.
function verdictOf(holds) {
  if (holds === null) return element("span", { class: "soft" }, "? unknown");
  return element("span", { class: holds ? "pass" : "miss" }, holds ? "\u2713 holds" : "\u2715 does not");
}

function claimTable() {
  if (!data.claims?.length) return [];
  const rows = data.claims.map(({ claim, measured, holds }) => [
    verdictOf(holds), claim, measured]);
  const made = table(["", "Claim", "Measured"], rows, [0, 1, 2]);
  for (const cell of made.querySelectorAll("td:first-child")) cell.classList.add("verdict");
  return [element("h2", {}, "What is claimed"), made];
}

/// The figures of a pair, a row for each.
function numbers(pair) {
  const row = (name, format) => [name, ...pair.map(format)];
  const inParts = (key, format) => (mode) =>
    partsOf(mode).map(({ name, part }) => `${name} ${orDash(part[key], format)}`).join(", ") || "\u2013";
  const rows = [
    parameters.add > 0 && row(`Share of ${addedName} since added (fair: ${share(fairOfAdded)})`,
      (mode) => share(shareOfAdded(mode.since_added))),
    parameters.add > 0 && row("Nine tenths of the fair share after", fairAfter),
    row("Requests answered of those sent", (mode) => `${count(mode.answered)} of ${count(mode.sent)}`),
    row("Connections cut", (mode) => count(mode.connections_cut)),
    row("Requests sent again", (mode) => count(mode.retries)),
    row("Requests lost", (mode) => count(mode.errors)),
    row("p50", inParts("p50_ms", milliseconds)), row("p99", inParts("p99_ms", milliseconds)),
    row("Jain's index (1: all even)", inParts("jain", number))];
  return [element("h3", {}, "In numbers"), table(["", ...pair.map((mode) => mode.mode)], rows.filter(Boolean), [0, 1, 2])];
}

// --- the two modes that are compared

const byName = (name) => modes.find((mode) => mode.mode === name);

/// From the address (#left=ring&right=client), so that a comparison can be passed on.
function firstPair() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const left = byName(wanted.get("left")) ?? byName("least_connections") ??
    modes.find((mode) => mode.kind === "layer4") ?? modes[0];
  const others = modes.filter((mode) => mode !== left);
  const right = [byName(wanted.get("right")), byName("client"), others.find((mode) => mode.kind !== "layer4"),
    others.at(-1)].find((mode) => mode && mode !== left);
  return right ? [left, right] : [left];
}

const chosen = firstPair();
const place = element("div");

function choices(side, name) {
  const buttons = modes.map((mode) => button(mode.mode, () => {
    if (mode === chosen[1 - side]) chosen[1 - side] = chosen[side];
    chosen[side] = mode;
    location.replace(`#left=${chosen[0].mode}&right=${chosen[1].mode}`);
    showChosen();
  }));
  const show = () => buttons.forEach((one, i) => one.setAttribute("aria-pressed", modes[i] === chosen[side]));
  const row = element("div", { role: "group", "aria-label": name },
    element("span", { class: "soft side" }, name), ...buttons);
  return { show, row };
}

const pickers = chosen.length > 1 ? [choices(0, "Left"), choices(1, "Right")] : [];

function showChosen() {
  pickers.forEach(({ show }) => show());
  place.replaceChildren(...seriesFigure(chosen), ...lanesFigure(chosen), ...sharesFigure(chosen), ...numbers(chosen));
}

function comparison() {
  showChosen();
  const title = pickers.length > 0 ? "Two modes side by side" : `${chosen[0].mode} in detail`;
  return [element("h2", {}, title), ...pickers.map(({ row }) => row), place];
}

function howItWasRun() {
  const middle = [`l4lb ${machine.l4lb}`, machine.engine && `engine ${machine.engine}`, machine.layer7]
    .filter(Boolean).join(", ");
  const facts = [`A request takes a backend ${number(parameters.service_time_ms)} ms on average, one at a time.`,
    modes.some((mode) => mode.mode === "age") && `age: max_connection_age of ${seconds(parameters.max_connection_age_s)}.`,
    "Clients, balancer and backends share one machine: compare latencies with those of other modes, not of a network."];
  const rows = [["In the middle", middle], ["Kernel", machine.kernel],
    ["Processor", `${machine.cpu}, ${machine.cores} cores`], ["Date", machine.date]];
  return [element("h2", {}, "How it was run"), element("p", {}, facts.filter(Boolean).join(" ")),
    table(["", ""], rows, [0, 1]),
    element("p", {}, "Repeat: ", element("code", {}, parameters.command))];
}

function show() {
  const charts = modes.length === 0 ? []
    : [element("h2", {}, "All modes"), ...timelineFigure(), overviewFigure(), ...comparison()];
  document.getElementById("report").replaceChildren(...introduction(), ...claimTable(), ...charts, ...howItWasRun());
}

show();
for (const width of [narrow, oneColumn]) width.addEventListener("change", show);
