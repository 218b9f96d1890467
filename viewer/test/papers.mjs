// The reproduction gallery in a real browser: every page of `percussion reproduce --short` opens without complaint or request, shows
// its figures within its width, and is photographed. PERCUSSION: the program; CHROMIUM: the browser; SHOTS: the folder for screenshots.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { LAUNCH, open } from "./pages.mjs";

const { PERCUSSION, CHROMIUM, SHOTS } = process.env;
const folder = mkdtempSync(join(tmpdir(), "percussion-papers-"));
let browser;

before(async () => {
  mkdirSync(SHOTS, { recursive: true });
  execFileSync(PERCUSSION, ["reproduce", "--short", "--quiet", "--out", folder]);
  execFileSync(PERCUSSION, ["converge", "impact-oscillator", "--schemes", "moreau-jean,newmark", "--steps", "1e-2,5e-3,2.5e-3",
    "--hausdorff", "--quiet", "--out", join(folder, "study")]);
  browser = await chromium.launch({ executablePath: CHROMIUM, ...LAUNCH });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("every page of the papers", async (t) => {
  const pages = readdirSync(folder).filter((name) => name.endsWith(".html"));
  assert.ok(pages.length >= 15);
  for (const [name, path] of [...pages.map((page) => [page, join(folder, page)]), ["converge.html", join(folder, "study/report.html")]]) {
    await t.test(name, async () => {
      const { page, context, complaints, requests } = await open(browser, path);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `the page is ${wide} px too wide`);
      const figures = await page.evaluate(() => [...document.querySelectorAll("figure svg")].map((svg) => ({
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
