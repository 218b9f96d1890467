// From the coordinates of a frame to places in the picture.

import { lastAt, type Coordinate, type Film, type Numbers3, type Place, type Point, type Shape, type Triple } from "./data";

/** Coordinates of the film at a time, interpolated between frames. */
export class Frame {
  readonly q: Float64Array;
  /** Their rates between the two frames about the time. */
  private readonly rate: Float64Array;
  t = 0;

  constructor(
    readonly film: Film,
    private readonly quaternions: number[],
  ) {
    this.q = new Float64Array(film.columns);
    this.rate = new Float64Array(film.columns);
  }

  seek(t: number) {
    const { film, q } = this;
    this.t = t;
    const n = film.columns;
    const i = Math.max(0, lastAt(film.t, t));
    const j = Math.min(i + 1, film.t.length - 1);
    const [t0, t1] = [film.t[i]!, film.t[j]!];
    const s = t1 > t0 ? Math.min(Math.max((t - t0) / (t1 - t0), 0), 1) : 0;
    for (let k = 0; k < n; k++) {
      q[k] = (1 - s) * film.q[i * n + k]! + s * film.q[j * n + k]!;
      if (t1 > t0) this.rate[k] = (film.q[j * n + k]! - film.q[i * n + k]!) / (t1 - t0);
    }
    // q and −q are the same rotation: take the shorter way, and keep the length
    for (const first of this.quaternions) {
      let dot = 0;
      for (let k = first; k < first + 4; k++) dot += film.q[i * n + k]! * film.q[j * n + k]!;
      let square = 0;
      for (let k = first; k < first + 4; k++) {
        q[k] = (1 - s) * film.q[i * n + k]! + (dot < 0 ? -s : s) * film.q[j * n + k]!;
        square += q[k]! * q[k]!;
      }
      for (let k = first; k < first + 4; k++) q[k]! /= Math.sqrt(square) || 1;
    }
  }

  value(c: Coordinate): number {
    let x = c.c ?? 0;
    if (c.q) for (const [i, factor] of c.q) x += factor * (this.q[i] ?? 0);
    if (c.s) for (const [a, omega, phase] of c.s) x += a * Math.sin(omega * this.t + phase);
    return x;
  }

  /** The rate of a coordinate. */
  speed(c: Coordinate): number {
    let x = 0;
    if (c.q) for (const [i, factor] of c.q) x += factor * (this.rate[i] ?? 0);
    if (c.s) for (const [a, omega, phase] of c.s) x += a * omega * Math.cos(omega * this.t + phase);
    return x;
  }

  point(p: Triple): Numbers3 {
    return [this.value(p[0]), this.value(p[1]), this.value(p[2])];
  }
}

export interface Pose {
  position: Numbers3;
  /** w, i, j, k. */
  rotation: [number, number, number, number];
}

/** Where quaternions begin in the coordinates. */
export function quaternions(shapes: Shape[]): number[] {
  return shapes.flatMap(({ place, geometry }) => {
    if (geometry.kind === "polyline" && geometry.swept?.turns) return geometry.swept.nodes.map((first) => first + 3);
    return place.kind === "body" ? [place.first + 3] : [];
  });
}

const about_z = (angle: number): Pose["rotation"] => [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];

export function pose(place: Place, frame: Frame): Pose {
  const q = (i: number) => frame.q[i] ?? 0;
  switch (place.kind) {
    case "coordinates":
      return { position: frame.point(place.position), rotation: about_z(frame.value(place.angle)) };
    case "planar":
      return { position: [q(place.first), q(place.first + 1), 0], rotation: about_z(q(place.first + 2)) };
    case "body": {
      const f = place.first;
      return { position: [q(f), q(f + 1), q(f + 2)], rotation: [q(f + 3), q(f + 4), q(f + 5), q(f + 6)] };
    }
    case "fixed":
      return { position: place.position, rotation: place.rotation };
  }
}

/** The angle about z of a rotation about z. */
export const angle = (pose: Pose) => 2 * Math.atan2(pose.rotation[3], pose.rotation[0]);

/** A point of a shape's frame in the picture. */
export function outward({ position, rotation }: Pose, [x, y, z]: Numbers3): Numbers3 {
  const [w, i, j, k] = rotation;
  // v + 2 u × (u × v + w v)
  const [a, b, c] = [j * z - k * y + w * x, k * x - i * z + w * y, i * y - j * x + w * z];
  return [
    position[0] + x + 2 * (j * c - k * b),
    position[1] + y + 2 * (k * a - i * c),
    position[2] + z + 2 * (i * b - j * a),
  ];
}

export function locate(point: Point, shapes: Shape[], frame: Frame): Numbers3 {
  if (point.kind === "at") return frame.point(point.position);
  const shape = shapes[point.shape];
  return shape ? outward(pose(shape.place, frame), point.local) : [0, 0, 0];
}
