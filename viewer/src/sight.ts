// Where the eye has to be so that everything that moves in a run is in the picture and fills it.

import { Vector3 } from "three";
import type { Geometry, Numbers3, Run } from "./data";
import { outward, pose, type Frame, type Pose } from "./place";

/** Points kept of a run, about. */
const POINTS = 40_000;
/** Room between what is seen and the edge, as a part of the distance. */
const MARGIN = 1.05;

/** Directions to the eye: from the front unless what moves is hidden there, else from another corner. */
const VIEWS: Numbers3[] = [[0.45, -0.8, 0.4], [-0.45, -0.8, 0.4], [0.45, 0.8, 0.4], [-0.45, 0.8, 0.4]];
/** Instants at which it is asked what hides what, about, and bodies that are asked for. */
const LOOKS = 40;
const ASKED = 50;

/** A point of a shape's frame with a ball about it. */
type Spot = [Numbers3, number];

const box = (low: Numbers3, high: Numbers3): Spot[] =>
  [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [[k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], k & 4 ? high[2] : low[2]], 0]);

function about(points: number[][]): Spot[] {
  const low: Numbers3 = [Infinity, Infinity, Infinity];
  const high: Numbers3 = [-Infinity, -Infinity, -Infinity];
  for (const point of points) {
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k]!, point[k] ?? 0);
      high[k] = Math.max(high[k]!, point[k] ?? 0);
    }
  }
  return points.length ? box(low, high) : [];
}

/** What of a rigid shape has to be in sight; nothing of planes. */
function spots(g: Geometry): Spot[] {
  switch (g.kind) {
    case "sphere":
      return [[[0, 0, 0], g.radius]];
    case "box":
      return about([g.size.map((x) => -x / 2), g.size.map((x) => x / 2)]);
    case "capsule":
    case "cylinder":
      return [[[0, 0, g.length / 2], g.radius], [[0, 0, -g.length / 2], g.radius]];
    case "polygon":
      return about(g.points);
    case "mesh":
      return about(g.vertices);
    case "plane":
    case "polyline":
    case "spring":
    case "solid":
      return [];
  }
}

/** Whether the way from a point along a direction goes through a box, in whose frame both are. */
function goesThrough(point: Numbers3, along: Numbers3, half: Numbers3): boolean {
  let [from, to] = [0, Infinity];
  for (let k = 0; k < 3; k++) {
    const [a, b] = [-half[k]!, half[k]!].map((side) => (side - point[k]!) / along[k]!) as [number, number];
    // along a face: inside all the way, or never
    if (along[k] === 0) {
      if (Math.abs(point[k]!) > half[k]!) return false;
      continue;
    }
    from = Math.max(from, Math.min(a, b));
    to = Math.min(to, Math.max(a, b));
  }
  return from < to;
}

const inward = ({ position, rotation: [w, i, j, k] }: Pose, [x, y, z]: Numbers3): Numbers3 =>
  outward({ position: [0, 0, 0], rotation: [w, -i, -j, -k] }, [x - position[0], y - position[1], z - position[2]]);

/** The direction to the eye from which the fewest bodies are behind boxes that stand still. */
export function view(run: Run, frame: Frame): Vector3 {
  const shapes = run.scene!.shapes;
  const bodies = shapes.filter((shape) => shape.role === "body" && spots(shape.geometry).length).slice(0, ASKED);
  const boxes = shapes.flatMap(({ role, place, geometry: g }) => (role === "obstacle" && g.kind === "box" ? [{ place, half: g.size.map((x) => x / 2) as Numbers3 }] : []));
  const hidden = VIEWS.map(() => 0);
  const n = boxes.length && bodies.length ? frame.film.t.length : 0;
  for (let i = 0; i < n; i += Math.max(1, Math.ceil(n / LOOKS))) {
    frame.seek(frame.film.t[i]!);
    const middles = bodies.map((shape) => pose(shape.place, frame).position);
    for (const { place, half } of boxes) {
      const here = pose(place, frame);
      const turned: Pose = { position: [0, 0, 0], rotation: here.rotation };
      VIEWS.forEach((toEye, k) => {
        const along = inward(turned, toEye);
        hidden[k] = hidden[k]! + middles.filter((middle) => goesThrough(inward(here, middle), along, half)).length;
      });
    }
  }
  return new Vector3(...VIEWS[hidden.indexOf(Math.min(...hidden))]!).normalize();
}

export class Sight {
  /** x, y, z and a radius each. */
  private readonly room: number[] = [];

  /** Of a run, beside a place that the picture goes along with, and of further points beside it. */
  constructor(run: Run, frame: Frame, middleOf: (frame: Frame) => Numbers3, also: Numbers3[]) {
    const shapes = run.scene!.shapes.filter((shape) => shape.role !== "axis");
    const rigid = shapes.map((shape) => spots(shape.geometry));
    const ends = shapes.map(({ geometry: g }) => (g.kind === "polyline" || g.kind === "solid" ? g.points : g.kind === "spring" ? g.ends : []));
    const each = rigid.reduce((sum, list) => sum + list.length, 0) + ends.reduce((sum, list) => sum + list.length, 0);
    const n = frame.film.t.length;
    const every = Math.max(1, Math.ceil(n / 400), Math.ceil((n * each) / POINTS));
    for (let i = 0; i < n; i += every) {
      frame.seek(frame.film.t[i]!);
      const middle = middleOf(frame);
      const keep = (point: Numbers3, r: number) => this.room.push(point[0] - middle[0], point[1] - middle[1], point[2] - middle[2], r);
      shapes.forEach((shape, k) => {
        const here = rigid[k]!.length ? pose(shape.place, frame) : undefined;
        for (const [point, r] of rigid[k]!) keep(outward(here!, point), r);
        const r = shape.geometry.kind === "polyline" ? shape.geometry.thickness / 2 : 0;
        for (const point of ends[k]!) keep(frame.point(point), r);
      });
    }
    for (const point of also) this.room.push(...point, 0);
  }

  /** The middle of the picture and the distance to it, seen along a direction with half the height of the view as an angle. */
  from(toEye: Vector3, half: number, aspect: number): { middle: Vector3; away: number } {
    const right = new Vector3(0, 0, 1).cross(toEye).normalize();
    const up = toEye.clone().cross(right);
    const axes = [right, up, toEye];
    const points: [number, number, number, number][] = [];
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i + 3 < this.room.length; i += 4) {
      const [x, y, z, r] = this.room.slice(i, i + 4) as [number, number, number, number];
      const along = axes.map((axis) => axis.x * x + axis.y * y + axis.z * z) as Numbers3;
      along.forEach((a, k) => {
        low[k] = Math.min(low[k]!, a - r);
        high[k] = Math.max(high[k]!, a + r);
      });
      points.push([...along, r]);
    }
    if (points.length === 0) return { middle: new Vector3(), away: 3 };
    const centre = axes.map((_, k) => (low[k]! + high[k]!) / 2);
    // a ball touches the edge of the view where its distance from that plane is its radius
    const [tall, wide] = [Math.tan(half), Math.tan(half) * aspect];
    const [steep, flat] = [Math.hypot(1, tall), Math.hypot(1, wide)];
    let away = 0;
    // what is nearer looks larger, so the middle of what is seen is another at every distance
    for (let turn = 0; turn < 4; turn++) {
      away = 0;
      for (const [x, y, z, r] of points) {
        const near = z - centre[2]!;
        away = Math.max(away, near + (Math.abs(x - centre[0]!) + r * flat) / wide, near + (Math.abs(y - centre[1]!) + r * steep) / tall);
      }
      if (turn === 3) break;
      const [least, most] = [[Infinity, Infinity], [-Infinity, -Infinity]];
      for (const [x, y, z, r] of points) {
        const far = away - (z - centre[2]!);
        [x - centre[0]!, y - centre[1]!].forEach((a, k) => {
          least[k] = Math.min(least[k]!, (a - r) / far);
          most[k] = Math.max(most[k]!, (a + r) / far);
        });
      }
      for (const k of [0, 1]) centre[k] = centre[k]! + ((least[k]! + most[k]!) / 2) * away;
    }
    const middle = new Vector3();
    axes.forEach((axis, k) => middle.addScaledVector(axis, centre[k]!));
    return { middle, away: Math.max(MARGIN * away, 1e-6) };
  }
}
