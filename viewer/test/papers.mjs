// The reproduction gallery in a real browser: every page of `percussion reproduce --short` opens without complaint or request, shows
// its figures within its width, and is photographed. PERCUSSION: the program; CHROMIUM: the browser; SHOTS: the folder for screenshots.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { EVIL, LAUNCH, open } from "./pages.mjs";

/** Every page there has to be, no more and no less. */
const PAGES = ["adaptive-work", "chen-ball", "chen-bar", "dissipation", "empirical-order", "friction-energy", "ggl-ball", "ggl-bar", "ggl-block",
  "ggl-pendulum", "index", "landing", "mass-and-law", "naive-newmark", "rotating-beam", "runge-kutta-moreau", "spectral-radius", "splitting", "two-masses"];

const { PERCUSSION, CHROMIUM, SHOTS } = process.env;
const folder = mkdtempSync(join(tmpdir(), "percussion-papers-"));
let browser;

before(async () => {
  mkdirSync(SHOTS, { recursive: true });
  execFileSync(PERCUSSION, ["reproduce", "--short", "--quiet", "--out", folder]);
  // studies of a scenario whose name is markup
  const named = ["--quiet", "--set", `name=${JSON.stringify(EVIL)}`];
  execFileSync(PERCUSSION, ["converge", "impact-oscillator", "--schemes", "moreau-jean,newmark", "--steps", "1e-2,5e-3,2.5e-3",
    "--hausdorff", "--out", join(folder, "converge"), ...named]);
  execFileSync(PERCUSSION, ["compare", "bouncing-ball", "--schemes", "moreau-jean,moreau-jean:theta=1,generalized-alpha", "--end", "2",
    "--out", join(folder, "compare"), ...named]);
  browser = await chromium.launch({ executablePath: CHROMIUM, ...LAUNCH });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("every page of the papers", async (t) => {
  const pages = readdirSync(folder).filter((name) => name.endsWith(".html")).sort();
  assert.deepEqual(pages, PAGES.map((name) => `${name}.html`));
  const studies = ["converge", "compare"].map((study) => [`${study}.html`, join(folder, study, "report.html")]);
  for (const [name, path] of [...pages.map((page) => [page, join(folder, page)]), ...studies]) {
    await t.test(name, async () => {
      const { page, context, complaints, requests } = await open(browser, path);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `the page is ${wide} px too wide`);
      const figures = await page.evaluate(() => [...document.querySelectorAll("figure svg:not(.swatch)")].map((svg) => ({
        title: svg.querySelector("title").textContent,
        // text of a legend or an axis that leaves its figure
        outside: [...svg.querySelectorAll("text")].filter((text) => {
          const [a, b] = [text.getBoundingClientRect(), svg.getBoundingClientRect()];
          return a.left < b.left - 1 || a.right > b.right + 1;
        }).map((text) => text.textContent),
        empty: svg.textContent.includes("nothing to draw"),
      })));
      for (const { title, outside, empty } of figures) {
        assert.deepEqual(outside, [], `${title}: text outside`);
        assert.ok(!empty, `${title}: nothing drawn`);
      }
      await page.screenshot({ path: join(SHOTS, name.replace(".html", ".png")), fullPage: true });
      assert.deepEqual(complaints, []);
      assert.deepEqual(requests.filter((url) => url !== `file://${path}` && !url.startsWith("data:")), []);
      await context.close();
    });
  }
});

test("studies show a name that is markup as text", async () => {
  for (const study of ["converge", "compare"]) {
    const { page, context, complaints } = await open(browser, join(folder, study, "report.html"));
    assert.ok((await page.locator("h1").textContent()).startsWith(EVIL), study);
    assert.ok((await page.title()).startsWith(EVIL), study);
    assert.equal(await page.locator("img").count(), 0);
    assert.deepEqual(complaints, []);
    await context.close();
  }
});

// −1.2×10⁻⁷ as a number
const number = (text) => Number(text.replace("−", "-").replace(/×10(.+)$/, (_, power) =>
  `e${[...power].map((c) => (c === "⁻" ? "-" : "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c))).join("")}`));

test("a comparison shows where the energy went", async () => {
  const { page, context } = await open(browser, join(folder, "compare/report.html"));
  const heads = await page.locator("#comparison ~ div th[scope=col]").allTextContents();
  for (const head of ["loads", "dampers", "contacts", "joints", "energy created [J]", "L1 error of q", "steps", "smallest gap [m]"])
    assert.ok(heads.includes(head), `${head} of ${heads.join(" | ")}`);
  // ΔH is the sum of the five columns before it, to the digits shown
  const rows = await page.evaluate(() => [...document.querySelectorAll("#comparison ~ div table")[0].querySelectorAll("tbody tr")]
    .map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)))
    .then((rows) => rows.map((row) => row.map(number)));
  assert.equal(rows.length, 3);
  for (const [start, loads, dampers, contacts, joints, scheme, end, change] of rows) {
    const sum = loads + dampers + contacts + joints + scheme;
    const size = Math.max(...[start, loads, contacts, scheme, end].map(Math.abs));
    assert.ok(Math.abs(sum - change) <= 2e-3 * size, `${sum} for ${change}`);
  }
  await context.close();
});
