// What the colours of beams in space show of each piece: its bending moment, or its strain energy by length.
//
//   Γ + e₁ = (f y − g (a·y) a)/L,   κ = f a/L,   y = ½(R_a + R_b)ᵀD,   a = sin φ n of the turn from one node to the next
//   M = (C(ε − ε_ref))₅,₆,    V/L = ½ (ε − ε_ref)·C(ε − ε_ref)

import type { Bending, Geometry, Numbers3, Run, Swept } from "./data";
import type { Frame } from "./place";

export type Line = Extract<Geometry, { kind: "polyline" }>;
export type BeamField = "moment" | "energy";

/** What the colours may show, with its unit. */
export const BEAM_FIELDS: Record<BeamField, [string, string]> = {
  moment: ["Bending moment", "N m"],
  energy: ["Strain energy", "J/m"],
};

/** Frames of the film that are looked through for the largest value. */
const LOOKED = 120;

type Turn = [number, number, number, number];

const cross = (a: Numbers3, b: Numbers3): Numbers3 => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** Rᵀx of a unit quaternion w, i, j, k. */
function back([w, i, j, k]: Turn, x: Numbers3): Numbers3 {
  const s: Numbers3 = [-i, -j, -k];
  const once = cross(s, x);
  const twice = cross(s, once);
  return [0, 1, 2].map((n) => x[n]! + 2 * (w * once[n]! + twice[n]!)) as Numbers3;
}

/** The turn p, and q after it in its axes. */
function times(p: Turn, q: Turn): Turn {
  const [u, v]: [Numbers3, Numbers3] = [
    [p[1], p[2], p[3]],
    [q[1], q[2], q[3]],
  ];
  const uv = cross(u, v);
  const along = (n: 0 | 1 | 2) => p[0] * v[n] + q[0] * u[n] + uv[n];
  return [p[0] * q[0] - (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]), along(0), along(1), along(2)];
}

/** f and g of a measure of strain, for a turn whose half has this sine and cosine. */
function factors(measure: Bending["measure"], sine: number, cosine: number): [number, number] {
  const t = 1 - 2 * sine * sine;
  if (measure === "director") return [1, 0];
  if (measure === "cayley") return [2 / (1 + t), 1 / (1 + t) ** 2];
  const a = 2 * sine * cosine;
  const phi = 2 * Math.atan2(sine, cosine);
  // near no turn: f = 1 + φ²/6, g = (f − 1)/a²
  return phi < 1e-3 ? [1 + (phi * phi) / 6, 1 / 6] : [phi / a, (phi / a - 1) / (a * a)];
}

/** A piece between two nodes. */
function value(piece: Bending, field: BeamField, [xa, xb]: [Numbers3, Numbers3], nodes: [Turn, Turn]): number {
  const [qa, qb] = piece.seats ? [times(nodes[0], piece.seats[0]), times(nodes[1], piece.seats[1])] : nodes;
  const D = xb.map((x, n) => x - xa[n]!) as Numbers3;
  const [ya, yb] = [back(qa, D), back(qb, D)];
  const y = ya.map((x, n) => 0.5 * (x + yb[n]!)) as Numbers3;
  // from one to the other
  const [c, ...between] = times([qa[0], -qa[1], -qa[2], -qa[3]], qb);
  const sign = c < 0 ? -1 : 1;
  const s = between.map((x) => sign * x);
  const [sine, cosine] = [Math.hypot(...s), sign * c];
  const a = s.map((x) => 2 * cosine * x) as Numbers3;
  const [f, g] = factors(piece.measure, sine, cosine);
  const along = g * (a[0] * y[0] + a[1] * y[1] + a[2] * y[2]);
  const strain = [...y.map((x, n) => f * x - along * a[n]!), ...a.map((x) => f * x)].map((x, n) => x / piece.length - piece.rest[n]!);
  const stress = piece.stiffness.map((row) => row.reduce((sum, x, n) => sum + x * strain[n]!, 0));
  if (field === "moment") return Math.hypot(stress[4]!, stress[5]!);
  return 0.5 * stress.reduce((sum, x, n) => sum + x * strain[n]!, 0);
}

/** The values of all pieces of a beam at the time of a frame. */
export function values(line: Line, swept: Swept, frame: Frame, field: BeamField): number[] {
  const places = line.points.map((point) => frame.point(point));
  const turns = swept.nodes.map((first) => {
    const q = [3, 4, 5, 6].map((k) => frame.q[first + k] ?? 0);
    const size = Math.hypot(...q) || 1;
    return q.map((x) => x / size) as Turn;
  });
  return swept.bending.map((piece, i) => value(piece, field, [places[i]!, places[i + 1]!], [turns[i]!, turns[i + 1]!]));
}

/** Whether every piece has its law; a line without, such as a cable, stays white. */
export const isColoured = (swept: Swept) => swept.bending.length > 0 && swept.bending.length === swept.nodes.length - 1;

/** The beams of a run whose colours are values. */
export const beamsOf = (run: Run): [Line, Swept][] =>
  run.scene!.shapes.flatMap(({ geometry: g }) => (g.kind === "polyline" && g.swept && isColoured(g.swept) ? [[g, g.swept] as [Line, Swept]] : []));

/** The largest value over a sample of the film, in all beams of a run. */
export function largestBent(run: Run, frame: Frame, field: BeamField): number {
  const beams = beamsOf(run);
  const every = Math.max(1, Math.floor(frame.film.t.length / LOOKED));
  const now = frame.t;
  let most = 0;
  for (let k = 0; k < frame.film.t.length; k += every) {
    frame.seek(frame.film.t[k]!);
    for (const [line, swept] of beams) for (const x of values(line, swept, frame, field)) most = Math.max(most, x);
  }
  frame.seek(now);
  return most || 1;
}
