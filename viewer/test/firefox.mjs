// The playground in Firefox. PERCUSSION: the program; FIREFOX: the browser; SHOTS: the folder for screenshots.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { firefox } from "./bidi.mjs";
import { SCENES, folder, makePage, run, words } from "./scenes.mjs";

const { FIREFOX, SHOTS } = process.env;
let browser;
let missing;

before(async () => {
  mkdirSync(SHOTS, { recursive: true });
  // a browser that does not start on this machine says nothing about the page
  browser = await firefox(FIREFOX).catch((error) => void (missing = String(error)));
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The hash of the run the page has made, once it has. */
const RAN = `new Promise((done) => {
  const look = () => (document.documentElement.dataset.ran ? done(document.documentElement.dataset.ran) : setTimeout(look, 20));
  look();
})`;

test("in Firefox: opens without a request, the same hash as run --portable", async (t) => {
  if (missing) return t.skip(missing);
  for (const [name, scene] of Object.entries(SCENES)) {
    await t.test(name, async () => {
      const path = makePage(name, scene);
      browser.requests.length = browser.complaints.length = 0;
      await browser.open(`file://${path}`);
      await browser.evaluate(RAN);
      const asked = JSON.stringify({ kind: "run", runs: [{ scheme: scene.scheme }] });
      const answer = await browser.evaluate(`playground.engine.ask({ name: playground.first.name, text: playground.editor.text, ...${asked} })`);
      assert.equal(answer.error, undefined, JSON.stringify(answer.error));
      const portable = run([...words(scene), "--portable"]);
      assert.equal(answer.runs[0].state_hash, portable.state_hash, "the page computes what run --portable computes");
      // without a graphics card this browser draws nothing in space, and the page must say so
      const flat = browser.complaints.some((text) => text.includes("WebGL"));
      if (flat) assert.match(await browser.evaluate("document.querySelector('.pictures, .stage').textContent"), /no WebGL/);
      assert.deepEqual(browser.complaints.filter((text) => !text.includes("WebGL")), []);
      assert.deepEqual(browser.requests.filter((url) => url !== `file://${path}` && !/^(data|blob):/.test(url)), []);
      writeFileSync(join(SHOTS, `firefox-${name}.png`), await browser.screenshot());
    });
  }
});

test("in Firefox: a slider changes the result, a mistake is told, cancelling is heard", async (t) => {
  if (missing) return t.skip(missing);
  await browser.open(`file://${makePage("ball", SCENES.ball)}`);
  const before = await browser.evaluate(RAN);
  await browser.evaluate(`(() => {
    const field = document.querySelector('.slider[data-key="model.contact.0.restitution"] input[type=number]');
    field.value = "0.5";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  })()`);
  const after = await browser.evaluate(`new Promise((done) => {
    const look = () => (document.documentElement.dataset.ran !== ${JSON.stringify(before)} ? done(document.documentElement.dataset.ran) : setTimeout(look, 20));
    look();
  })`);
  assert.equal(after, run(["bouncing-ball", "--portable", "--set", "model.contact.0.restitution=0.5"]).state_hash);
  const refused = await browser.evaluate(`playground.engine.ask({ kind: "run", name: "ball", text: playground.editor.text.replace("restitution", "restitutoin"), runs: [{}] })`);
  assert.equal(refused.error.code, "E102");
  const heard = await browser.evaluate(`(async () => {
    const asked = playground.engine.ask({ kind: "run", name: "ball", text: playground.editor.text, runs: [{ set: ["time.end=1000.0"] }] });
    await new Promise((done) => setTimeout(done, 500));
    const began = performance.now();
    playground.engine.cancel();
    await asked.catch(() => {});
    return performance.now() - began;
  })()`);
  t.diagnostic(`cancelled in ${heard} ms`);
  assert.ok(heard < 100, `cancelled in ${heard} ms`);
});
