// SPDX-License-Identifier: Apache-2.0
// Drives the page of a running `l4lb-lab serve` in a browser: node check.mjs ADDRESS BROWSER LIBRARIES PICTURES.
// LIBRARIES is the folder with node_modules; PICTURES gets a screenshot of every look.  Exit status 1: a check failed.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";

const [ADDRESS, BROWSER, LIBRARIES, PICTURES] = process.argv.slice(2);
const { chromium } = createRequire(path.join(LIBRARIES, "here.js"))("playwright-core");
const PATIENCE_MS = 30_000;  // A deadline, not a verdict.
const WIDTHS = [1400, 400];
const SCHEMES = ["light", "dark"];

/// The address with these settings.
const at = (query) => `${ADDRESS}?${query}`;

/// A page, and what must never happen on it.
async function opened(browser, query, look = {}) {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 }, reducedMotion: "reduce", ...look });
  page.setDefaultTimeout(PATIENCE_MS);
  const faults = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) faults.push(message.text()); });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(ADDRESS).origin) faults.push(`a request to ${request.url()}`);
  });
  await page.goto(at(query));
  return { page, faults };
}

/// Until the newest answer is shown whose command has `setting`.
async function drawn(page, setting = "") {
  await page.waitForFunction((wanted) => {
    const results = document.getElementById("results");
    return results?.getAttribute("aria-busy") === "false" && results.querySelector("svg") &&
      results.querySelector("code:last-of-type").textContent.includes(wanted);
  }, setting);
}

const shown = (page) => page.locator("#results").innerHTML();
const press = (page, name, key) => page.locator(`input[name=${name}]`).press(key);
const published = (page) => page.locator("#results title", { hasText: /^published, / });

async function drawsAtOnce(page) {
  await drawn(page);
  assert.match(await page.locator("h1").innerText(), /lowest p99/);
  assert.match(await page.locator("#status").innerText(), /^[\d,]+ requests in [\d.]+ s$/);
  assert.ok(await page.locator("#results svg[aria-label]").count() >= 5);
}

async function movesAndIsFoundAgain(page, browser) {
  await drawn(page);
  const before = await shown(page);
  for (let i = 0; i < 3; ++i) await press(page, "utilisation", "ArrowRight");
  await drawn(page, "--utilisation=73");
  assert.equal(new URL(page.url()).searchParams.get("utilisation"), "73");
  assert.equal(await page.locator("label", { has: page.locator("[name=utilisation]") }).locator("output").innerText(), "73 %");
  const after = await shown(page);
  assert.notEqual(after, before);

  const again = await opened(browser, new URL(page.url()).search.slice(1));
  await drawn(again.page, "--utilisation=73");
  assert.equal(await shown(again.page), after);
  assert.equal(await again.page.locator("[name=utilisation]").inputValue(), "73");
  assert.deepEqual(again.faults, []);
}

async function presetsShowWhatIsPublished(page) {
  await page.getByRole("button", { name: "slow", exact: true }).click();
  await drawn(page, "--scene=slow");
  const marks = await published(page).count();
  assert.ok(marks >= 4, `${marks} grey marks`);
  assert.equal(await page.locator("button[aria-pressed=true]").innerText(), "slow");
  await press(page, "utilisation", "ArrowRight");  // No longer what they were measured with.
  await drawn(page, "--utilisation=61");
  assert.equal(await published(page).count(), 0);
}

async function letsBackendsJoin(page) {
  await drawn(page);
  await press(page, "joining", "ArrowRight");
  for (let i = 0; i < 2; ++i) await press(page, "join_at", "ArrowRight");
  await drawn(page, "--join_at=2s");
  assert.match(await page.locator("#results").innerText(), /new get/);
  await page.getByRole("button", { name: "add-server" }).click();
  await drawn(page, "--scene=add-server");
  assert.deepEqual([...new URL(page.url()).searchParams.keys()], ["scene"]);
  assert.equal(await page.locator("[name=join_at]").inputValue(), "4");
}

async function keepsWhatHasNoSlider(page) {
  await drawn(page, "--mean=8ms");
  await press(page, "utilisation", "ArrowRight");
  await drawn(page, "--utilisation=81");
  assert.equal(new URL(page.url()).search, "?scene=equal&backends=100&utilisation=81&mean=8ms&duration=2s");
  assert.match(await page.locator("form").innerText(), /\b100\b/);
}

/// Opens a page with a setting that cannot be; returns it when the server has said so.
async function refused(browser, query, message) {
  const { page, faults } = await opened(browser, query);
  await page.locator("#status.miss").waitFor();
  assert.match(await page.locator("#status").innerText(), message);
  assert.equal(await page.locator("#results svg").count(), 0);
  assert.deepEqual(faults.filter((fault) => !fault.includes("status of 400")), []);
  return page;
}

async function saysWhatIsWrong(_, browser) {
  const page = await refused(browser, "scene=equal&slow=9", /slow.*at most 4/s);
  await press(page, "slow", "Home");
  await drawn(page);
  assert.equal(await page.locator("#status.miss").count(), 0);
  await refused(browser, "scene=equal&utilisation=much", /utilisation/);
  await refused(browser, "scene=nowhere", /nowhere/);
  await refused(browser, "scene=equal&colour=red", /colour/);
  await refused(browser, "scene=equal&policies=best", /best/);
}

/// Nothing lies beside the page, whose tables are open.
async function fits(browser, scene, look, name) {
  const { page, faults } = await opened(browser, `scene=${scene}`, look);
  await drawn(page, `--scene=${scene}`);
  await page.screenshot({ path: path.join(PICTURES, `${name}.png`), fullPage: true });
  await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
  const [needed, there] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(needed <= there, `${name}: ${needed} pixels wide on a screen of ${there}`);
  assert.deepEqual(faults, []);
  await page.close();
}

async function fitsEverywhere(page, browser) {
  await drawn(page);
  const scenes = await page.locator(".presets button").evaluateAll((buttons) => buttons.map((button) => button.value));
  assert.ok(scenes.length >= 5);
  for (const width of WIDTHS) {
    for (const colorScheme of SCHEMES) {
      const look = { viewport: { width, height: 900 }, colorScheme };
      // How wide a page is does not depend on its colours.
      for (const scene of colorScheme === "light" ? scenes : ["slow"]) {
        await fits(browser, scene, look, `serve-${scene}-${width}-${colorScheme}`);
      }
    }
  }
}

const CHECKS = [[drawsAtOnce], [movesAndIsFoundAgain], [presetsShowWhatIsPublished], [letsBackendsJoin],
  [keepsWhatHasNoSlider, "scene=equal&utilisation=80&mean=8ms&duration=2s&backends=100"], [saysWhatIsWrong], [fitsEverywhere]];

async function main() {
  const args = ["--disable-dev-shm-usage", "--disable-background-networking"];
  if (process.getuid() === 0) args.push("--no-sandbox");  // It has none for root.
  const browser = await chromium.launch({ executablePath: BROWSER, args });
  let failed = 0;
  for (const [check, query = ""] of CHECKS) {
    const { page, faults } = await opened(browser, query);
    try {
      await check(page, browser);
      assert.deepEqual(faults, []);
      console.log(`ok ${check.name}`);
    } catch (error) {
      ++failed;
      console.log(`FAILED ${check.name}: ${error.stack}`);
      await page.screenshot({ path: path.join(PICTURES, `failed-${check.name}.png`), fullPage: true });
    }
    await page.close();
  }
  await browser.close();
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
