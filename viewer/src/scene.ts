// What every kind of picture has in common: a canvas that follows the time, and the impulses that act at it.

import { lastAt, valueAt, type Impact, type Numbers3, type Run } from "./data";
import { Frame, locate, quaternions } from "./place";
import type { BeamField } from "./bent";
import type { Field } from "./solid";

/** What the viewer may switch. */
export interface Options {
  gaps: boolean;
  impulses: boolean;
  friction: boolean;
  /** Axes of joints. */
  axes: boolean;
  /** Impulses are drawn so many times longer than to scale with the largest. */
  magnify: number;
  /** What the colours of solids show. */
  field: Field;
  /** Their deformation is drawn so many times larger. */
  deform: number;
  /** The largest value of each field of each run. */
  most: (run: Run, field: Field) => number;
  /** What the colours of beams show, and its largest value in each run. */
  beamField: BeamField;
  mostBent: (run: Run, field: BeamField) => number;
}

/** A picture of one run. */
export interface Picture {
  readonly canvas: HTMLCanvasElement;
  draw(t: number): void;
  resize(): void;
  /** What a reader has to know of it. */
  readonly note?: string | undefined;
  /** Gives back what the browser lends in small numbers. */
  end?(): void;
}

/** A contact as drawn at an instant. */
export interface Mark {
  contact: number;
  at: Numbers3;
  normal: Numbers3;
  gap: number | undefined;
  /** Impulse over the largest of the run, fading after an impact. */
  impulse: number;
  /** Friction to the same scale: a unit vector and its length. */
  tangent: Numbers3;
  friction: number;
}

/** Arrows drawn at once. */
export const ARROWS = 300;

/** The contacts of a run with what acts there. */
export class Marks {
  private readonly impacts = new Map<number, Impact[]>();
  private readonly times = new Map<number, number[]>();
  private readonly largest: number;

  constructor(
    private readonly run: Run,
    impacts: Impact[],
    private readonly glow: () => number,
  ) {
    for (const impact of impacts) {
      const list = this.impacts.get(impact.contact) ?? [];
      list.push(impact);
      this.impacts.set(impact.contact, list);
    }
    for (const [contact, list] of this.impacts) this.times.set(contact, list.map((impact) => impact.t));
    let largest = 0;
    for (const { p } of impacts) largest = Math.max(largest, p);
    for (const { impulse } of run.contacts) for (const p of impulse.y) largest = Math.max(largest, p);
    const { p } = run.arrows ?? { p: [] };
    for (let i = 0; i + 2 < p.length; i += 3) largest = Math.max(largest, Math.hypot(p[i]!, p[i + 1]!, p[i + 2]!));
    this.largest = largest || 1;
  }

  at(t: number, frame: Frame): Mark[] {
    const { scene, contacts } = this.run;
    if (!scene) return [];
    return scene.contacts.map((mark): Mark => {
      const curves = contacts.find((c) => c.contact === mark.contact);
      const steady = (curves && valueAt(curves.impulse, t)) ?? 0;
      const times = this.times.get(mark.contact) ?? [];
      const i = lastAt(times, t);
      const impact = i < 0 ? undefined : this.impacts.get(mark.contact)![i]!;
      const fade = impact ? Math.max(0, 1 - (t - impact.t) / this.glow()) : 0;
      const shown = fade > 0 && impact && impact.p * fade > steady;
      const p = shown ? impact.p * fade : steady;
      // friction of the same step as the impulse that is drawn
      const rub: Numbers3 = [0, 0, 0];
      mark.tangents?.forEach((along, k) => {
        const curve = curves?.friction[k];
        const size = (curve && (shown ? (valueAt(curve, impact.t) ?? 0) * fade : valueAt(curve, t))) ?? 0;
        along.forEach((x, d) => (rub[d]! += size * x));
      });
      return {
        contact: mark.contact,
        at: locate(mark.point, scene.shapes, frame),
        normal: mark.normal,
        gap: curves && valueAt(curves.gap, t),
        impulse: p / this.largest,
        ...this.along(rub, 1),
      };
    }).concat(this.arrows(t));
  }

  private along(f: Numbers3, fade: number): { tangent: Numbers3; friction: number } {
    const size = Math.hypot(...f);
    return { tangent: f.map((x) => x / (size || 1)) as Numbers3, friction: (size * fade) / this.largest };
  }

  // impulses given as vectors, fading as those of impacts do
  private arrows(t: number): Mark[] {
    const { arrows } = this.run;
    if (!arrows) return [];
    const marks: Mark[] = [];
    const three = (list: Float32Array, i: number) => [list[3 * i]!, list[3 * i + 1]!, list[3 * i + 2]!] as Numbers3;
    for (let i = lastAt(arrows.t, t); i >= 0 && marks.length < ARROWS; i--) {
      const fade = 1 - (t - arrows.t[i]!) / this.glow();
      if (fade <= 0) break;
      const p = three(arrows.p, i);
      const size = Math.hypot(...p);
      if (size === 0) continue;
      const normal = p.map((x) => x / size) as Numbers3;
      marks.push({ contact: -1, at: three(arrows.at, i), normal, gap: undefined, impulse: (size * fade) / this.largest, ...this.along(three(arrows.f, i), fade) });
    }
    return marks;
  }
}

/** A frame of the run's film, ready to be placed in time. */
export const frameOf = (run: Run) => new Frame(run.film!, quaternions(run.scene!.shapes));

/** Smallest and largest of points met over the whole film, by a sample of its frames. */
export function bounds(frame: Frame, points: (frame: Frame) => Numbers3[]): { low: Numbers3; high: Numbers3 } {
  const low: Numbers3 = [Infinity, Infinity, Infinity];
  const high: Numbers3 = [-Infinity, -Infinity, -Infinity];
  const n = frame.film.t.length;
  const every = Math.max(1, Math.floor(n / 400));
  for (let i = 0; i < n; i += every) {
    frame.seek(frame.film.t[i]!);
    for (const point of points(frame)) {
      for (let k = 0; k < 3; k++) {
        low[k] = Math.min(low[k]!, point[k]!);
        high[k] = Math.max(high[k]!, point[k]!);
      }
    }
  }
  return low[0] <= high[0] ? { low, high } : { low: [-1, -1, -1], high: [1, 1, 1] };
}
