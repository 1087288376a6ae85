// SPDX-License-Identifier: Apache-2.0
// The sliders of `serve`.  Each has the name of a flag of `simulate`; the address carries what is set.

const SLIDERS = [
  ["backends", "Backends", 1, 64, 1, ""], ["utilisation", "Utilisation", 5, 120, 1, " %"],
  ["slow", "Slow ones", 0, 16, 1, ""], ["factor", "Slower by", 1, 10, 0.5, " times"],
  ["joining", "More that join", 0, 16, 1, ""], ["join_at", "They join after", 0, 20, 1, ""],
  ["balancers", "Balancers", 1, 64, 1, ""], ["limit", "Connection limit", 0, 64, 1, ""],
  ["seeds", "Runs", 1, 20, 1, ""],
];
const SERVICES = ["exponential", "constant", "pareto"];
const FIELDS = "input[type=range], select, input[type=number]";

let asked = 0;
let others = [];  // Settings without a slider that the address has: [[name, value], ...].
const form = element("form", { "aria-label": "What is simulated" });
const status = element("p", { id: "status", class: "soft", role: "status" });
const about = element("p", { id: "about", class: "soft" });
const results = element("div", { id: "results" });

function textOf(name, value) {
  if (name === "limit" && value === "0") return "none";
  return name === "join_at" ? value.replace(/(?<=\d)(?=[a-z])/, " ") : value;
}

function slider([name, title, least, most, step, unit]) {
  const output = element("output", {});
  const input = element("input", { type: "range", name, min: least, max: most, step });
  if (name === "join_at") input.dataset.unit = "s";  // A flag that takes a time.
  const show = () => { output.textContent = textOf(name, valueOf(input)) + unit; };
  input.addEventListener("input", show);
  input.addEventListener("shown", show);
  return element("label", {}, element("span", {}, title, output), input);
}

function choice(name, title, options) {
  return element("label", {}, element("span", {}, title),
    element("select", { name }, ...options.map((option) => element("option", { value: option }, option))));
}

// What a control cannot show is kept as it was asked for, until somebody moves the control: the
// server takes it, or says what is wrong with it.
const valueOf = (control) => control.dataset.asked ?? control.value + (control.dataset.unit ?? "");

function onShown(control, shown, wanted) {
  delete control.dataset.asked;
  if (shown !== wanted) control.dataset.asked = wanted;
}

/// A number loses its unit if it is one that the control adds again.
function setTo(control, wanted) {
  const { unit } = control.dataset;
  control.value = unit !== undefined && wanted.endsWith(unit) ? wanted.slice(0, -unit.length) : wanted;
  delete control.dataset.asked;
  onShown(control, valueOf(control), wanted);
  control.dispatchEvent(new Event("shown"));
}

const chosen = () => [...form.querySelectorAll("input[type=checkbox]:checked")].map((box) => box.value).join(",");
const sceneOf = (name) => data.scenes.find((one) => one.name === name) ?? data.scenes[0];

/// The settings that differ from those of the scene.
function settings() {
  const { scene } = form.dataset;
  const world = sceneOf(scene).settings;
  const changed = Object.entries(values()).filter(([name, value]) => String(world[name]) !== value);
  return new URLSearchParams([["scene", scene], ...changed, ...others]);
}

function values() {
  const read = {};
  for (const input of form.querySelectorAll(FIELDS)) read[input.name] = valueOf(input);
  read.policies = form.querySelector("fieldset").dataset.asked ?? chosen();
  return read;
}

function show(wanted) {
  for (const input of form.querySelectorAll(FIELDS)) setTo(input, String(wanted[input.name]));
  const policies = wanted.policies === "all" ? Object.keys(LOOKS) : wanted.policies.split(",");
  for (const box of form.querySelectorAll("input[type=checkbox]")) box.checked = policies.includes(box.value);
  onShown(form.querySelector("fieldset"), chosen(), policies.join());
  for (const preset of document.querySelectorAll(".presets button")) preset.setAttribute("aria-pressed", preset.value === form.dataset.scene);
}

function choose(name, changes = {}) {
  const { settings: world } = sceneOf(name);
  form.dataset.scene = name;
  about.textContent = unbroken(sceneOf(name).text);
  others = Object.entries(changes).filter(([key]) => world[key] === undefined);
  show({ ...world, ...changes });
  redraw();
}

// Before the listeners of the controls, which show the new value.
function onMoved({ target }) {
  delete (target.closest("fieldset") ?? target).dataset.asked;
}

// What is drawn may be older than what is set: then it is pale, and it is said why.
function say(text, isWrong) {
  status.textContent = text;
  status.classList.toggle("miss", isWrong);
  results.classList.toggle("stale", isWrong);
  results.setAttribute("aria-busy", "false");
}

// Only the newest answer counts.
async function redraw() {
  const mine = ++asked;
  const query = settings();
  history.replaceState(null, "", `?${query}`);
  results.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(`simulate?${query}`);
    const text = await answer.text();
    if (mine !== asked) return;
    if (!answer.ok) { say(text, true); return; }
    const found = JSON.parse(text);
    results.replaceChildren(...reportOf(found));
    say(`${found.requests.toLocaleString("en-US")} requests in ${number(found.seconds)} s`, false);
  } catch {
    if (mine === asked) say("l4lb-lab does not answer: start it again, and reload this page.", true);
  }
}

function controls() {
  form.append(...SLIDERS.map(slider), choice("service", "Time of a request", SERVICES), choice("queue_per", "Queue per", ["backend", "pool"]),
    element("label", {}, element("span", {}, "First seed"), element("input", { type: "number", name: "seed", min: 0, step: 1 })),
    element("fieldset", {}, element("legend", {}, "Policies"), ...Object.keys(LOOKS).map((policy) =>
      element("label", {}, element("input", { type: "checkbox", value: policy }), ` ${policy}`))));
  form.addEventListener("input", onMoved, { capture: true });
  form.addEventListener("input", redraw);
  form.addEventListener("submit", (event) => event.preventDefault());
  const presets = element("div", { class: "presets" }, ...data.scenes.map(({ name, text }) => {
    const made = button(name, () => choose(name));
    made.value = name;
    made.title = text;
    return made;
  }));
  document.getElementById("report").append(presets, about, form, status, results);
  const { scene, ...changes } = Object.fromEntries(new URLSearchParams(location.search));
  choose(scene ?? data.scenes[0].name, changes);
}
