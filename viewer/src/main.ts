// The viewer of the report: the moving picture, the plots that follow it, the impacts and the tables.

import { Clock } from "./clock";
import { liveContacts } from "./contacts";
import { read, type Page, type Run } from "./data";
import { downloads } from "./downloads";
import { overPlanes } from "./gaps";
import { element } from "./html";
import { impactList } from "./impacts";
import { next, onSize, whenGone, whileShown } from "./lifetime";
import { short } from "./number";
import { plots } from "./plots";
import { frameOf, type Options, type Picture } from "./scene";
import { PlanePicture, room } from "./scene_plane";
import type { SpaceMaker } from "./scene_space";
import { BEAM_FIELDS, beamsOf, largestBent } from "./bent";
import { pressedMost, profiles } from "./profile";
import { FIELDS, GRADIENT, hasPressure, largest, solidsOf, type Field } from "./solid";
import { onTheme } from "./theme";
import { transport } from "./transport";

/** Runs whose pictures stand side by side. */
const PICTURES = 4;

/** Shows the runs of a data element and its columns where the page has a place for them. */
function show(data: string, block: string) {
  const mount = document.getElementById("viewer");
  if (!mount) return;
  next();
  const page = read(data, block);
  const clock = new Clock(page.span);
  whenGone(() => clock.play(false));
  const scene = sceneSection(page, clock);
  // a picture that is taller than wide stands beside the first plots
  const beside = scene?.narrow ?? false;
  const figures = plots(page.figures, clock, beside ? BESIDE : page.figures.length);
  const time = transport(page, clock);

  const stage = element("section", { class: "stage", "aria-labelledby": "picture" }, element("h2", { id: "picture" }, "Motion"), ...(scene ? [scene.box] : []), time);
  const curves = element("section", { "aria-labelledby": "curves" }, element("h2", { id: "curves" }, page.runs.length > 1 ? "Runs overlaid" : "Motion and energy"), figures.box);
  mount.replaceChildren(element("div", { class: beside ? "beside" : "above" }, stage, curves), figures.rest, impactList(page, clock));
  document.documentElement.classList.add("live");
  document.getElementById("downloads")?.append(downloads(page));
  liveContacts(page, clock);

  figures.start();
  scene?.start();
  clock.open(interesting(page, clock.span));
  // for scripts and tests: where the time is, and how to move it
  const { span } = clock;
  const shown: Shown = { seek: (t) => clock.seek(t), time: () => clock.t, span, impacts: page.impacts, runs: page.runs, playing: () => clock.playing, play: (on) => clock.play(on), speed: (x) => (x && clock.setSpeed(x), clock.speed) };
  Object.assign(globalThis, { percussion: shown });
}

/** What the script tells others of the runs it shows. */
export interface Shown {
  seek(t: number): void;
  time(): number;
  span: [number, number];
  impacts: Page["impacts"];
  runs: Run[];
  playing(): boolean;
  play(on: boolean): void;
  speed(x?: number): number;
}

/** Plots beside a picture, which together are as high as it. */
const BESIDE = 2;

/** The hardest impact of the first run, or when its surfaces press most, where something can be seen; a third of the way where there is none. */
function interesting(page: Page, [from, to]: [number, number]): number {
  const pressed = page.runs[0] && pressedMost(page.runs[0]);
  if (pressed !== undefined) return pressed;
  const own = page.impacts.filter((impact) => impact.run === 0);
  const hardest = own.reduce<Page["impacts"][number] | undefined>((best, impact) => (best && best.p >= impact.p ? best : impact), undefined);
  return hardest?.t ?? from + (to - from) / 3;
}

/** On paper a picture is an image: a canvas prints as it was laid out on the screen, or not at all. */
function onPaper(pictures: Picture[]) {
  const make = () => {
    for (const { canvas } of pictures) {
      const made = canvas.parentElement?.querySelector("img");
      // told twice that it prints: the canvas is hidden by now and would give nothing
      if (made && canvas.offsetWidth === 0) continue;
      const image = made ?? element("img", { class: "paper", alt: canvas.getAttribute("aria-label") ?? "" });
      image.src = canvas.toDataURL("image/png");
      canvas.after(image);
    }
    document.documentElement.classList.add("imaged");
  };
  addEventListener("beforeprint", make, { signal: whileShown() });
  matchMedia("print").addEventListener("change", (event) => event.matches && make(), { signal: whileShown() });
}

function sceneSection(page: Page, clock: Clock) {
  const pictured = page.runs.map((run, i) => ({ run, i })).filter(({ run }) => run.scene && run.film && run.film.t.length > 0).slice(0, PICTURES);
  if (pictured.length === 0) return undefined;
  const options: Options = { gaps: true, impulses: true, friction: true, axes: false, magnify: 1, field: "stress", deform: 1, most: remembered(largest), beamField: "moment", mostBent: remembered(largestBent) };
  // an impact stays in sight for a quarter of a second
  const glow = () => 0.25 * clock.speed;
  const pictures: Picture[] = [];
  const panels: HTMLElement[] = [];
  let aspect = 0;
  for (const { run, i } of pictured) {
    const impacts = page.impacts.filter((impact) => impact.run === i);
    const made = picture(run, i, impacts, options, glow);
    if (typeof made === "string") {
      panels.push(element("p", { class: "panel" }, made));
      continue;
    }
    aspect = Math.max(aspect, made.aspect);
    made.picture.canvas.setAttribute("role", "img");
    made.picture.canvas.setAttribute("aria-label", label(run));
    pictures.push(made.picture);
    const name = page.runs.length > 1 ? [element("figcaption", {}, element("span", { class: `run r${i % 8}`, "aria-hidden": "true" }), run.label)] : [];
    panels.push(element("figure", { class: "picture" }, made.picture.canvas, ...name));
  }
  const narrow = pictured.length === 1 && aspect < 1.7;
  const height = narrow ? 380 : Math.round(Math.min(Math.max(1100 / pictured.length / Math.max(aspect, 0.1), 170), 360));
  for (const { canvas } of pictures) canvas.style.height = `${height}px`;

  const notes = [...new Set(pictured.map(({ run }) => run.scene!.note).filter(Boolean))];
  notes.push(...new Set(pictures.flatMap(({ note }) => note ?? [])));
  const film = pictured[0]!.run.film!;
  if (film.t.length < film.seen) notes.push(`${film.t.length} of ${film.seen} states are shown, every impact that fits among them.`);
  if (page.runs.length > pictured.length) notes.push(`The first ${pictured.length} of ${page.runs.length} runs are pictured.`);
  const draw = (t: number) => {
    pictures.forEach((p) => p.draw(t));
    pressed.forEach((p) => p.draw(t));
  };
  const again = () => draw(clock.t);
  const pressed = profiles(pictured.map(({ run }) => run));
  const box = element("div", {}, element("div", { class: `pictures n${pictured.length}` }, ...panels), switches(pictured.map(({ run }) => run), options, again), ...solidControls(pictured.map(({ run }) => run), options, again), ...beamControls(pictured.map(({ run }) => run), options, again), ...pressed.map(({ box }) => box), ...(notes.length ? [element("p", { class: "caption" }, notes.join(" "))] : []));
  const begin = () => {
    const fit = () => {
      pictures.forEach((p) => p.resize());
      again();
    };
    fit();
    onSize(box, fit);
    whenGone(() => pictures.forEach((p) => p.end?.()));
    clock.onTime(draw);
    onTheme(again);
    onPaper(pictures);
  };
  return { box, narrow, start: begin };
}

function picture(run: Run, i: number, impacts: Page["impacts"], options: Options, glow: () => number): { picture: Picture; aspect: number } | string {
  if (!run.scene!.space) {
    const box = room(run);
    const aspect = (box.high[0] - box.low[0]) / (box.high[1] - box.low[1] || 1);
    return { picture: new PlanePicture(run, i, impacts, box, options, glow), aspect };
  }
  try {
    const make = (globalThis as { percussionSpace?: SpaceMaker }).percussionSpace!;
    return { picture: make(run, i, impacts, options, glow), aspect: 1.4 };
  } catch {
    return "This browser draws nothing in space (no WebGL); the plots below follow the time all the same.";
  }
}

const label = (run: Run) => {
  const count = (role: string) => run.scene!.shapes.filter((shape) => shape.role === role).length;
  return `Moving picture of ${run.scenario || "the run"}: ${count("body")} bodies, ${count("obstacle")} obstacles, ${run.scene!.contacts.length} contacts`;
};

/** The largest value of a field in a run, found once. */
function remembered<F>(find: (run: Run, frame: ReturnType<typeof frameOf>, field: F) => number): (run: Run, field: F) => number {
  const known = new Map<Run, Map<F, number>>();
  return (run, field) => {
    const own = known.get(run) ?? new Map<F, number>();
    known.set(run, own);
    const most = own.get(field) ?? find(run, frameOf(run), field);
    own.set(field, most);
    return most;
  };
}

/** Which field colours solids, how much larger their deformation is drawn, and the legend. */
function solidControls(runs: Run[], options: Options, again: () => void): HTMLElement[] {
  if (runs.every((run) => solidsOf(run).length === 0)) return [];
  const { pressure, ...others } = FIELDS;
  const fields = runs.some(hasPressure) ? FIELDS : (others as Record<Field, [string, string]>);
  const [choice, legend] = colours("Colour", fields, options.field, (field) => Math.max(...runs.map((run) => options.most(run, field))), (field) => {
    options.field = field;
    again();
  });
  const factor = element("select", { "aria-label": "Deformation" });
  for (const x of [1, 2, 5, 10, 20, 50, 100, 1000]) factor.append(element("option", { value: x, selected: x === 1 }, `${x}×`));
  factor.addEventListener("change", () => {
    options.deform = Number(factor.value);
    again();
  });
  return [element("div", { class: "bar switches solid" }, element("label", {}, "colour", choice), legend, element("label", {}, "deformation", factor))];
}

/** A choice of what colours show, and a legend from nothing to the largest value. */
function colours<F extends string>(label: string, fields: Record<F, [string, string]>, chosen: F, most: (field: F) => number, change: (field: F) => void): [HTMLElement, HTMLElement] {
  const value = element("span", {});
  const legend = (field: F) => (value.textContent = `${short(most(field))} ${fields[field][1]}`);
  const choice = element("select", { "aria-label": label });
  for (const field of Object.keys(fields) as F[]) choice.append(element("option", { value: field, selected: field === chosen }, fields[field][0]));
  choice.addEventListener("change", () => {
    legend(choice.value as F);
    change(choice.value as F);
  });
  const scale = element("span", { class: "scale", "aria-hidden": "true" });
  scale.style.background = GRADIENT;
  legend(chosen);
  return [choice, element("span", { class: "legend" }, "0", scale, value)];
}

/** What colours beams in space, and the legend. */
function beamControls(runs: Run[], options: Options, again: () => void): HTMLElement[] {
  const bent = runs.filter((run) => run.scene!.space && beamsOf(run).length > 0);
  if (bent.length === 0) return [];
  const [choice, legend] = colours("Colour of beams", BEAM_FIELDS, options.beamField, (field) => Math.max(...bent.map((run) => options.mostBent(run, field))), (field) => {
    options.beamField = field;
    again();
  });
  return [element("div", { class: "bar switches solid beams" }, element("label", {}, "beams", choice), legend)];
}

/** Whether friction has a place in the picture. */
const rubs = (run: Run) => run.arrows?.f.some((x) => x !== 0) || run.scene!.contacts.some((mark) => mark.tangents?.length && run.contacts.some((c) => c.contact === mark.contact && c.friction.some((f) => f.y.some((y) => y !== 0))));

function switches(runs: Run[], options: Options, again: () => void): HTMLElement {
  const bar = element("div", { class: "bar switches" });
  const check = (name: "gaps" | "impulses" | "friction" | "axes", text: string) => {
    const box = element("input", { type: "checkbox", checked: options[name], "data-switch": name });
    box.addEventListener("change", () => {
      options[name] = box.checked;
      again();
    });
    return element("label", { class: name }, box, text);
  };
  if (runs.some((run) => run.scene!.shapes.some((shape) => shape.role === "axis"))) bar.append(check("axes", "Axes of joints"));
  if (runs.every((run) => run.scene!.contacts.length === 0 && !run.arrows)) return bar;
  const magnify = element("input", { type: "range", min: 0, max: 4, step: 0.1, value: 0, "aria-label": "Length of impulse arrows" });
  magnify.addEventListener("input", () => {
    options.magnify = 10 ** Number(magnify.value);
    again();
  });
  const gaps = runs.some((run) => run.scene!.contacts.length > 0 || overPlanes(run).length > 0);
  bar.append(...(gaps ? [check("gaps", "Gaps")] : []), check("impulses", "Impulses"), ...(runs.some(rubs) ? [check("friction", "Friction")] : []), element("label", {}, "longer", magnify));
  return bar;
}

const [data, block] = ["run-data", "run-columns"].map((id) => document.getElementById(id)?.textContent);
if (data && block) show(data, block);
// a page that makes runs itself shows them one after the other
Object.assign(globalThis, { percussionShow: show });
