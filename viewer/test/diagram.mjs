// Pages of bifurcation diagrams and basins in a real browser: zoom, reset, click to see the orbit, on a desktop and on a telephone.
// PERCUSSION: the program; CHROMIUM: the browser; SHOTS: the folder for screenshots.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { EVIL, LAUNCH, open } from "./pages.mjs";

const { PERCUSSION, CHROMIUM, SHOTS } = process.env;
const folder = mkdtempSync(join(tmpdir(), "percussion-diagram-"));
let browser;

/** A ball on a vibrating table, restitution ½: its period doubles at an amplitude of 1.5268. */
const BALL = `name = ${JSON.stringify(EVIL)}
[model]
kind = "linear"
mass = [[1.0]]
gravity = [-1.0]
q0 = [1.9]
v0 = [0.5]
[[model.contact]]
normal = [1.0]
offset = { sines = [{ amplitude = -1.5, omega = 1.0, phase = 0.0 }] }
restitution = 0.5
[scheme]
name = "event-driven"
[time]
end = 10.0
step = 0.1
[dynamics]
`;
const STUDIES = {
  bifurcation: `kind = "bifurcation"\nparameter = "model.contact.0.offset.sines.0.amplitude"\nfrom = -1.45\nto = -1.72\npoints = 60\ntransient = 100\nperiods = 40\nrepeat = 0\n`,
  basin: `kind = "basin"\nparameter = "model.q0.0"\nfrom = 1.6\nto = 4.0\npoints = 24\ny = { parameter = "model.v0.0", from = -2.0, to = 2.0, points = 20 }\ntransient = 20\nperiods = 16\n`,
};
const page = (kind) => join(folder, kind, `${kind}.html`);

before(async () => {
  mkdirSync(SHOTS, { recursive: true });
  for (const [kind, keys] of Object.entries(STUDIES)) {
    writeFileSync(join(folder, `${kind}.toml`), BALL + keys);
    execFileSync(PERCUSSION, ["dynamics", join(folder, `${kind}.toml`), "--out", join(folder, kind), "--quiet"]);
  }
  browser = await chromium.launch({ executablePath: CHROMIUM, ...LAUNCH });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const view = (page) => page.evaluate(() => ({ ...diagram.chart.view }));
const width = ({ x0, x1 }) => x1 - x0;
/** Where a point of a cloud is on the screen. */
const spot = (page, cloud, point) =>
  page.evaluate(([k, i]) => {
    const { left, top } = diagram.chart.element.getBoundingClientRect();
    const [place, { x, y }] = [diagram.chart.place(), diagram.clouds[k]];
    return { x: left + place.x(x[i]), y: top + place.y(y[i]) };
  }, [cloud, point]);

for (const kind of Object.keys(STUDIES)) {
  test(`${kind}: nothing asked for, zoom and reset, a click shows the orbit`, async () => {
    const path = page(kind);
    const { page: shown, context, complaints, requests } = await open(browser, path);
    const home = await view(shown);
    const canvas = await shown.locator("canvas.chart").first().boundingBox();
    const middle = { x: canvas.x + canvas.width / 2, y: canvas.y + canvas.height / 2 };

    await shown.mouse.move(middle.x, middle.y);
    await shown.mouse.wheel(0, -300);
    await shown.waitForFunction((w) => diagram.chart.view.x1 - diagram.chart.view.x0 < 0.5 * w, width(home));
    await shown.getByRole("button", { name: "show everything" }).click();
    assert.deepEqual(await view(shown), home);

    // a box drawn with the mouse
    await shown.mouse.move(middle.x - 100, middle.y - 60);
    await shown.mouse.down();
    await shown.mouse.move(middle.x + 100, middle.y + 60, { steps: 4 });
    await shown.mouse.up();
    const boxed = await view(shown);
    assert.ok(Math.abs(width(boxed) / width(home) - 200 / (canvas.width - 76)) < 0.02, JSON.stringify({ boxed, home }));
    await shown.keyboard.press("0");
    await shown.locator("canvas.chart").first().dblclick();
    assert.deepEqual(await view(shown), home);

    const { x, y } = await spot(shown, 0, 0);
    await shown.mouse.click(x, y);
    const orbit = await shown.evaluate(() => document.documentElement.dataset.orbit);
    assert.match(orbit, /cycle/);
    assert.ok(await shown.locator(".orbit").isVisible());
    const drawn = await shown.evaluate(() => {
      const canvas = diagram.phase.element;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    });
    assert.ok(drawn > 8, "the plane of the orbit is not empty");
    assert.equal(await shown.locator("h1").textContent(), EVIL);
    assert.deepEqual(complaints, []);
    assert.deepEqual(requests.filter((url) => url !== `file://${path}` && !url.startsWith("data:")), []);
    await shown.screenshot({ path: join(SHOTS, `${kind}.png`), fullPage: true });
    await context.close();
  });

  test(`${kind}: on a telephone within its width, by touch`, async () => {
    const { page: shown, context, complaints } = await open(browser, page(kind), { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "dark" });
    const { x, y } = await spot(shown, 0, 0);
    await shown.touchscreen.tap(x, y);
    assert.match(await shown.evaluate(() => document.documentElement.dataset.orbit), /cycle/);
    assert.ok(await shown.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    const small = await shown.evaluate(() => [...document.querySelectorAll("button")].filter((b) => b.getBoundingClientRect().height < 40).length);
    assert.equal(small, 0);
    assert.deepEqual(complaints, []);
    await shown.screenshot({ path: join(SHOTS, `${kind}-phone.png`), fullPage: true });
    await context.close();
  });
}
