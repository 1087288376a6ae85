// SPDX-License-Identifier: Apache-2.0
// The sliders of `serve`.  Each has the name of a flag of `simulate`; the address carries what is set.

const SLIDERS = [
  ["backends", "Backends", 1, 64, 1, ""], ["utilisation", "All of them busy", 5, 120, 1, " %"],
  ["slow", "Slow ones among them", 0, 16, 1, ""], ["factor", "These are slower", 1, 10, 0.5, " times"],
  ["balancers", "Balancers", 1, 64, 1, ""], ["limit", "Connections to a backend", 0, 64, 1, ""],
  ["seeds", "Runs", 1, 20, 1, ""],
];
const SERVICES = ["exponential", "constant", "pareto"];
const KEYS = [...SLIDERS.map(([name]) => name), "service", "queue_per", "policies", "seed", "scene"];

let asked = 0;
const form = element("form", { "aria-label": "What is simulated" });
const status = element("p", { id: "status", class: "soft", role: "status" });
const results = element("div", { id: "results" });

function slider([name, title, least, most, step, unit]) {
  const output = element("output", {});
  const input = element("input", { type: "range", name, min: least, max: most, step });
  const show = () => { output.textContent = (name === "limit" && input.value === "0") ? "no limit" : input.value + unit; };
  input.addEventListener("input", show);
  input.addEventListener("shown", show);
  return element("label", {}, element("span", {}, title, output), input);
}

function choice(name, title, options) {
  return element("label", {}, element("span", {}, title),
    element("select", { name }, ...options.map((option) => element("option", { value: option }, option))));
}

/// The settings that differ from those of the scene.
function settings() {
  const query = new URLSearchParams();
  const scene = form.dataset.scene;
  query.set("scene", scene);
  const world = data.scenes.find(({ name }) => name === scene).settings;
  for (const [name, value] of Object.entries(values())) if (String(world[name]) !== String(value)) query.set(name, value);
  return query;
}

function values() {
  const read = {};
  for (const input of form.querySelectorAll("input[type=range], select, input[type=number]")) read[input.name] = input.value;
  read.policies = [...form.querySelectorAll("input[type=checkbox]:checked")].map((box) => box.value).join(",");
  return read;
}

function show(wanted) {
  for (const input of form.querySelectorAll("input[type=range], select, input[type=number]")) {
    if (wanted[input.name] !== undefined) input.value = wanted[input.name];
    input.dispatchEvent(new Event("shown"));
  }
  const policies = String(wanted.policies).split(",");
  for (const box of form.querySelectorAll("input[type=checkbox]")) box.checked = policies.includes(box.value);
  for (const preset of document.querySelectorAll(".presets button")) preset.setAttribute("aria-pressed", preset.value === form.dataset.scene);
}

function choose(name, changes = {}) {
  const scene = data.scenes.find((one) => one.name === name) ?? data.scenes[0];
  form.dataset.scene = scene.name;
  show({ ...scene.settings, ...changes });
  redraw();
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
    results.setAttribute("aria-busy", "false");
    status.classList.toggle("miss", !answer.ok);
    if (!answer.ok) { status.textContent = text; return; }
    const found = JSON.parse(text);
    results.replaceChildren(...reportOf(found));
    status.textContent = `${found.requests.toLocaleString("en-US")} requests in ${number(found.seconds)} s`;
  } catch {
    if (mine !== asked) return;
    status.classList.add("miss");
    status.textContent = "l4lb-lab does not answer: start it again, and reload this page.";
  }
}

function controls() {
  form.append(...SLIDERS.map(slider), choice("service", "Time of a request", SERVICES), choice("queue_per", "The rest waits per", ["backend", "pool"]),
    element("label", {}, element("span", {}, "First seed"), element("input", { type: "number", name: "seed", min: 0, step: 1 })),
    element("fieldset", {}, ...Object.keys(LOOKS).map((policy) =>
      element("label", {}, element("input", { type: "checkbox", value: policy }), ` ${policy}`))));
  form.addEventListener("input", redraw);
  form.addEventListener("submit", (event) => event.preventDefault());
  const presets = element("div", { class: "presets" }, ...data.scenes.map(({ name, text }) => {
    const made = button(name, () => choose(name));
    made.value = name;
    made.title = text;
    return made;
  }));
  document.getElementById("report").append(presets, form, status, results);
  const query = new URLSearchParams(location.search);
  choose(query.get("scene"), Object.fromEntries([...query].filter(([key]) => KEYS.includes(key) && key !== "scene")));
}
