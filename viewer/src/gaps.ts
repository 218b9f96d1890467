// Gaps of bodies in space above planes: contacts of bodies come and go, but how high a body is over a floor can always be seen.
//
//   g = n·(s − a),   s the point of the body farthest against the normal n of a plane through a

import type { Numbers3, Run, Shape } from "./data";
import { outward, pose, type Frame, type Pose } from "./place";

/** Lines beyond which none is drawn: a heap of them hides the bodies. */
const MOST = 40;

/** A body over a plane. */
export interface Over {
  body: Shape;
  plane: Shape;
}

/** The pairs of bodies and planes whose gaps are drawn. */
export function overPlanes(run: Run): Over[] {
  const { shapes, space } = run.scene!;
  if (!space) return [];
  const bodies = shapes.filter((shape) => shape.role === "body" && solid(shape));
  const planes = shapes.filter((shape) => shape.role === "obstacle" && shape.geometry.kind === "plane");
  const pairs = bodies.flatMap((body) => planes.map((plane) => ({ body, plane })));
  return pairs.length <= MOST ? pairs : [];
}

const solid = (shape: Shape) => ["sphere", "box", "capsule", "cylinder", "mesh"].includes(shape.geometry.kind);

/** The lowest point of the body, and its foot on the plane. */
export function gapLine({ body, plane }: Over, frame: Frame): { from: Numbers3; to: Numbers3; gap: number } {
  const ground = pose(plane.place, frame);
  const tip = outward(ground, plane.geometry.kind === "plane" ? plane.geometry.normal : [0, 0, 1]);
  const n = tip.map((x, k) => x - ground.position[k]!) as Numbers3;
  const from = lowest(body, pose(body.place, frame), n);
  const gap = from.reduce((sum, x, k) => sum + n[k]! * (x - ground.position[k]!), 0);
  return { from, to: from.map((x, k) => x - gap * n[k]!) as Numbers3, gap };
}

/** The point of a body farthest against a direction. */
function lowest(shape: Shape, at: Pose, n: Numbers3): Numbers3 {
  const g = shape.geometry;
  // the direction in the frame of the body
  const [w, i, j, k] = at.rotation;
  const d = outward({ position: [0, 0, 0], rotation: [w, -i, -j, -k] }, n);
  const side = (x: number) => (x > 0 ? -1 : 1);
  switch (g.kind) {
    case "sphere":
      return at.position.map((x, k) => x - g.radius * n[k]!) as Numbers3;
    case "box":
      return outward(at, g.size.map((size, k) => (side(d[k]!) * size) / 2) as Numbers3);
    case "capsule":
      return outward(at, [-g.radius * d[0], -g.radius * d[1], (side(d[2]) * g.length) / 2 - g.radius * d[2]]);
    case "cylinder": {
      const across = Math.hypot(d[0], d[1]) || 1;
      return outward(at, [(-g.radius * d[0]) / across, (-g.radius * d[1]) / across, (side(d[2]) * g.length) / 2]);
    }
    case "mesh": {
      const down = (v: Numbers3) => v[0] * d[0] + v[1] * d[1] + v[2] * d[2];
      return outward(at, g.vertices.reduce((best, v) => (down(v) < down(best) ? v : best), g.vertices[0] ?? [0, 0, 0]));
    }
    default:
      return at.position;
  }
}
