// The report in a real browser. PERCUSSION: the program; SPACE: the example in space; CHROMIUM: the browser;
// SHOTS: the folder for screenshots.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { EVIL, LAUNCH, makePages, open } from "./pages.mjs";

const { PERCUSSION, SPACE, CHROMIUM, SHOTS } = process.env;
const folder = mkdtempSync(join(tmpdir(), "percussion-browser-"));
let browser;
let pages;

before(async () => {
  mkdirSync(SHOTS, { recursive: true });
  pages = makePages(PERCUSSION, SPACE, folder);
  browser = await chromium.launch({ executablePath: CHROMIUM, ...LAUNCH });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const pictures = (page) => page.evaluate(async () => {
  // pictures in space are drawn with the next frame
  for (let k = 0; k < 2; k++) await new Promise((drawn) => requestAnimationFrame(drawn));
  return [...document.querySelectorAll("canvas")].filter((c) => c.closest(".picture")).map((c) => c.toDataURL());
});
const cursors = (page) => page.evaluate(() => [...document.querySelectorAll(".time")].map((line) => line.style.transform));
const time = (page) => page.evaluate(() => percussion.time());

test("every page opens without complaint or request, its scene and cursors follow the time", async (t) => {
  const medians = {};
  for (const [name, path] of Object.entries(pages)) {
    await t.test(name, async () => {
      const { page, context, complaints, requests } = await open(browser, path);
      const start = await pictures(page);
      const marks = await cursors(page);
      assert.ok(start.length > 0, "there is a picture");
      // five plots of any run, those of contacts and joints where there are any
      assert.ok(marks.length >= 5 && marks.length === (await page.locator("figure.live").count()), "every plot has a cursor");

      // the slider, as a hand moves it
      const slider = page.locator("#time");
      const box = await slider.boundingBox();
      const [from, to] = await page.evaluate(() => percussion.span);
      const part = async () => (await time(page) - from) / (to - from);
      // a page opens at an instant worth seeing: go elsewhere
      const there = Math.abs(await part() - 0.31) < 0.1 ? 0.71 : 0.31;
      await slider.click({ position: { x: there * box.width, y: box.height / 2 } });
      assert.ok(Math.abs(await part() - there) < 0.03, "the time follows the slider");
      assert.notDeepEqual(await pictures(page), start, "the scene moves");
      (await cursors(page)).forEach((now, i) => assert.notEqual(now, marks[i], "every cursor moves"));

      medians[name] = await page.evaluate(() => {
        const { span: [from, to], seek } = percussion;
        const times = [];
        for (let k = 0; k < 101; k++) {
          const begin = performance.now();
          seek(from + ((k * 37) % 101) / 101 * (to - from));
          times.push(performance.now() - begin);
        }
        return times.sort((a, b) => a - b)[50];
      });
      const at = (await page.evaluate(() => percussion.impacts[0]?.t)) ?? from + 0.4 * (to - from);
      await page.evaluate((t) => (percussion.seek(t), scrollTo(0, 0)), at);
      await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
      assert.deepEqual(complaints, []);
      assert.deepEqual(requests.filter((url) => url !== `file://${path}` && !url.startsWith("data:")), []);
      await context.close();
    });
  }
  t.diagnostic(`script time of a scrub, median [ms]: ${Object.entries(medians).map(([name, ms]) => `${name} ${ms.toFixed(1)}`).join(", ")}`);
});

test("choosing an impact goes there", async () => {
  const { page, context } = await open(browser, pages["bouncing-ball"]);
  const row = page.locator('[data-impact="2"]');
  await row.click();
  const expected = await page.evaluate(() => percussion.impacts[2].t);
  assert.equal(await time(page), expected);
  assert.equal(await row.getAttribute("aria-current"), "true");
  // the arrow keys go on from there, impact by impact
  await page.locator("h1").click();
  await page.keyboard.press("Shift+ArrowRight");
  assert.equal(await time(page), await page.evaluate(() => percussion.impacts[3].t));
  await page.keyboard.press("Shift+ArrowLeft");
  assert.equal(await time(page), expected);
  await page.getByRole("button", { name: "Next impact" }).click();
  assert.ok((await time(page)) > expected);
  await context.close();
});

test("plots move the time, and a closer look moves all of them", async () => {
  const { page, context } = await open(browser, pages["rocking-block"]);
  const over = page.locator("#plot-energy .u-over");
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  const start = await pictures(page);
  await page.mouse.move(box.x + 0.1 * box.width, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.06 * box.width, box.y + 60, { steps: 3 });
  await page.mouse.up();
  const [from, to] = await page.evaluate(() => percussion.span);
  const now = await time(page);
  assert.ok(Math.abs((now - from) / (to - from) - 0.06) < 0.01, `dragged to ${now}`);
  assert.notDeepEqual(await pictures(page), start);
  assert.ok(Math.abs(Number(await page.locator("#time").inputValue()) - now) < 1e-12, "the slider follows");

  const ticks = () => page.locator("#plot-gaps canvas").evaluate((canvas) => canvas.toDataURL());
  const whole = await ticks();
  await page.getByRole("button", { name: "Closer" }).click();
  assert.notEqual(await ticks(), whole);
  await page.getByRole("button", { name: "Whole run" }).click();
  // a curve can be put away
  const before = await ticks();
  await page.locator("#plot-gaps .legend button").first().click();
  assert.notEqual(await ticks(), before);
  await context.close();
});

test("the picture plays and pauses", async () => {
  const { page, context } = await open(browser, pages.pendulum);
  await page.keyboard.press(" ");
  await page.waitForFunction(() => percussion.time() > 0.1);
  await page.keyboard.press(" ");
  const paused = await time(page);
  await page.waitForTimeout(100);
  assert.equal(await time(page), paused);
  // impulses can be switched off
  await page.evaluate(() => percussion.seek(percussion.impacts[0].t));
  const shown = await pictures(page);
  await page.locator("[data-switch=impulses]").uncheck();
  assert.notDeepEqual(await pictures(page), shown);
  await context.close();
});

test("a name that is markup is shown as text", async () => {
  const { page, context, complaints } = await open(browser, pages.evil);
  assert.equal(await page.locator("h1").textContent(), EVIL);
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.title(), `${EVIL} · Percussion`);
  // and markup that got in would not run
  const ran = await page.evaluate(async () => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
    await new Promise((done) => setTimeout(done, 50));
    return window.ran === true;
  });
  assert.equal(ran, false, "the policy lets foreign scripts run");
  assert.equal(complaints.filter((text) => !/Content Security Policy/i.test(text)).length, 0);
  await context.close();
});

test("tables come out as they went in", async () => {
  const { page, context } = await open(browser, pages["impact-oscillator"]);
  for (const file of ["trajectory.csv", "ledger.csv", "contacts.csv", "events.csv"]) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`[data-file="${file}"]`).click()]);
    const read = (path) => readFileSync(path, "utf8").trim().split("\n").map((line) => line.split(","));
    const [got, kept] = [read(await download.path()), read(join(folder, "impact-oscillator", file))];
    assert.deepEqual(got[0], kept[0]);
    assert.equal(got.length, kept.length, file);
    const same = (a, b) => a === b || (a !== "" && b !== "" && Object.is(Number(a), Number(b)));
    got.forEach((row, i) => row.forEach((cell, j) => assert.ok(same(cell, kept[i][j]), `${file} row ${i}: ${cell} for ${kept[i][j]}`)));
  }
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#plot-energy .quiet").click()]);
  const svg = readFileSync(await download.path(), "utf8");
  assert.ok(svg.startsWith("<svg") && svg.includes("<style>") && !svg.includes("var(--"));
  await context.close();
});

test("no page of a built-in scenario is over 3 MB", () => {
  for (const [name, path] of Object.entries(pages)) assert.ok(statSync(path).size <= 3e6, `${name}: ${statSync(path).size} bytes`);
});

test("the film is the trajectory, to the levels it is kept on", async () => {
  for (const name of ["bouncing-ball", "elastic-bar", "brick"]) {
    const { page, context } = await open(browser, pages[name]);
    const film = await page.evaluate(() => {
      const { t, q, columns } = percussion.runs[0].film;
      return { t: [...t], q: [...q], columns };
    });
    const rows = readFileSync(join(folder, name, "trajectory.csv"), "utf8").trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
    const states = new Map(rows.map((row) => [row[0], row]));
    assert.ok(film.t.length > 50 && film.q.length === film.t.length * film.columns);
    for (let j = 0; j < film.columns; j++) {
      const column = film.t.map((t) => states.get(t)[1 + j]);
      const [low, high] = [Math.min(...column), Math.max(...column)];
      // half a level of 2¹⁶, and what four bytes keep of the number
      const close = 0.51 * (high - low) / 65535 + 1.2e-7 * Math.max(Math.abs(low), Math.abs(high));
      column.forEach((x, i) => assert.ok(Math.abs(film.q[i * film.columns + j] - x) <= close, `${name} q${j} at ${film.t[i]}: ${film.q[i * film.columns + j]} for ${x}`));
    }
    await context.close();
  }
});

test("impulses and friction are drawn apart, each with its switch", async () => {
  for (const name of ["sliding-block", "dominoes"]) {
    const { page, context } = await open(browser, pages[name]);
    const last = name === "dominoes" ? await page.evaluate(() => percussion.impacts.at(-20).t) : 0.2;
    await page.evaluate((t) => percussion.seek(t), last);
    await page.getByLabel("Length of impulse arrows").fill("3");
    const both = await pictures(page);
    for (const [off, others] of [["friction", "impulses"], ["impulses", "friction"]]) {
      await page.locator(`[data-switch=${off}]`).uncheck();
      assert.notDeepEqual(await pictures(page), both, `${name}: ${off} is drawn`);
      await page.locator(`[data-switch=${others}]`).uncheck();
      const none = await pictures(page);
      await page.locator(`[data-switch=${others}]`).check();
      assert.notDeepEqual(await pictures(page), none, `${name}: ${others} alone is drawn`);
      await page.locator(`[data-switch=${off}]`).check();
    }
    await context.close();
  }
});

test("the colours of beams show their moment or their energy, with the largest value of the run, corners included", async () => {
  for (const [name, tolerance] of [["princeton-beam", 0.05], ["right-angle-frame", 0.02]]) {
    const { page, context, complaints } = await open(browser, pages[name]);
    const legend = page.locator(".beams .legend");
    const said = async (unit) => {
      const [, number, found] = /^0\s*(\S+) (.+)$/.exec((await legend.textContent()).trim());
      assert.equal(found, unit);
      return Number(number.replace(",", ""));
    };
    // beside the section forces of the table, means over steps
    const rows = readFileSync(join(dirname(pages[name]), "beams.csv"), "utf8").trim().split("\n").map((line) => line.split(","));
    const [m2, m3] = ["M2", "M3"].map((column) => rows[0].indexOf(column));
    const largest = Math.max(...rows.slice(1).map((row) => Math.hypot(Number(row[m2]), Number(row[m3]))));
    const moment = await said("N m");
    assert.ok(Math.abs(moment - largest) <= tolerance * largest, `${name}: ${moment} N m, the table has ${largest}`);
    const first = await pictures(page);
    await page.getByLabel("Colour of beams").selectOption("energy");
    assert.ok((await said("J/m")) > 0, "there is a largest energy");
    assert.notDeepEqual(await pictures(page), first, "the colours change");
    assert.deepEqual(complaints, [], name);
    await context.close();
  }
});

test("the keys move the time", async () => {
  const { page, context } = await open(browser, pages["rocking-block"]);
  const [from, to] = await page.evaluate(() => percussion.span);
  await page.locator("#time").focus();
  await page.keyboard.press("End");
  assert.equal(await time(page), to);
  await page.keyboard.press("ArrowLeft");
  const before = await time(page);
  assert.ok(before < to && before > to - 0.1 * (to - from), "one state back");
  await page.keyboard.press("Home");
  assert.equal(await time(page), from);
  await page.getByLabel("Speed").selectOption({ label: "2×" });
  await context.close();
});

test("contact pressure colours the surface, and stands beside Hertz's of the same force", async () => {
  for (const name of ["hertz-impact", "elastic-disc", "bracket"]) {
    const { page, context, complaints } = await open(browser, pages[name]);
    // the page opens when the surface presses most
    const told = page.locator(".profile .unit").first();
    const largest = Number((await told.textContent()).match(/largest ([\d.]+)/)?.[1]);
    assert.ok(largest > 0, `${name}: ${await told.textContent()}`);
    assert.ok((await page.locator(".profile .points").first().getAttribute("d")).startsWith("M"));
    const stressed = await pictures(page);
    await page.getByLabel("Colour", { exact: true }).selectOption("pressure");
    assert.notDeepEqual(await pictures(page), stressed, name);
    assert.match(await page.locator(".switches .legend").first().textContent(), /[1-9].* Pa$/);
    await page.screenshot({ path: join(SHOTS, `${name}-pressure.png`), fullPage: true });
    if (name === "hertz-impact") {
      // a sphere of 1 m: Hertz's largest pressure is met within a tenth
      const [found, theory] = (await told.textContent()).match(/[\d.]+(?:×10[⁰¹²³⁴⁵⁶⁷⁸⁹]+)? Pa/g);
      assert.ok(theory, await told.textContent());
      assert.equal(found.slice(-6), theory.slice(-6));
      assert.ok(Math.abs(parseFloat(found) / parseFloat(theory) - 1) < 0.1, await told.textContent());
    }
    await page.evaluate(() => percussion.seek(0));
    assert.equal(await told.textContent(), "no contact");
    assert.deepEqual(complaints, []);
    await context.close();
  }
});

test("without scripts the static figures are there", async () => {
  const { page, context } = await open(browser, pages.pendulum, { javaScriptEnabled: false });
  // metres and radians share no axis: two figures of positions and two of velocities
  assert.equal(await page.locator("figure svg").count(), 9);
  assert.ok(await page.locator("#figure-energy svg").isVisible());
  await context.close();
});

test("on a phone nothing is wider than the screen; in the dark it is dark", async () => {
  for (const name of ["two-mass-oscillator", "comparison", "elastic-bar"]) {
    const options = { viewport: { width: 390, height: 800 }, colorScheme: "dark", hasTouch: true, isMobile: true };
    const { page, context } = await open(browser, pages[name], options);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${name}: ${width} px`);
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.ok(background.match(/\d+/g).slice(0, 3).every((c) => c < 60), background);
    await page.screenshot({ path: join(SHOTS, `${name}-phone.png`) });
    await context.close();
  }
});

test("everything that can be used has a name", async () => {
  const { page, context } = await open(browser, pages.comparison);
  const nameless = await page.evaluate(() => [...document.querySelectorAll("button, select, input, canvas, [role=img], [tabindex]")]
    .filter((e) => e.offsetParent !== null)
    .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label")?.textContent.trim() || e.closest("[role=img]")))
    .map((e) => e.outerHTML.slice(0, 80)));
  assert.deepEqual(nameless, []);
  await context.close();
});
