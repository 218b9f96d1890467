// Pressure along a surface in contact at the time of the page, and what Hertz's theory gives for the same force.
//
//   a² = 4PR/(πE*), p₀ = 2P/(πa) along a line;   a³ = 3FR/(4E*), p₀ = 3F/(2πa²) about a point;   p = p₀ √(1 − s²/a²)

import type { Numbers3, Profile, Run } from "./data";
import { element } from "./html";
import { onAxis, short } from "./number";
import type { Frame } from "./place";
import { frameOf } from "./scene";
import { linearTicks } from "./ticks";

/** A point of the curve: where along the surface, and its pressure. */
type Sample = [number, number];

/** Of Hertz: half the width of the contact, the largest pressure. */
interface Theory {
  a: number;
  peak: number;
}

const TITLES: Record<Profile["form"], string> = {
  along: "along the surface from the middle of the contact [m]",
  "from-axis": "distance from the axis [m]",
  "from-middle": "distance from the middle of the contact [m]",
};

/** Surfaces of a run drawn at most. */
const MOST = 3;

const SIZE = { width: 460, height: 210, left: 62, right: 12, top: 12, bottom: 42 };

/** Part of the largest pressure below which there is none: the film has levels. */
const NOTHING = 2e-5;

/** One surface at the time of a frame. */
class Surface {
  private least = 0;

  constructor(
    readonly profile: Profile,
    private readonly frame: Frame,
  ) {}

  /** The pressures in the order of their places. */
  at(t: number): { samples: Sample[]; force: number } {
    const { profile, frame } = this;
    frame.seek(t);
    const p = profile.pressures.map((place) => frame.q[place] ?? 0).map((p) => (Math.abs(p) > this.least ? p : 0));
    const force = p.reduce((sum, p, i) => sum + p * profile.areas[i]!, 0);
    const where = this.where(p);
    const samples = p.map((p, i): Sample => [where[i]!, p]).sort((a, b) => a[0] - b[0]);
    return { samples, force };
  }

  private where(p: number[]): number[] {
    const { profile } = this;
    if (profile.form === "from-axis") return profile.along;
    const weight = p.map((p, i) => Math.max(p, 0) * profile.areas[i]!);
    const total = weight.reduce((sum, w) => sum + w, 0) || 1;
    const mean = (x: number[]) => x.reduce((sum, x, i) => sum + x * weight[i]!, 0) / total;
    if (profile.form === "along") {
      // about the point that is pressed most, so that a closed surface is cut on its other side
      const from = profile.along[p.indexOf(Math.max(...p))] ?? 0;
      const { length } = profile;
      const s = profile.along.map((x) => x - from).map((x) => (length > 0 ? x - length * Math.round(x / length) : x));
      const middle = mean(s);
      return s.map((x) => x - middle);
    }
    const points = profile.points.map((point) => this.frame.point(point));
    const middle = [0, 1, 2].map((k) => mean(points.map((x) => x[k]!))) as Numbers3;
    return points.map((x) => Math.hypot(x[0] - middle[0], x[1] - middle[1], x[2] - middle[2]));
  }

  theory(force: number): Theory | undefined {
    const { hertz, form } = this.profile;
    if (!hertz || !(force > 0)) return undefined;
    if (form === "along") {
      const a = Math.sqrt((4 * force * hertz.radius) / (Math.PI * hertz.modulus));
      return { a, peak: (2 * force) / (Math.PI * a) };
    }
    const a = Math.cbrt((3 * force * hertz.radius) / (4 * hertz.modulus));
    return { a, peak: (3 * force) / (2 * Math.PI * a * a) };
  }

  /** How far the pressed part reaches, and the largest pressure, over a sample of the film. */
  extent(): { reach: number; most: number } {
    const { t, q, columns } = this.frame.film;
    const { pressures } = this.profile;
    for (let k = 0; k < t.length; k++) for (const place of pressures) this.least = Math.max(this.least, NOTHING * q[k * columns + place]!);
    const every = Math.max(1, Math.floor((t.length * this.profile.pressures.length) / 1e6));
    let [reach, most] = [0, 0];
    for (let k = 0; k < t.length; k += every) {
      const { samples, force } = this.at(t[k]!);
      const theory = this.theory(force);
      const neighbours = samples.filter(([, p], i) => p > 0 || (samples[i - 1]?.[1] ?? 0) > 0 || (samples[i + 1]?.[1] ?? 0) > 0);
      for (const [s, p] of neighbours) [reach, most] = [Math.max(reach, Math.abs(s)), Math.max(most, p)];
      if (theory) [reach, most] = [Math.max(reach, theory.a), Math.max(most, theory.peak)];
    }
    return { reach, most };
  }
}

const svg = (name: string, attributes: Record<string, string | number>, text?: string) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
};

/** When the contacts of a run press most; none where nothing presses. */
export function pressedMost(run: Run): number | undefined {
  const own = (run.scene?.profiles ?? []).map((profile) => new Surface(profile, frameOf(run)));
  if (own.length === 0 || !run.film) return undefined;
  const { t } = run.film;
  const every = Math.max(1, Math.floor(t.length / 400));
  let [best, most] = [undefined as number | undefined, 0];
  for (let k = 0; k < t.length; k += every) {
    const force = own.reduce((sum, surface) => sum + surface.at(t[k]!).force, 0);
    if (force > most) [best, most] = [t[k]!, force];
  }
  return best;
}

/** A figure for each surface that is pressed at some time. */
export function profiles(runs: Run[]): { box: HTMLElement; draw(t: number): void }[] {
  return runs.flatMap((run, i) => {
    const own = (run.scene!.profiles ?? []).map((profile) => new Surface(profile, frameOf(run)));
    const pressed = own.map((surface) => ({ surface, ...surface.extent() })).filter(({ most, reach }) => most > 0 && reach > 0);
    return pressed.slice(0, MOST).map((one) => figure(one.surface, one.reach * 1.08, one.most * 1.05, runs.length > 1 ? `${run.label}: ` : "", i));
  });
}

function figure(surface: Surface, reach: number, most: number, whose: string, run: number) {
  const { width, height, left, right, top, bottom } = SIZE;
  const { form, name, hertz } = surface.profile;
  const low = form === "along" ? -reach : 0;
  const x = (s: number) => left + ((s - low) / (reach - low)) * (width - left - right);
  const y = (p: number) => height - bottom - (p / most) * (height - top - bottom);
  const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Contact pressure of ${name}` });
  const ticks = linearTicks(0, most, 4);
  onAxis(ticks, 2).forEach((text, k) => {
    chart.append(svg("line", { class: "grid", x1: left, x2: width - right, y1: y(ticks[k]!), y2: y(ticks[k]!) }));
    chart.append(svg("text", { x: left - 6, y: y(ticks[k]!) + 4, "text-anchor": "end" }, text));
  });
  const places = linearTicks(low, reach, 6);
  onAxis(places, 2).forEach((text, k) => {
    chart.append(svg("line", { class: "grid", x1: x(places[k]!), x2: x(places[k]!), y1: top, y2: height - bottom }));
    chart.append(svg("text", { x: x(places[k]!), y: height - bottom + 16, "text-anchor": "middle" }, text));
  });
  chart.append(svg("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, TITLES[form]));
  const curve = svg("path", { class: `curve k${run % 8}` });
  const points = svg("path", { class: `points k${run % 8}` });
  const theory = svg("path", { class: "theory" });
  chart.append(theory, curve, points);
  const told = element("span", { class: "unit" });
  const words = hertz ? "Dashed: Hertz's pressure of the same force." : "";
  const box = element("figure", { class: "panel profile" }, element("div", { class: "head" }, element("h3", {}, `${whose}Contact pressure of ${name} [Pa]`), told), chart, ...(words ? [element("figcaption", { class: "caption" }, words)] : []));

  const inside = ([s]: Sample) => s >= low - 1e-12 && s <= reach;
  const draw = (t: number) => {
    const { samples, force } = surface.at(t);
    const seen = samples.filter(inside).map(([s, p]) => `${x(s).toFixed(1)} ${y(Math.max(p, 0)).toFixed(1)}`);
    // nodes about a point have no order to be joined in
    curve.setAttribute("d", form === "from-middle" || seen.length === 0 ? "" : `M${seen.join("L")}`);
    points.setAttribute("d", seen.map((at) => `M${at}h0`).join(""));
    const hertzian = surface.theory(force);
    theory.setAttribute("d", hertzian ? `M${ellipse(hertzian, low).map(([s, p]) => `${x(s).toFixed(1)} ${y(p).toFixed(1)}`).join("L")}` : "");
    const largest = samples.reduce((most, [, p]) => Math.max(most, p), 0);
    told.textContent = force > 0 ? `largest ${short(largest)} Pa${hertzian ? `, Hertz ${short(hertzian.peak)} Pa, a = ${short(hertzian.a)} m` : ""}` : "no contact";
  };
  return { box, draw };
}

function ellipse({ a, peak }: Theory, low: number): Sample[] {
  const from = low < 0 ? -1 : 0;
  // even steps of the angle: the ends are steep
  return Array.from({ length: 61 }, (_, k) => {
    const angle = (Math.PI / 2) * (from + ((1 - from) * k) / 60);
    return [a * Math.sin(angle), peak * Math.cos(angle)] as Sample;
  });
}
