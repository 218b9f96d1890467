// A solid in finite elements as it is drawn: places of its nodes, its deformation magnified, and what its colours mean.
//
//   x = X + ū + f (u − ū),   ū the mean displacement;   σ of a triangle by Hooke's law in its own plane

import type { Geometry, Numbers3, Run } from "./data";
import type { Frame } from "./place";

export type SolidGeometry = Extract<Geometry, { kind: "solid" }>;
export type Field = "displacement" | "velocity" | "stress" | "pressure";

/** What the colours may show, with its unit. */
export const FIELDS: Record<Field, [string, string]> = {
  displacement: ["Displacement", "m"],
  velocity: ["Velocity", "m/s"],
  stress: ["Von Mises stress", "Pa"],
  pressure: ["Contact pressure", "Pa"],
};

/** From dark to bright, told apart by those who see no red or green too. */
const STOPS: Numbers3[] = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

/** The colour of a value from 0 to 1, as red, green and blue up to 255. */
export function tone(x: number): Numbers3 {
  const s = Math.min(Math.max(x, 0), 1) * (STOPS.length - 1);
  const i = Math.min(Math.floor(s), STOPS.length - 2);
  return [0, 1, 2].map((k) => STOPS[i]![k]! + (s - i) * (STOPS[i + 1]![k]! - STOPS[i]![k]!)) as Numbers3;
}

/** A legend's bar. */
export const GRADIENT = `linear-gradient(90deg, ${STOPS.map((c) => `rgb(${c.join(",")})`).join(", ")})`;

/** One solid at the time of a frame. */
export class SolidShape {
  /** Undeformed places, displacements and velocities of the nodes, three numbers each. */
  private readonly rest: Float64Array;
  private readonly u: Float64Array;
  private readonly v: Float64Array;
  readonly places: Float64Array;
  /** One number per triangle. */
  readonly values: Float64Array;
  /** Pressure on each node; NaN away from surfaces in contact. */
  readonly pressure: Float64Array;
  /** Edges of the outline that lie on such a surface, and the pressure on each. */
  readonly pressed: [number, number][];

  constructor(readonly geometry: SolidGeometry) {
    const n = 3 * geometry.points.length;
    this.rest = Float64Array.from(geometry.points.flatMap((p) => p.map((c) => c.c ?? 0)));
    [this.u, this.v, this.places] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
    this.values = new Float64Array(geometry.triangles.length);
    this.pressure = new Float64Array(geometry.points.length).fill(NaN);
    for (const [i] of geometry.pressures ?? []) this.pressure[i] = 0;
    this.pressed = geometry.outline.filter((edge) => edge.every((i) => !Number.isNaN(this.pressure[i]!)));
  }

  /** Follows the frame; the deformation is drawn so many times larger. */
  update(frame: Frame, factor: number, field: Field | "none") {
    const { rest, u, v, places, geometry } = this;
    const mean: Numbers3 = [0, 0, 0];
    const n = geometry.points.length;
    geometry.points.forEach((p, i) => {
      for (let k = 0; k < 3; k++) {
        u[3 * i + k] = frame.value(p[k]!) - rest[3 * i + k]!;
        if (field === "velocity") v[3 * i + k] = frame.speed(p[k]!);
        mean[k]! += u[3 * i + k]! / n;
      }
    });
    for (let i = 0; i < u.length; i++) places[i] = rest[i]! + mean[i % 3]! + factor * (u[i]! - mean[i % 3]!);
    if (field === "none") return;
    // a node may meet several things
    for (const [i] of geometry.pressures ?? []) this.pressure[i] = 0;
    for (const [i, place] of geometry.pressures ?? []) this.pressure[i]! += frame.q[place] ?? 0;
    geometry.triangles.forEach((triangle, e) => (this.values[e] = this.value(triangle, field)));
  }

  private value(triangle: Numbers3, field: Field): number {
    if (field === "stress") return this.stress(triangle);
    if (field === "pressure") return this.outlined ? 0 : this.mean(triangle) || 0;
    const x = field === "velocity" ? this.v : this.u;
    let sum = 0;
    for (const i of triangle) sum += Math.hypot(x[3 * i]!, x[3 * i + 1]!, x[3 * i + 2]!) / 3;
    return sum;
  }

  /** In the plane surfaces are edges, and no triangle has a pressure. */
  private get outlined(): boolean {
    return this.geometry.outline.length > 0;
  }

  /** The mean pressure on some nodes. */
  mean(nodes: number[]): number {
    return nodes.reduce((sum, i) => sum + this.pressure[i]!, 0) / nodes.length;
  }

  // strain in the triangle's own plane; across it nothing is strained (a slice) or nothing presses (a sheet, a free surface)
  private stress([a, b, c]: Numbers3): number {
    const { rest, u, geometry } = this;
    const side = (x: Float64Array, i: number): Numbers3 => [0, 1, 2].map((k) => x[3 * i + k]! - x[3 * a + k]!) as Numbers3;
    const dot = (x: Numbers3, y: Numbers3) => x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    const [p, q] = [side(rest, b), side(rest, c)];
    const length = Math.sqrt(dot(p, p)) || 1;
    const e1 = p.map((x) => x / length) as Numbers3;
    const along = dot(q, e1);
    const across = q.map((x, k) => x - along * e1[k]!) as Numbers3;
    const height = Math.sqrt(dot(across, across)) || 1;
    const e2 = across.map((x) => x / height) as Numbers3;
    const [du, dw] = [side(u, b), side(u, c)];
    // ∂u/∂s = du/length along e1, ∂u/∂t = (dw − along/length du)/height along e2
    const ds = du.map((x) => x / length) as Numbers3;
    const dt = dw.map((x, k) => (x - along * ds[k]!) / height) as Numbers3;
    const [xx, yy, xy] = [dot(ds, e1), dot(dt, e2), 0.5 * (dot(ds, e2) + dot(dt, e1))];
    let zz = 0;
    if (geometry.section === "rings") {
      const r = (rest[3 * a]! + rest[3 * b]! + rest[3 * c]!) / 3;
      zz = r > 0 ? (u[3 * a]! + u[3 * b]! + u[3 * c]!) / (3 * r) : xx;
    }
    const [lambda, mu] = geometry.lame;
    if (geometry.law !== "hooke") {
      // principal stretches squared c1, c2 of C = FᵀF in the triangle's plane, c3 across it; Cauchy's stresses σ = c S/J
      const [cxx, cyy, cxy] = [1 + 2 * xx + dot(ds, ds), 1 + 2 * yy + dot(dt, dt), 2 * xy + dot(ds, dt)];
      const [mean, radius] = [0.5 * (cxx + cyy), Math.hypot(0.5 * (cxx - cyy), cxy)];
      const c = [mean + radius, Math.max(mean - radius, 1e-300), (1 + zz) ** 2];
      const J = Math.sqrt(c[0]! * c[1]! * c[2]!);
      const trace = 0.5 * (c[0]! + c[1]! + c[2]! - 3);
      const [s1, s2, s3] = c.map((c) =>
        geometry.law === "neo-hookean" ? (mu * (c - 1) + lambda * Math.log(J)) / J : (c * (lambda * trace + mu * (c - 1))) / J,
      ) as Numbers3;
      const across3 = geometry.section === "sheet" ? 0 : s3;
      return Math.sqrt(0.5 * ((s1 - s2) ** 2 + (s2 - across3) ** 2 + (across3 - s1) ** 2));
    }
    const pressure = lambda * (xx + yy + zz);
    const [sx, sy] = [pressure + 2 * mu * xx, pressure + 2 * mu * yy];
    const sz = geometry.section === "sheet" ? 0 : pressure + 2 * mu * zz;
    const shear = 2 * mu * xy;
    return Math.sqrt(0.5 * ((sx - sy) ** 2 + (sy - sz) ** 2 + (sz - sx) ** 2) + 3 * shear * shear);
  }
}

/** The solids of a run. */
export const solidsOf = (run: Run) => run.scene!.shapes.flatMap((s) => (s.geometry.kind === "solid" ? [s.geometry] : []));

/** Whether contacts of a run have pressures. */
export const hasPressure = (run: Run) => solidsOf(run).some((g) => g.pressures?.length);

// a push lasts for few states, and none may be missed
function largestPressure(run: Run, { film }: Frame): number {
  const places = solidsOf(run).flatMap((g) => (g.pressures ?? []).map(([, place]) => place));
  let most = 0;
  for (let k = 0; k < film.t.length; k++) for (const place of places) most = Math.max(most, film.q[k * film.columns + place]!);
  return most || 1;
}

/** The largest value of a field over a sample of the film, in all solids of a run. */
export function largest(run: Run, frame: Frame, field: Field): number {
  if (field === "pressure") return largestPressure(run, frame);
  const shapes = solidsOf(run).map((g) => new SolidShape(g));
  const every = Math.max(1, Math.floor(frame.film.t.length / 40));
  const now = frame.t;
  let most = 0;
  for (let k = 0; k < frame.film.t.length; k += every) {
    frame.seek(frame.film.t[k]!);
    for (const shape of shapes) {
      shape.update(frame, 1, field);
      for (const x of shape.values) most = Math.max(most, x);
    }
  }
  frame.seek(now);
  return most || 1;
}
