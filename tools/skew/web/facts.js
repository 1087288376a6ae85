// SPDX-License-Identifier: Apache-2.0
// What the figures mean: which backends came and went, what would be fair, which of them are drawn.

const { parameters, machine, backends, modes } = data;
const MOST_DRAWN = 12;
const MOST_CHANGED_DRAWN = 8;

const isAdded = (backend) => backend >= parameters.backends;
const isRemoved = (backend) => backend < parameters.remove;
const sum = (values) => values.reduce((total, value) => total + value, 0);
const ofAdded = (values) => sum(values.filter((_, backend) => isAdded(backend)));

/// Backends in use at a moment.
function inUse(second) {
  const added = parameters.add > 0 && second >= parameters.add_at_s ? parameters.add : 0;
  const removed = parameters.remove > 0 && second >= parameters.remove_at_s ? parameters.remove : 0;
  return parameters.backends + added - removed;
}

const fairOfAdded = parameters.add / (parameters.backends + parameters.add);

/// "d", or "3 backends".
function named(list) {
  return list.length === 1 ? backends[list[0]] : `${list.length} backends`;
}
const everyBackend = backends.map((_, backend) => backend);
const addedName = named(everyBackend.filter(isAdded));
const removedName = named(everyBackend.filter(isRemoved));

/// What happened while it ran: [{at_s, text}], in this order.
const changes = [
  parameters.add > 0 && { at_s: parameters.add_at_s, text: `${addedName} added` },
  parameters.remove > 0 && { at_s: parameters.remove_at_s, text: `${removedName} removed` },
].filter(Boolean).sort((a, b) => a.at_s - b.at_s);

/// "d added after 3 s. ", or "".
function changesText() {
  const texts = changes.map(({ at_s, text }) => `${text} after ${seconds(at_s)}`);
  return texts.length > 0 ? `${texts.join(", ")}. ` : "";
}

// What the parts of a run are called.  After: when what was added has had time.
const PARTS = {
  before: changes.length > 0 ? "before" : "all the time", during: "at first", after: "after", removed: "after removal",
};

/// The parts of a run, as far as they were reached: [{key, name, part}].
function partsOf(mode) {
  return Object.entries(PARTS).filter(([key]) => mode[key]).map(([key, name]) => ({ key, name, part: mode[key] }));
}

/// Names of the parts that any of these modes reached, by key, in order.
const partNames = (of) => Object.entries(PARTS).filter(([key]) => of.some((mode) => mode[key]));

const shareOfAdded = (part) => part ? ofAdded(part.share) : null;

/// When a run ended: before its time if somebody ended it.
const endOf = (mode) => mode.end_s;
const isCutShort = (mode) => mode.interrupted;

/// With many backends: those that were added or removed, and the busiest of the others.
function drawnBackends() {
  if (backends.length <= MOST_DRAWN) return everyBackend;
  const busy = everyBackend.map((backend) => sum(modes.map((mode) => sum(mode.series.requests[backend]))));
  const byWork = (a, b) => busy[b] - busy[a];
  const changed = [...everyBackend.filter(isAdded).sort(byWork), ...everyBackend.filter(isRemoved)]
    .slice(0, MOST_CHANGED_DRAWN);
  const others = everyBackend.filter((backend) => !changed.includes(backend)).sort(byWork);
  return [...changed, ...others.slice(0, MOST_DRAWN - changed.length)].sort((a, b) => a - b);
}
const drawn = drawnBackends();

/// What is left out of the drawings, as a sentence, or "".
function leftOutText() {
  if (drawn.length === backends.length) return "";
  const [added, removed] = [isAdded, isRemoved].map((is) => drawn.filter(is).length);
  const ofAll = (shown, all, what) => shown > 0 && `${shown === all ? all : `${shown} of ${all}`} ${what}`;
  const parts = [ofAll(added, parameters.add, "added"), ofAll(removed, parameters.remove, "removed"),
    `the ${drawn.length - added - removed} busiest of the others`];
  return `Drawn are ${drawn.length} of ${backends.length} backends: ${parts.filter(Boolean).join(", ")}.`;
}

const seconds = (value) => `${number(value)}\u00a0s`;
const orDash = (value, format) => value === null || value === undefined ? "\u2013" : format(value);
// A zero of a scale may be -0.
const count = (value) => orDash(value, (whole) => (whole + 0).toLocaleString("en-US"));
const rate = (value) => value > 0 && value < 10 ? value.toFixed(1) : count(Math.round(value));
const share = (value) => orDash(value, (part) => `${(100 * part).toFixed(1)} %`);
const milliseconds = (value) => orDash(value, (ms) => `${number(ms)} ms`);

/// The time until what was added has nine tenths of its fair share.
function fairAfter(mode) {
  if (parameters.add === 0 || !mode.during) return "\u2013";
  if (mode.seconds_to_fair !== null) return seconds(mode.seconds_to_fair);
  return isCutShort(mode) ? "not yet" : "never";
}
