// A beam in space as its section swept from node to node, each piece in the colour of its bending moment or strain energy.

import { BufferGeometry, Float32BufferAttribute, Quaternion, Vector3 } from "three";
import { isColoured, values, type BeamField, type Line } from "./bent";
import type { Numbers3, Swept } from "./data";
import type { Frame } from "./place";
import { tone } from "./solid";

export class SweptLine {
  readonly geometry = new BufferGeometry();
  private readonly places: Vector3[];
  private readonly turns: Quaternion[];

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
    return isColoured(this.swept);
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

  /** Follows the frame; `most` of the field is the brightest. */
  update(frame: Frame, field: BeamField, most: () => number) {
    const { swept, geometry, turns, places, line } = this;
    const brightest = this.coloured ? most() : 1;
    this.follow(frame);
    const shown = this.coloured ? values(line, swept, frame, field) : [];
    const place = geometry.getAttribute("position");
    const shade = geometry.getAttribute("color");
    const rings = swept.nodes.map((_, i) => swept.outline.map(([y, z]) => new Vector3(0, y, z).applyQuaternion(turns[i]!).add(places[i]!)));
    const n = swept.outline.length;
    let at = 0;
    for (let i = 0; i + 1 < rings.length; i++) {
      const rgb: Numbers3 = this.coloured ? tone(shown[i]! / brightest) : [255, 255, 255];
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
