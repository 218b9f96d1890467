// Firefox as Debian ships it, by the protocol every browser now speaks (W3C WebDriver BiDi): commands over a web socket.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import WebSocket from "ws";

/** Starts the browser; a session of it, with every request and every error of its pages. */
export async function firefox(program) {
  const profile = mkdtempSync(join(tmpdir(), "percussion-firefox-"));
  const words = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"];
  // as root it refuses a home of somebody else's
  const browser = spawn(program, words, { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, HOME: profile } });
  const ended = new Promise((done) => browser.on("exit", done));
  const address = await new Promise((found, failed) => {
    let said = "";
    const patience = setTimeout(() => {
      browser.kill();
      failed(new Error(`${program} says nothing: ${said}`));
    }, 60_000);
    browser.on("error", failed);
    browser.on("exit", () => {
      clearTimeout(patience);
      failed(new Error(`${program} ended: ${said}`));
    });
    browser.stderr.on("data", (text) => {
      said += text;
      const there = /BiDi listening on (ws:\S+)/.exec(said);
      if (!there) return;
      clearTimeout(patience);
      found(there[1]);
    });
  });
  const socket = new WebSocket(`${address}/session`);
  await new Promise((done, failed) => socket.on("open", done).on("error", failed));

  const waiting = new Map();
  const [requests, complaints] = [[], []];
  let count = 0;
  socket.on("message", (text) => {
    const { id, type, method, params, result, ...rest } = JSON.parse(text);
    if (type === "event" && method === "network.beforeRequestSent") requests.push(params.request.url);
    else if (type === "event" && method === "log.entryAdded" && params.level === "error") complaints.push(params.text);
    else if (type === "success") waiting.get(id)?.done(result);
    else if (type === "error") waiting.get(id)?.failed(new Error(rest.message));
    waiting.delete(id);
  });
  const command = (method, params) => new Promise((done, failed) => {
    waiting.set(++count, { done, failed });
    socket.send(JSON.stringify({ id: count, method, params }));
  });
  await command("session.new", { capabilities: {} });
  await command("session.subscribe", { events: ["network.beforeRequestSent", "log.entryAdded"] });
  const { contexts: [{ context }] } = await command("browsingContext.getTree", {});
  return {
    requests,
    complaints,
    /** Opens an address and waits for its load. */
    open: (url) => command("browsingContext.navigate", { context, url, wait: "complete" }),
    /** What an expression of the page's comes to, promises waited for; as JSON, the protocol's own values being clumsy. */
    async evaluate(expression) {
      const made = await command("script.evaluate", { expression: `(async () => JSON.stringify(await (${expression})) ?? null)()`, target: { context }, awaitPromise: true });
      if (made.type === "exception") throw new Error(made.exceptionDetails.text);
      return made.result.value && JSON.parse(made.result.value);
    },
    async screenshot() {
      return Buffer.from((await command("browsingContext.captureScreenshot", { context })).data, "base64");
    },
    async close() {
      socket.close();
      browser.kill();
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
