// The playground: a panel that changes a scenario, and the report of the run it makes of it.

import { save } from "../downloads";
import { element } from "../html";
import type { Shown } from "../main";
import { Editor } from "./editor";
import { Cancelled, Engine } from "./engine";
import type { Answer, Changes, Description, Question, Refusal, RunAnswer, Study } from "./protocol";
import { checked, fromFragment, toFragment, type Shared } from "./share";
import { Sliders } from "./sliders";

/** Milliseconds between a change and the run it asks for. */
const PAUSE = 60;
const TYPING = 500;

const content = (id: string) => document.getElementById(id)?.textContent ?? "";
const viewer = globalThis as unknown as { percussion?: Shown; percussionShow(data: string, columns: string): void };

class Playground {
  private readonly engine: Engine;
  private readonly editor: Editor;
  private readonly sliders = new Sliders(() => this.soon(PAUSE));
  private readonly scheme = element("select", { id: "scheme" });
  private readonly against = element("select", { id: "against" });
  private readonly always = element("input", { type: "checkbox", id: "always", checked: true });
  private readonly bar = element("progress", { max: 1, value: 0, "aria-label": "Progress" });
  private readonly said = element("p", { class: "said", role: "status", "aria-live": "polite" });
  private readonly warning = element("p", { class: "warning", role: "alert", hidden: true });
  private readonly stop = element("button", { type: "button", id: "cancel", disabled: true }, "Cancel");
  private readonly study = element("section", { id: "study", hidden: true, "aria-live": "polite" });
  private readonly report = document.getElementById("report")!;
  private timer = 0;
  private described = "";
  private first: Shared;

  constructor(shared: Shared, files: Record<string, string>, warning = "") {
    this.first = shared;
    this.engine = new Engine(content("worker"), content("engine"), files);
    this.editor = new Editor(shared.text, () => this.soon(TYPING));
    this.sliders.moved = shared.set;
    // until the simulator has told which schemes fit: those of the link
    this.choices([...new Set([shared.scheme, shared.against])].filter(Boolean), shared.scheme, shared.against);
    this.panel();
    for (const select of [this.scheme, this.against]) {
      select.addEventListener("change", () => {
        this.sliders.takes(this.taken);
        this.soon(0);
      });
    }
    if (warning) this.warn(warning);
    document.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void this.run();
      if (event.key === "Escape" && this.engine.busy) this.cancel();
    });
    void this.run();
  }

  private panel() {
    const button = (id: string, text: string, act: () => void, title = "") => {
      const made = element("button", { type: "button", id, title: title || undefined }, text);
      made.addEventListener("click", act);
      return made;
    };
    this.stop.addEventListener("click", () => this.cancel());
    const choice = (text: string, select: HTMLElement) => element("div", { class: "choice" }, element("label", { for: select.id }, text), select);
    const run = button("run", "Run", () => void this.run(), "Ctrl + Enter");
    run.classList.add("main");
    document.getElementById("panel")!.replaceChildren(
      element("h2", {}, "Playground"),
      choice("Scheme", this.scheme),
      choice("beside", this.against),
      this.sliders.box,
      element("div", { class: "bar" }, run, this.stop, element("label", { class: "always" }, this.always, "at every change")),
      this.bar,
      this.said,
      this.warning,
      this.editor.refusals,
      element("details", { id: "text-box" }, element("summary", {}, "Scenario"), this.editor.box),
      element("div", { class: "bar" }, button("converge", "Convergence", () => void this.converge(), "Errors over a range of steps, and the order fitted to them"), button("reset", "Start over", () => this.reset())),
      element("div", { class: "bar" }, button("link", "Copy link", () => void this.link()), button("save-page", "Save page", () => this.savePage()), button("save-scenario", "Save scenario", () => this.saveScenario())),
    );
    this.report.before(this.study);
  }

  private choices(names: string[], scheme: string, against: string) {
    const option = (name: string, selected: boolean, text = name) => element("option", { value: name, selected }, text);
    this.scheme.replaceChildren(...names.map((name) => option(name, name === scheme)));
    this.against.replaceChildren(option("", against === "", "nothing"), ...names.map((name) => option(name, name === against)));
    this.scheme.value = scheme;
    this.against.value = against;
  }

  private soon(pause: number) {
    clearTimeout(this.timer);
    if (!this.always.checked) return;
    this.timer = window.setTimeout(() => void this.run(), pause);
  }

  private get shared(): Shared {
    return { name: this.first.name, text: this.editor.text, set: this.sliders.moved, scheme: this.chosen ?? "", against: this.against.value };
  }

  // the text's own scheme is not forced on it
  private own = "";
  private get chosen(): string | undefined {
    return this.scheme.value && this.scheme.value !== this.own ? this.scheme.value : undefined;
  }

  /** Parameters of the schemes by name. */
  private parameters = new Map<string, Set<string>>();
  /** Those that the schemes chosen now take. */
  private get taken(): Set<string> {
    return new Set([this.scheme.value, this.against.value].flatMap((name) => [...(this.parameters.get(name) ?? [])]));
  }

  private question(kind: Question["kind"]): Question {
    const of = (scheme?: string): Changes => {
      const set = this.sliders.changes(this.parameters.get(scheme ?? this.own));
      return scheme ? { scheme, set } : { set };
    };
    const runs = [of(this.chosen), ...(this.against.value ? [of(this.against.value)] : [])];
    return { kind, name: this.first.name, text: this.editor.text, runs };
  }

  /** Asks, shows progress, and tells what went wrong; nothing where there is no answer. */
  private async ask<T>(question: Question, words: string): Promise<T | undefined> {
    this.stop.disabled = false;
    this.said.textContent = words;
    this.bar.classList.add("busy");
    try {
      const answer: Answer<T> = await this.engine.ask<T>(question, (share) => (this.bar.value = share));
      if (answer && typeof answer === "object" && "error" in answer) {
        this.refused(answer.error);
        return undefined;
      }
      return answer as T;
    } catch (error) {
      if (!(error instanceof Cancelled)) this.refused({ text: `The simulator stopped: ${(error as Error).message}. A smaller scenario may fit; the program has no such bounds.`, line: null });
      return undefined;
    } finally {
      if (!this.engine.busy) {
        this.stop.disabled = true;
        this.bar.classList.remove("busy");
        this.bar.value = 0;
      }
    }
  }

  private refused(error: Pick<Refusal, "text" | "line">) {
    this.editor.refuse(error);
    this.said.textContent = "Nothing was run; the report is of the last run.";
    this.report.classList.add("stale");
    if (error.line) document.querySelector<HTMLDetailsElement>("#text-box")!.open = true;
    document.documentElement.dataset["ran"] = "refused";
  }

  private async run() {
    clearTimeout(this.timer);
    const { text } = this.editor;
    if (this.described !== text) {
      const forced = this.chosen;
      const found = await this.ask<Description>({ ...this.question("describe"), runs: [] }, "Reading …");
      if (!found) return;
      // a text that now names another scheme means it
      const renamed = this.own !== "" && this.own !== found.scheme;
      this.described = text;
      this.own = found.scheme;
      this.parameters = new Map(found.schemes.map(({ name, parameters }) => [name, new Set(parameters)]));
      const unknown = [forced, this.against.value].filter((name) => name && !this.parameters.has(name));
      if (unknown.length) this.warn(`This scenario does not run by ${unknown.join(" and ")}; it runs by its own scheme.`);
      const fits = (name: string | undefined): name is string => name !== undefined && this.parameters.has(name);
      this.choices([...this.parameters.keys()], fits(forced) && !renamed ? forced : found.scheme, fits(this.against.value) ? this.against.value : "");
      this.sliders.offer(found.numbers);
      this.sliders.takes(this.taken);
    }
    this.study.hidden = true;
    const began = performance.now();
    const answer = await this.ask<RunAnswer>(this.question("run"), "Running …");
    if (!answer) return;
    this.editor.refuse(undefined);
    this.report.classList.remove("stale");
    this.show(answer);
    const steps = answer.runs.reduce((sum, run) => sum + run.steps, 0);
    const failure = answer.runs.find((run) => run.failure)?.failure;
    if (failure) this.editor.refuse({ text: failure, line: null });
    this.said.textContent = `${steps} steps in ${((performance.now() - began) / 1000).toFixed(2)} s.`;
    document.documentElement.dataset["ran"] = answer.runs.map((run) => run.state_hash).join(" ");
  }

  /** Puts a run in the place of the last; the time and whether it plays stay. */
  private show(answer: RunAnswer) {
    const last = viewer.percussion;
    const kept = last && { t: last.time(), playing: last.playing(), end: last.span[1], speed: last.speed() };
    const { scrollX, scrollY } = window;
    // escaped where it was written, in percussion-report
    this.report.innerHTML = `${answer.header}<main>${answer.main}</main>`;
    document.title = `${answer.title} · Percussion`;
    viewer.percussionShow(answer.data, answer.columns);
    const now = viewer.percussion;
    Object.assign(globalThis, { percussionRuns: answer.runs });
    if (kept && now) {
      if (kept.end === now.span[1]) now.speed(kept.speed);
      now.seek(Math.min(kept.t, now.span[1]));
      if (kept.playing) now.play(true);
    } else if (now && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
      now.play(true);
    }
    window.scrollTo(scrollX, scrollY);
  }

  private cancel() {
    clearTimeout(this.timer);
    this.engine.cancel();
    this.said.textContent = "Cancelled.";
    this.stop.disabled = true;
    this.bar.classList.remove("busy");
    this.bar.value = 0;
  }

  private async converge() {
    const answer = await this.ask<{ study: Study | null }>(this.question("converge"), "Measuring errors over a range of steps …");
    if (!answer?.study) return;
    this.editor.refuse(undefined);
    const { title, subtitle, main, csv } = answer.study;
    const keep = element("button", { type: "button" }, "Save as CSV");
    keep.addEventListener("click", () => save("convergence.csv", "text/csv", csv));
    const away = element("button", { type: "button" }, "Put away");
    away.addEventListener("click", () => (this.study.hidden = true));
    const body = element("div", {});
    // escaped where it was written, in percussion-report
    body.innerHTML = main;
    this.study.replaceChildren(element("h2", {}, title), element("p", { class: "sub" }, subtitle), body, element("div", { class: "bar" }, keep, away));
    this.study.hidden = false;
    this.said.textContent = "The study is above the report.";
    this.study.scrollIntoView({ block: "start" });
  }

  private reset() {
    this.editor.text = this.first.text;
    this.described = "";
    this.own = "";
    this.sliders.moved = this.first.set;
    this.choices([...new Set([this.first.scheme, this.first.against])].filter(Boolean), this.first.scheme, this.first.against);
    void this.run();
  }

  private async link() {
    const fragment = toFragment(this.shared);
    if (!fragment) {
      this.said.textContent = "This scenario is too long for a link; save the page instead.";
      return;
    }
    try {
      history.replaceState(null, "", fragment);
    } catch {
      this.said.textContent = "This frame keeps no address: save the page, or open it in a tab of its own.";
      return;
    }
    try {
      await navigator.clipboard.writeText(location.href);
      this.said.textContent = "The link is copied.";
    } catch {
      this.said.textContent = "The link is in the address bar.";
    }
  }

  /** The text, and above it how to run it as the panel has it. */
  private saveScenario() {
    const quoted = (word: string) => (/^[\w.=+-]+$/.test(word) ? word : `'${word}'`);
    const words = [...(this.chosen ? ["--scheme", this.chosen] : []), ...this.sliders.changes(this.parameters.get(this.scheme.value)).flatMap((change) => ["--set", quoted(change)])];
    const head = words.length ? `# as the panel had it: percussion run scenario.toml ${words.join(" ")}\n` : "";
    save("scenario.toml", "text/plain", head + this.editor.text);
  }

  private warn(text: string) {
    this.warning.textContent = text;
    this.warning.hidden = false;
  }

  /** This page with what it shows now as its beginning. */
  private savePage() {
    const copy = document.documentElement.cloneNode(true) as HTMLElement;
    copy.removeAttribute("class");
    copy.removeAttribute("data-ran");
    for (const id of ["panel", "report"]) copy.querySelector(`#${id}`)!.replaceChildren();
    copy.querySelector("#study")?.remove();
    const { files } = JSON.parse(content("play-data")) as { files: Record<string, string> };
    copy.querySelector("#play-data")!.textContent = JSON.stringify({ ...this.shared, files }).replaceAll("<", "\\u003c");
    const name = this.first.name.replace(/\.toml$/, "").replace(/[^\w-]+/g, "-") || "scenario";
    save(`${name}-play.html`, "text/html", `<!DOCTYPE html>\n${copy.outerHTML}\n`);
  }
}

const given = JSON.parse(content("play-data")) as { files: Record<string, string> };
const linked = fromFragment(location.hash);
const begun = linked ?? checked(given);
const broken = !linked && location.hash.startsWith("#s=") ? "The link could not be read: it is damaged or too long. This is the page's own scenario." : "";
if (begun) Object.assign(globalThis, { playground: new Playground(begun, given.files, broken) });
// a link pasted into the same tab
addEventListener("hashchange", () => location.hash.startsWith("#s=") && location.reload());
