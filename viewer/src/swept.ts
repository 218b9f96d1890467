// A beam in space as its section swept from node to node, each piece in the colour of its bending moment.
//
//   M = M₀ + (EI/L)(φ − φ₀),   φ the rotation vector from a node to the next

import { BufferGeometry, Float32BufferAttribute, Quaternion, Vector3 } from "three";
import type { Geometry, Numbers3, Swept } from "./data";
import type { Frame } from "./place";
import { tone } from "./solid";

export type Line = Extract<Geometry, { kind: "polyline" }>;

/** Frames of the film that are looked through for the largest moment. */
const LOOKED = 120;

export class SweptLine {
  readonly geometry = new BufferGeometry();
  private readonly places: Vector3[];
  private readonly turns: Quaternion[];
  private most = 0;

  constructor(
    private readonly line: Line,
    private readonly swept: Swept,
  ) {
    const corners = 6 * swept.outline.length * (swept.nodes.length - 1);
    for (const name of ["position", "color"]) this.geometry.setAttribute(name, new Float32BufferAttribute(new Float32Array(3 * corners), 3));
    this.places = swept.nodes.map(() => new Vector3());
    this.turns = swept.nodes.map(() => new Quaternion());
  }

  /** Whether its colours are values. */
  get coloured() {
    return this.swept.bending.length > 0;
  }

  private follow(frame: Frame) {
    const { swept, places, turns, line } = this;
    swept.nodes.forEach((first, i) => {
      places[i]!.set(...frame.point(line.points[i]!));
      const q = (k: number) => frame.q[first + 3 + k] ?? 0;
      if (swept.turns) turns[i]!.set(q(1), q(2), q(3), q(0)).normalize();
    });
    if (swept.turns) return;
    // across the line: the mean direction of the pieces beside a node
    const x = new Vector3(1, 0, 0);
    swept.nodes.forEach((_, i) => {
      const way = places[Math.min(i + 1, places.length - 1)]!.clone().sub(places[Math.max(i - 1, 0)]!).normalize();
      turns[i]!.setFromUnitVectors(x, way);
    });
  }

  private moment(i: number): number {
    const piece = this.swept.bending[i];
    if (!piece) return 0;
    const turn = this.turns[i]!.clone().conjugate().multiply(this.turns[i + 1]!);
    if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
    const sine = Math.hypot(turn.x, turn.y, turn.z);
    const factor = sine > 1e-12 ? (2 * Math.atan2(sine, turn.w)) / sine : 2;
    const [a, b, c] = piece.stiffness;
    const [y, z] = [factor * turn.y - piece.turn[0], factor * turn.z - piece.turn[1]];
    return Math.hypot(piece.moment[0] + a * y + c * z, piece.moment[1] + c * y + b * z);
  }

  /** The largest moment of the run [N·m]. */
  private largest(frame: Frame): number {
    const { film, t } = frame;
    const every = Math.max(1, Math.floor(film.t.length / LOOKED));
    let most = 0;
    for (let k = 0; k < film.t.length; k += every) {
      frame.seek(film.t[k]!);
      this.follow(frame);
      for (let i = 0; i < this.swept.bending.length; i++) most = Math.max(most, this.moment(i));
    }
    frame.seek(t);
    return most || 1;
  }

  update(frame: Frame) {
    const { swept, geometry, turns, places } = this;
    if (this.coloured) this.most ||= this.largest(frame);
    this.follow(frame);
    const place = geometry.getAttribute("position");
    const shade = geometry.getAttribute("color");
    const rings = swept.nodes.map((_, i) => swept.outline.map(([y, z]) => new Vector3(0, y, z).applyQuaternion(turns[i]!).add(places[i]!)));
    const n = swept.outline.length;
    let at = 0;
    for (let i = 0; i + 1 < rings.length; i++) {
      const rgb: Numbers3 = this.coloured ? tone(this.moment(i) / this.most) : [255, 255, 255];
      // as the light of screens, which three.js reckons with linearly
      const [r, g, b] = rgb.map((x) => (x / 255) ** 2.2) as Numbers3;
      const [from, to] = [rings[i]!, rings[i + 1]!];
      for (let k = 0; k < n; k++) {
        const [k0, k1] = [k, (k + 1) % n];
        for (const corner of [from[k0]!, to[k0]!, to[k1]!, from[k0]!, to[k1]!, from[k1]!]) {
          place.setXYZ(at, corner.x, corner.y, corner.z);
          shade.setXYZ(at++, r, g, b);
        }
      }
    }
    place.needsUpdate = shade.needsUpdate = true;
    geometry.computeVertexNormals();
  }
}
