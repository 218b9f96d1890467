// A long run in a real browser, in short: 200 000 steps, of which the page keeps what can be seen. The picture, the cursors and the
// list of impacts behave as those of a short run. viewer/test/million.mjs measures a million. PERCUSSION, CHROMIUM as there.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { LAUNCH, open, percussion } from "./pages.mjs";

const { PERCUSSION, CHROMIUM } = process.env;
const STEPS = 200_000;
const folder = mkdtempSync(join(tmpdir(), "percussion-long-"));
let browser;

before(async () => {
  percussion(PERCUSSION, folder, "run", "bouncing-ball", "--out", "ball", "--quiet", "--end", "5", "--step", String(5 / STEPS));
  browser = await chromium.launch({ executablePath: CHROMIUM, ...LAUNCH });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a long run is thinned, says so, and is scrubbed like a short one", async () => {
  const path = join(folder, "ball/report.html");
  assert.ok(statSync(path).size <= 3e6, `${statSync(path).size} bytes`);
  const { page, context, complaints, requests } = await open(browser, path);
  const [seen, kept] = await page.evaluate(() => [percussion.runs[0].film.seen - 1, percussion.runs[0].film.t.length]);
  assert.equal(seen, STEPS);
  assert.ok(kept < STEPS / 10 && kept > 500, `${kept} states in the film`);
  assert.match(await page.locator("body").textContent(), /Curves of more than \d+ samples are drawn by their extremes/);

  // the height under the cursor is that of the trajectory, wherever the slider is put
  const rows = readFileSync(join(folder, "ball/trajectory.csv"), "utf8").trim().split("\n").slice(1);
  const [from, to] = await page.evaluate(() => percussion.span);
  const slider = page.locator("#time");
  const box = await slider.boundingBox();
  const cursors = () => page.evaluate(() => [...document.querySelectorAll(".time")].map((line) => line.style.transform));
  let last = await cursors();
  for (const share of [0.13, 0.47, 0.81]) {
    await slider.click({ position: { x: share * box.width, y: box.height / 2 } });
    const t = await page.evaluate(() => percussion.time());
    assert.ok(Math.abs((t - from) / (to - from) - share) < 0.03, `${t}`);
    const now = await cursors();
    now.forEach((cursor, i) => assert.notEqual(cursor, last[i], "every cursor moves"));
    last = now;
    const film = await page.evaluate((t) => {
      const { t: times, q } = percussion.runs[0].film;
      const k = times.findIndex((time) => time >= t);
      return [times[k], q[k]];
    }, t);
    const [time, height] = rows[Math.round((film[0] / 5) * STEPS)].split(",").map(Number);
    assert.ok(Math.abs(time - film[0]) < 1e-6 && Math.abs(height - film[1]) < 1e-4, `${film} for ${time}, ${height}`);
  }
  // an impact chosen from the list is the impact of the table
  await page.evaluate(() => percussion.seek(percussion.impacts[0].t));
  const row = page.locator('[data-impact="3"]');
  await row.click();
  const impacts = readFileSync(join(folder, "ball/events.csv"), "utf8").trim().split("\n").filter((line) => line.includes("impact"));
  assert.ok(Math.abs((await page.evaluate(() => percussion.time())) - Number(impacts[3].split(",")[0])) < 1e-6);
  assert.equal(await row.getAttribute("aria-current"), "true");
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests.filter((url) => url !== `file://${path}` && !url.startsWith("data:")), []);
  await context.close();
});
