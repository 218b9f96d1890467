// Pages to look at: a run of every built-in scenario, a comparison, a picture in space, a name that is markup.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

export const EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>";

/** Runs the program; a failed certificate (5) and a run stopped because it takes long (130) are pages to look at too. */
export function percussion(program, folder, ...words) {
  try {
    return execFileSync(program, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 20_000 });
  } catch (error) {
    if (error.status === 5 || error.status === 130) return error.stdout;
    throw new Error(`percussion ${words.join(" ")}: ${error.stderr ?? error.message}`);
  }
}

/** Writes them into a folder; returns { name: path }. */
export function makePages(program, space, folder) {
  mkdirSync(folder, { recursive: true });
  const pages = {};
  const listed = percussion(program, folder, "list", "scenarios").split("\n").map((line) => line.trim().split(/\s+/)[0]);
  const names = listed.filter((word) => word && word !== "scenario");
  for (const name of names) {
    percussion(program, folder, "run", name, "--out", name, "--quiet");
    pages[name] = join(folder, name, "report.html");
  }
  percussion(program, folder, "run", "bouncing-ball", "--out", "evil", "--quiet", "--set", `name=${JSON.stringify(EVIL)}`);
  pages.evil = join(folder, "evil/report.html");
  percussion(program, folder, "run", "two-mass-oscillator", "--out", "damped", "--quiet", "--set", "scheme.theta=1.0");
  percussion(program, folder, "run", "two-mass-oscillator", "--out", "alpha", "--quiet", "--scheme", "generalized-alpha");
  percussion(program, folder, "report", "two-mass-oscillator", "alpha", "damped", "--out", "comparison.html");
  pages.comparison = join(folder, "comparison.html");
  execFileSync(space, [join(folder, "space.html")]);
  pages.space = join(folder, "space.html");
  return pages;
}

/** A page open in the browser, with everything it complained of and asked for. */
export async function open(browser, path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const complaints = [];
  const requests = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(`file://${path}`);
  return { page, context, complaints, requests };
}

export const LAUNCH = { args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] };
