// The data element of the page: what `payload.rs` wrote, with its columns decoded.

import { columns, type Column } from "./columns";

/** Samples in the order of time; `starts` are the indices at which a stroke begins anew. */
export interface Curve {
  t: Float32Array;
  y: Float32Array;
  starts: Set<number>;
}

export interface Stroke {
  colour: number | null;
  dash: number;
  broad: boolean;
}

export interface FigureCurve {
  name: string;
  stroke: Stroke;
  stems: boolean;
  curve: Curve;
}

export interface Figure {
  id: string;
  title: string;
  caption: string;
  label: string;
  log: boolean;
  levels: [number, string][];
  curves: FigureCurve[];
  legend: { name: string; stroke: Stroke }[];
}

/** constant + Σ cᵢ qᵢ + Σ A sin(ω t + φ). */
export interface Coordinate {
  c?: number;
  q?: [number, number][];
  s?: [number, number, number][];
}
export type Triple = [Coordinate, Coordinate, Coordinate];
export type Numbers3 = [number, number, number];

/** What a piece of a beam resists with: L, ε_ref, C, and how its strain is measured. */
export interface Bending {
  length: number;
  rest: number[];
  stiffness: number[][];
  measure: "se3" | "cayley" | "director";
  /** Its axes in the frames of its nodes, as quaternions w, i, j, k; none: those of the nodes. */
  seats?: [[number, number, number, number], [number, number, number, number]];
}

/** A section swept along a line in space; what each piece resists with gives its colour. */
export interface Swept {
  nodes: number[];
  outline: [number, number][];
  turns: boolean;
  bending: Bending[];
}

export type Geometry =
  | { kind: "sphere"; radius: number }
  | { kind: "box"; size: Numbers3 }
  | { kind: "capsule" | "cylinder"; radius: number; length: number }
  | { kind: "plane"; normal: Numbers3; extent: number }
  | { kind: "polygon"; points: [number, number][] }
  | { kind: "mesh"; vertices: Numbers3[]; triangles: Numbers3[]; colour?: Numbers3 }
  | { kind: "polyline"; points: Triple[]; angles: Coordinate[]; thickness: number; strain: boolean; swept?: Swept }
  | { kind: "solid"; points: Triple[]; triangles: Numbers3[]; outline: [number, number][]; pressures?: [number, number][]; lame: [number, number]; law: "hooke" | "saint-venant-kirchhoff" | "neo-hookean"; section: "slice" | "sheet" | "rings" }
  | { kind: "spring"; ends: [Triple, Triple]; width: number };

export type Place =
  | { kind: "coordinates"; position: Triple; angle: Coordinate }
  | { kind: "body" | "planar"; first: number }
  | { kind: "fixed"; position: Numbers3; rotation: [number, number, number, number] };

export interface Shape {
  name: string;
  role: "body" | "link" | "obstacle" | "axis";
  geometry: Geometry;
  place: Place;
}

export type Point = { kind: "at"; position: Triple } | { kind: "on"; shape: number; local: Numbers3 };

export interface ContactMark {
  contact: number;
  point: Point;
  normal: Numbers3;
  tangents?: Numbers3[];
}

export interface SceneDescription {
  space: boolean;
  shapes: Shape[];
  contacts: ContactMark[];
  note: string;
  profiles?: Profile[];
}

/** Pressure along a surface in contact; numbers of the film are its pressures. */
export interface Profile {
  name: string;
  form: "along" | "from-axis" | "from-middle";
  /** Where its points are, in space. */
  points: Triple[];
  /** Where they are along the surface, or how far from the axis; its length where it is closed, else 0. */
  along: number[];
  length: number;
  areas: number[];
  pressures: number[];
  hertz?: { radius: number; modulus: number };
}

/** Frames of the moving picture, `columns` coordinates each. */
export interface Film {
  columns: number;
  seen: number;
  t: Float64Array;
  q: Float32Array;
}

export interface Table {
  file: string;
  rows: number;
  seen: number;
  columns: { name: string; words: string[]; values: Column }[];
}

export interface Impact {
  run: number;
  t: number;
  contact: number;
  before: number;
  after: number;
  p: number;
}

export interface Run {
  label: string;
  scenario: string;
  end: number;
  impacts: number;
  contacts: { contact: number; gap: Curve; impulse: Curve; friction: Curve[] }[];
  /** Names of contacts that come and go. */
  names: Record<string, string>;
  scene?: SceneDescription;
  film?: Film;
  /** Impulses at points that no contact mark describes: where, the normal one and friction, three numbers each. */
  arrows?: { t: Float64Array; at: Float32Array; p: Float32Array; f: Float32Array };
  tables: Table[];
  /** The part of the time that is shown, where rows are left out. */
  window?: [number, number];
}

export interface Page {
  span: [number, number];
  /** Units of gap, velocity and impulse of the contacts: lengths, angles, or both. */
  units: [string, string, string];
  figures: Figure[];
  runs: Run[];
  impacts: Impact[];
}

/** Reads the text of the data element and the columns it refers to. */
export function read(data: string, block: string): Page {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- shaped below, column by column
  const raw: any = JSON.parse(data);
  columns.open(block);
  const curve = (c: { t: Column; y: Column; starts: number[] }): Curve => ({
    t: columns.singles(c.t),
    y: columns.singles(c.y),
    starts: new Set(c.starts),
  });
  for (const figure of raw.figures) for (const c of figure.curves) c.curve = curve(c.curve);
  raw.runs.forEach((run: any) => {
    run.tables ??= [];
    for (const c of run.contacts) {
      c.gap = curve(c.gap);
      c.impulse = curve(c.impulse);
      c.friction = c.friction.map(curve);
    }
    if (run.arrows) {
      const { t, at, p, f } = run.arrows;
      run.arrows = { t: columns.doubles(t), at: columns.singles(at), p: columns.singles(p), f: columns.singles(f) };
    }
    if (run.film) run.film = { ...run.film, t: columns.doubles(run.film.t), q: columns.levels(run.film.q, run.film.columns) };
  });
  const impacts = raw.runs.flatMap((run: Run, i: number) => impactsOf(run, i));
  impacts.sort((a: Impact, b: Impact) => a.t - b.t || a.run - b.run || a.contact - b.contact);
  return { span: raw.span, units: raw.units ?? ["m", "m/s", "N s"], figures: raw.figures, runs: raw.runs, impacts };
}

/** What a contact is called. */
export const contactName = (run: Run, contact: number) => run.names[contact] ?? String(contact);

function impactsOf(run: Run, number: number): Impact[] {
  const table = run.tables.find((table) => table.file === "events.csv");
  if (!table) return [];
  const column = (name: string) => table.columns.find((c) => c.name === name)!;
  const [t, kind, contact, before, after, p] = ["t", "kind", "contact", "u_n_before", "u_n_after", "p_n"].map((name) =>
    columns.doubles(column(name).values),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
  const impact = column("kind").words.indexOf("impact");
  const out: Impact[] = [];
  for (let i = 0; i < table.rows; i++) {
    if (kind[i] !== impact) continue;
    out.push({ run: number, t: t[i]!, contact: contact[i]!, before: before[i]!, after: after[i]!, p: p[i]! });
  }
  return out;
}

/** The last index with t[i] ≤ time, −1 before the first. */
export function lastAt(t: ArrayLike<number>, time: number): number {
  let low = 0;
  let high = t.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (t[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The value of a curve at a time, between two samples by a straight line; `undefined` where there is none. */
export function valueAt(curve: Curve, time: number): number | undefined {
  // the samples have seven digits, and a jump must be on the same side for all of them
  const at = Math.fround(time);
  const i = lastAt(curve.t, at);
  if (i < 0) return undefined;
  const [t0, y0] = [curve.t[i]!, curve.y[i]!];
  if (i + 1 >= curve.t.length) return y0;
  if (curve.starts.has(i + 1)) return at === t0 ? y0 : undefined;
  const [t1, y1] = [curve.t[i + 1]!, curve.y[i + 1]!];
  return t1 > t0 ? y0 + ((y1 - y0) * (at - t0)) / (t1 - t0) : y1;
}
