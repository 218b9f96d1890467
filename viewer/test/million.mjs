// A run of a million steps: how long its report takes, how large it is, and what a scrub costs.
//   PERCUSSION=target/release/percussion CHROMIUM=/usr/bin/chromium node viewer/test/million.mjs
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { LAUNCH, open } from "./pages.mjs";

const { PERCUSSION, CHROMIUM } = process.env;
const folder = mkdtempSync(join(tmpdir(), "percussion-million-"));
const runs = [
  ["bouncing-ball", "--end", "5", "--step", "5e-6"],
  ["rocking-block", "--end", "5", "--step", "5e-6"],
  ["impact-oscillator", "--end", "100", "--step", "1e-4"],
];
const browser = await chromium.launch({ executablePath: CHROMIUM, ...LAUNCH });
console.log("| run | steps | report [s] | CPU of it [s] | page [MB] | opens [s] | scrub: median, 95 % [ms] |\n|---|---:|---:|---:|---:|---:|---:|");
for (const [name, ...words] of runs) {
  // a certificate that fails at such a step (5) is a page to write, too
  const { status } = spawnSync(PERCUSSION, ["run", name, "--out", name, "--quiet", ...words], { cwd: folder, stdio: "ignore" });
  if (status !== 0 && status !== 5) throw new Error(`${name}: exit ${status}`);
  // wall and CPU time, as the shell counts them
  const timed = spawnSync("bash", ["-c", 'TIMEFORMAT="%R %U"; time "$0" report "$1" >/dev/null 2>&1', PERCUSSION, name], { cwd: folder, encoding: "utf8" });
  const [report, cpu] = timed.stderr.trim().split(/\s+/);
  const path = join(folder, name, "report.html");
  const begin = performance.now();
  const { page, context } = await open(browser, path);
  await page.waitForFunction(() => window.percussion);
  const opens = (performance.now() - begin) / 1000;
  const times = await page.evaluate(() => {
    const { span: [from, to], seek } = percussion;
    return [...Array(401).keys()].map((k) => {
      const start = performance.now();
      seek(from + (((k * 149) % 401) / 401) * (to - from));
      return performance.now() - start;
    }).sort((a, b) => a - b);
  });
  const steps = await page.evaluate(() => percussion.runs[0].film.seen - 1);
  console.log(`| ${name} ${words.join(" ")} | ${steps} | ${report} | ${cpu} | ${(statSync(path).size / 1e6).toFixed(2)} | ${opens.toFixed(1)} | ${times[200].toFixed(1)}, ${times[380].toFixed(1)} |`);
  await context.close();
  rmSync(join(folder, name), { recursive: true });
}
await browser.close();
rmSync(folder, { recursive: true });
