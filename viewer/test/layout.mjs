// The report at a desk, on a phone and on paper: no text cut, nothing over anything else, the picture printed.
// PERCUSSION: the program; CHROMIUM: the browser; SHOTS: the folder for screenshots.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { build } from "esbuild";
import { LAUNCH, open, percussion } from "./pages.mjs";

const { PERCUSSION, CHROMIUM, SHOTS } = process.env;
const folder = mkdtempSync(join(tmpdir(), "percussion-layout-"));
const RUNS = {
  ball: ["bouncing-ball"],
  beam: ["rotating-beam", "--set", "model.elements=13", "--end", "0.5"], // 40 coordinates
  pile: ["box-pile", "--end", "0.5"],
  mechanism: ["slider-crank", "--end", "0.02"],
};
const MEDIA = {
  desk: { viewport: { width: 1280, height: 900 } },
  phone: { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true },
  small: { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true },
  paper: { viewport: { width: 718, height: 1000 } }, // A4 between margins of 1 cm
};
const WHERE = { desk: "at a desk", phone: "on a phone", small: "on a small phone", paper: "on paper" };
const pages = {};
let browser;

before(async () => {
  mkdirSync(SHOTS, { recursive: true });
  for (const [name, words] of Object.entries(RUNS)) {
    percussion(PERCUSSION, folder, "run", ...words, "--out", name, "--quiet");
    pages[name] = join(folder, name, "report.html");
  }
  // three boxes on a floor, hinged, with names as programs make them
  const long = "a_name_without_any_space_as_programs_that_export_scenes_make_them_";
  const box = (k) => `[[body]]\nname = "${long}${k}"\nshape = { kind = "box", size = [0.1, 0.1, 0.1] }\ndensity = 1000.0\nposition = [${0.3 * k}, 0.0, 0.08]\n`;
  const hinge = (k) => `[[joint]]\nname = "${long}hinge_${k}"\nkind = "revolute"\na = "${long}${k}"\nb = "${long}${k + 1}"\nanchor = [${0.3 * k + 0.15}, 0.0, 0.08]\naxis = [0.0, 1.0, 0.0]\n`;
  const floor = `[[body]]\nname = "${long}floor"\nfixed = true\nshape = { kind = "plane" }\n`;
  const scene = `name = "${long}"\n[model]\nkind = "bodies"\ngravity = [0.0, 0.0, -9.81]\n${floor}${box(0)}${box(1)}${box(2)}${hinge(0)}${hinge(1)}`;
  writeFileSync(join(folder, "names.toml"), `${scene}[time]\nend = 0.2\nstep = 1e-3\n`);
  percussion(PERCUSSION, folder, "run", "names.toml", "--out", "names", "--quiet");
  pages.names = join(folder, "names/report.html");
  // without a shape, and without a floor whose lines reach the edges
  writeFileSync(join(folder, "racket.toml"), `[model]\nkind = "bodies"\ngravity = [0.0, 0.0, 0.0]\n[[body]]\nname = "racket"\nmass = 0.3\ninertia = [1e-3, 2e-3, 3e-3]\nangular_velocity = [0.01, 10.0, 0.01]\n[time]\nend = 2.0\nstep = 1e-3\n`);
  for (const [name, scene, ...more] of [["racket", "racket.toml"], ["falling", "racket.toml", "--set", "model.gravity=[0.0,0.0,-9.81]"], ["chain", "chain"]]) {
    percussion(PERCUSSION, folder, "run", scene, "--out", name, "--quiet", ...more);
    pages[name] = join(folder, name, "report.html");
  }
  const two = (out, ...more) => percussion(PERCUSSION, folder, "run", "two-mass-oscillator", "--out", out, "--quiet", ...more);
  two("half");
  two("one", "--set", "scheme.theta=1.0");
  two("alpha", "--scheme", "generalized-alpha");
  percussion(PERCUSSION, folder, "report", "half", "one", "alpha", "--out", "comparison.html");
  pages.comparison = join(folder, "comparison.html");
  // three schemes on a mechanism, with a theorem that is a formula
  percussion(PERCUSSION, folder);
  pages.demonstration = join(folder, "percussion-report.html");
  browser = await chromium.launch({ executablePath: CHROMIUM, ...LAUNCH });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs in the page: texts that are cut, that leave the page or their drawing, and pairs that overlap. */
function faults(width) {
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || !parent || parent.closest("script, style, title, option")) continue;
    if (parent.closest("details:not([open])") && !parent.closest("summary")) continue;
    if (!parent.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    // a name of any length in a row of the list: its whole stands beside it
    if (parent.title === node.data) continue;
    // what only screen readers are told is clipped on purpose
    if (parent.closest("thead") && getComputedStyle(parent.closest("thead")).clipPath !== "none") continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const r of range.getClientRects()) if (r.width > 1 && r.height > 1) texts.push({ node, parent, r, text: node.data.trim().slice(0, 40) });
  }
  const cut = [];
  for (const { parent, r, text } of texts) {
    const svg = parent.closest("svg");
    if (svg) {
      const box = svg.getBoundingClientRect();
      if (r.left < box.left - 1 || r.right > box.right + 1 || r.top < box.top - 2 || r.bottom > box.bottom + 2) cut.push(`${text}: leaves its drawing`);
      continue;
    }
    let inScroll = false;
    for (let up = parent; up && up !== document.body; up = up.parentElement) {
      const style = getComputedStyle(up);
      if (/(auto|scroll)/.test(style.overflowX + style.overflowY)) {
        inScroll = true;
        break;
      }
      const box = up.getBoundingClientRect();
      if (/(hidden|clip)/.test(style.overflowX) && (r.right > box.right + 1 || r.left < box.left - 1)) cut.push(`${text}: cut by ${up.className || up.tagName}`);
    }
    if (!inScroll && (r.right > width + 1 || r.left < -1)) cut.push(`${text}: leaves the page`);
  }
  const overlaps = [];
  texts.sort((a, b) => a.r.top - b.r.top);
  for (let i = 0; i < texts.length; i++) {
    for (let j = i + 1; j < texts.length && texts[j].r.top < texts[i].r.bottom; j++) {
      const [a, b] = [texts[i], texts[j]];
      // also one text broken into lines that lie on each other
      if (a.parent.closest(".scroll, .impacts") !== b.parent.closest(".scroll, .impacts")) continue;
      const wide = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left);
      const high = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top);
      // lines of one paragraph touch; letters of two things do not cover each other
      if (wide > 2 && high > 0.35 * Math.min(a.r.height, b.r.height)) overlaps.push(`${a.text} | ${b.text}`);
    }
  }
  return { cut: [...new Set(cut)], overlaps: [...new Set(overlaps)], wide: document.documentElement.scrollWidth - width, n: texts.length };
}

/** Runs in the page: how many points of the printed picture have a colour. */
async function inked() {
  const image = document.querySelector(".picture img");
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  const drawing = canvas.getContext("2d");
  drawing.drawImage(image, 0, 0);
  return drawing.getImageData(0, 0, canvas.width, canvas.height).data.filter((value, k) => k % 4 === 3 && value > 0).length;
}

for (const medium of Object.keys(MEDIA)) {
  for (const name of [...Object.keys(RUNS), "comparison", "demonstration", "names"]) {
    test(`${name} ${WHERE[medium]}`, async () => {
      const { page, context, complaints } = await open(browser, pages[name], MEDIA[medium]);
      if (medium === "paper") {
        await page.emulateMedia({ media: "print" });
        await page.waitForFunction(() => [...document.querySelectorAll(".picture img")].every((image) => image.complete) && document.querySelector(".picture img"));
        const image = await page.locator(".picture img").first().boundingBox();
        assert.ok(image && image.width > 100 && image.height > 100 && image.height < 900, "the picture is printed inside a page");
        assert.ok((await page.locator("figure svg.plot:visible").count()) >= 7, "figures are printed as drawings");
        assert.equal(await page.locator(".transport:visible, #downloads:visible").count(), 0);
      }
      await page.screenshot({ path: join(SHOTS, `${name}-${medium}.png`), fullPage: true });
      const found = await page.evaluate(faults, MEDIA[medium].viewport.width);
      assert.ok(found.n > 40, "there is text");
      assert.deepEqual(found.cut, [], "texts that are cut");
      const broad = await page.evaluate((width) => [...document.querySelectorAll("main *, header *")].filter((e) => !e.closest(".scroll, .impacts") && e.getBoundingClientRect().right > width + 1).map((e) => `${e.tagName}.${e.getAttribute("class")}`).slice(0, 5), MEDIA[medium].viewport.width);
      assert.deepEqual(broad, [], "things that are too wide");
      assert.deepEqual(found.overlaps, [], "texts that overlap");
      assert.ok(found.wide <= 0, `the page is ${found.wide} px too wide`);
      assert.deepEqual(complaints, []);
      await context.close();
    });
  }
}

test("a page opens where something happens, plays from the start, and keeps the time on a slow machine", async () => {
  const { page, context } = await open(browser, pages.ball);
  const [opened, first] = await page.evaluate(() => [percussion.time(), percussion.span[0]]);
  const hardest = await page.evaluate(() => percussion.impacts.reduce((best, impact) => (impact.p > best.p ? impact : best)).t);
  assert.equal(opened, hardest);
  assert.notEqual(opened, first);
  // every frame takes a quarter of a second: the time goes on as if it did not
  await page.evaluate(() => {
    const wait = () => {
      for (const until = performance.now() + 250; performance.now() < until; );
      requestAnimationFrame(wait);
    };
    requestAnimationFrame(wait);
  });
  await page.getByLabel("Speed").selectOption({ label: "1×" });
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await page.waitForTimeout(2600);
  const played = (await page.evaluate(() => percussion.time())) - first;
  assert.ok(played > 1.4 && played < 4.5, `${played} s of 2.6`);
  await context.close();
});

// the window is wider than the sheet: the picture changes its size as it is printed
for (const name of ["ball", "pile"]) {
  test(`${name} printed from a window at a desk`, async () => {
    const { page, context } = await open(browser, pages[name], MEDIA.desk);
    await page.locator(".picture canvas").first().waitFor();
    await page.emulateMedia({ media: "print" });
    await page.waitForFunction(() => document.querySelector(".picture img"));
    assert.ok((await page.evaluate(inked)) > 1000, "something is drawn in the printed picture");
    await context.close();
  });
}

/** Runs in the page: the least and largest column and row of the picture that have a colour at some time of the run, as parts of it. */
async function extent() {
  const canvas = document.querySelector(".picture canvas");
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const pen = copy.getContext("2d", { willReadFrequently: true });
  const [from, to] = percussion.span;
  for (let k = 0; k <= 20; k++) {
    percussion.seek(from + ((to - from) * k) / 20);
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    // one over the other: nothing is wiped
    pen.drawImage(canvas, 0, 0);
  }
  const { data } = pen.getImageData(0, 0, copy.width, copy.height);
  let [left, right, top, bottom] = [copy.width, 0, copy.height, 0];
  for (let y = 0; y < copy.height; y++) {
    for (let x = 0; x < copy.width; x++) {
      if (data[4 * (y * copy.width + x) + 3] === 0) continue;
      [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
    }
  }
  return [left / copy.width, (right + 1) / copy.width, top / copy.height, (bottom + 1) / copy.height];
}

for (const name of ["racket", "falling", "chain"]) {
  test(`${name}: the picture in space fills its frame and nothing leaves it`, async () => {
    const { page, context, complaints } = await open(browser, pages[name], MEDIA.desk);
    await page.locator(".picture canvas").first().waitFor();
    const [left, right, top, bottom] = await page.evaluate(extent);
    assert.ok(left > 0 && right < 1 && top > 0 && bottom < 1, `${left} to ${right}, ${top} to ${bottom}`);
    assert.ok(Math.max(right - left, bottom - top) > 0.8, `${left} to ${right}, ${top} to ${bottom}`);
    assert.deepEqual(complaints, []);
    await context.close();
  });
}

test("the values of an axis are written in one manner", async () => {
  const { outputFiles } = await build({ entryPoints: [join(import.meta.dirname, "../src/number.ts")], format: "esm", bundle: true, write: false });
  const { onAxis } = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
  assert.deepEqual(onAxis([0, 5e-4, 1e-3, 1.5e-3], 4), ["0", "0.0005", "0.001", "0.0015"]);
  assert.deepEqual(onAxis([-5e-5, 0, 5e-5, 1e-4], 4), ["−0.5×10⁻⁴", "0", "0.5×10⁻⁴", "1×10⁻⁴"]);
  assert.deepEqual(onAxis([0, 5e4, 1e5], 4), ["0", "0.5×10⁵", "1×10⁵"]);
  assert.deepEqual(onAxis([0.30000000000000004, 0.4], 6), ["0.3", "0.4"]);
  // neighbours are told apart
  assert.deepEqual(onAxis([0.999999, 0.9999995, 1], 4), ["0.999999", "0.9999995", "1"]);
  assert.deepEqual(onAxis([1.00001e6, 1.00002e6], 4), ["1.00001×10⁶", "1.00002×10⁶"]);
});
