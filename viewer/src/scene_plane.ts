// The picture of a model in the plane: x to the right, y up, drawn on a canvas.

import { type Geometry, type Impact, type Numbers3, type Run, type Shape } from "./data";
import { short } from "./number";
import { angle, outward, pose, type Frame } from "./place";
import { bounds, frameOf, Marks, type Options, type Picture } from "./scene";
import { SolidShape, tone, type SolidGeometry } from "./solid";
import { colour, curveColour } from "./theme";

type Polyline = Extract<Geometry, { kind: "polyline" }>;

/** Points that must stay in sight. */
function extremes(shapes: Shape[], frame: Frame): Numbers3[] {
  const points: Numbers3[] = [];
  for (const shape of shapes) {
    const g = shape.geometry;
    if (g.kind === "polyline") {
      const r = g.thickness / 2;
      for (const p of g.points) {
        const [x, y] = frame.point(p);
        points.push([x - r, y - r, 0], [x + r, y + r, 0]);
      }
      continue;
    }
    if (g.kind === "solid") {
      points.push(...g.points.map((p) => frame.point(p)));
      continue;
    }
    if (g.kind === "spring") {
      points.push(...g.ends.map((end) => frame.point(end)));
      continue;
    }
    const here = pose(shape.place, frame);
    const [x, y] = here.position;
    if (g.kind === "plane") {
      // a short wall is in sight as a whole, one without end only where it is
      const [nx, ny] = g.normal;
      const e = g.extent / 2;
      points.push([x - Math.abs(ny) * e, y - Math.abs(nx) * e, 0], [x + Math.abs(ny) * e, y + Math.abs(nx) * e, 0]);
      continue;
    }
    if (g.kind === "box") {
      const [a, b] = [g.size[0] / 2, g.size[1] / 2];
      for (const corner of [[a, b], [a, -b], [-a, b], [-a, -b]]) points.push(outward(here, [corner[0]!, corner[1]!, 0]));
    } else if (g.kind === "polygon") {
      for (const [a, b] of g.points) points.push(outward(here, [a, b, 0]));
    } else if (g.kind !== "mesh") {
      points.push([x - g.radius, y - g.radius, 0], [x + g.radius, y + g.radius, 0]);
    }
  }
  return points;
}

/** The room a run's picture needs. */
export function room(run: Run): { low: Numbers3; high: Numbers3 } {
  const { shapes } = run.scene!;
  return bounds(frameOf(run), (frame) => {
    const points = extremes(shapes, frame);
    // a wall without end adds nothing along itself
    const walls = shapes.filter((s) => s.geometry.kind === "plane" && s.geometry.extent === 0);
    if (walls.length === 0 || points.length === walls.length * 2) return points;
    const others = extremes(shapes.filter((s) => !walls.includes(s)), frame);
    for (const w of walls) {
      const [x, y] = pose(w.place, frame).position;
      const [nx] = (w.geometry as Extract<Geometry, { kind: "plane" }>).normal;
      others.push(Math.abs(nx) > 0.5 ? [x, others[0]![1], 0] : [others[0]![0], y, 0]);
    }
    return others;
  });
}

export class PlanePicture implements Picture {
  readonly canvas = document.createElement("canvas");
  private readonly pen: CanvasRenderingContext2D;
  private readonly frame: Frame;
  private readonly marks: Marks;
  private scale = 1;
  private origin: [number, number] = [0, 0];
  private width = 0;
  private height = 0;
  private strain = 0;
  private readonly solids = new Map<SolidGeometry, SolidShape>();

  constructor(
    private readonly run: Run,
    private readonly number: number,
    impacts: Impact[],
    private readonly box: { low: Numbers3; high: Numbers3 },
    private readonly options: Options,
    glow: () => number,
  ) {
    this.pen = this.canvas.getContext("2d")!;
    this.frame = frameOf(run);
    this.marks = new Marks(run, impacts, glow);
  }

  resize() {
    const { canvas, box } = this;
    const ratio = window.devicePixelRatio || 1;
    [this.width, this.height] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = Math.round(this.width * ratio);
    canvas.height = Math.round(this.height * ratio);
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const [w, h] = [box.high[0] - box.low[0], box.high[1] - box.low[1]];
    const margin = 34;
    const room = [Math.max(this.width - 2 * margin, 10), Math.max(this.height - 2 * margin, 10)] as const;
    this.scale = Math.min(room[0] / (w || 1e-9), room[1] / (h || 1e-9), 1e12);
    this.origin = [
      this.width / 2 - (this.scale * (box.low[0] + box.high[0])) / 2,
      this.height / 2 + (this.scale * (box.low[1] + box.high[1])) / 2,
    ];
  }

  private px(p: ArrayLike<number>): [number, number] {
    return [this.origin[0] + this.scale * p[0]!, this.origin[1] - this.scale * p[1]!];
  }

  draw(t: number) {
    const { pen, frame, run } = this;
    if (this.width === 0) return;
    frame.seek(t);
    pen.clearRect(0, 0, this.width, this.height);
    pen.lineJoin = pen.lineCap = "round";
    for (const shape of run.scene!.shapes) this.shape(shape);
    this.contacts(t);
    this.ruler();
  }

  private shape(shape: Shape) {
    const { pen, frame } = this;
    const g = shape.geometry;
    const obstacle = shape.role === "obstacle";
    const tone = obstacle ? colour("--soft") : shape.role === "link" ? colour("--soft") : curveColour(this.number);
    pen.strokeStyle = tone;
    pen.fillStyle = tone;
    pen.lineWidth = 1.5;
    if (g.kind === "polyline") return this.polyline(g, tone, shape.role === "link");
    if (g.kind === "solid") return this.solid(g);
    if (g.kind === "spring") return this.spring(this.px(frame.point(g.ends[0])), this.px(frame.point(g.ends[1])), g.width * this.scale);
    const here = pose(shape.place, frame);
    const [x, y] = this.px(here.position);
    if (g.kind === "plane") return this.wall(x, y, here, g.normal, g.extent * this.scale);
    const turn = angle(here);
    pen.save();
    pen.translate(x, y);
    pen.rotate(-turn);
    pen.beginPath();
    if (g.kind === "box") {
      const [w, h] = [g.size[0] * this.scale, g.size[1] * this.scale];
      pen.roundRect(-w / 2, -h / 2, w, h, Math.min(3, w / 8, h / 8));
    } else if (g.kind === "polygon") {
      g.points.forEach(([a, b], i) => pen[i ? "lineTo" : "moveTo"](a * this.scale, -b * this.scale));
      pen.closePath();
    } else if (g.kind === "mesh") {
      for (const triangle of g.triangles) {
        triangle.forEach((v, i) => pen[i ? "lineTo" : "moveTo"](g.vertices[v]![0] * this.scale, -g.vertices[v]![1] * this.scale));
        pen.closePath();
      }
    } else {
      pen.arc(0, 0, Math.max(g.radius * this.scale, 2), 0, 2 * Math.PI);
    }
    pen.globalAlpha = obstacle ? 1 : 0.28;
    pen.fill();
    pen.globalAlpha = 1;
    pen.lineWidth = 2;
    pen.stroke();
    // a turning disk shows that it turns
    if (g.kind === "sphere" && shape.role === "body" && (shape.place.kind !== "coordinates" || shape.place.angle.q) && g.radius * this.scale > 6) {
      pen.beginPath();
      pen.moveTo(0, 0);
      pen.lineTo(g.radius * this.scale, 0);
      pen.stroke();
    }
    pen.restore();
  }

  // a line with short strokes on the side bodies cannot reach
  private wall(x: number, y: number, here: ReturnType<typeof pose>, normal: Numbers3, extent: number) {
    const { pen } = this;
    const tip = outward(here, normal);
    const [nx, ny] = [tip[0] - here.position[0], -(tip[1] - here.position[1])];
    const size = Math.hypot(nx, ny) || 1;
    const [ux, uy] = [nx / size, ny / size];
    const [tx, ty] = [-uy, ux];
    const half = extent > 0 ? extent / 2 : Math.hypot(this.width, this.height);
    // begin where a line without end enters the picture
    pen.save();
    pen.beginPath();
    pen.rect(0, 0, this.width, this.height);
    pen.clip();
    pen.lineWidth = 2.5;
    pen.beginPath();
    pen.moveTo(x - half * tx, y - half * ty);
    pen.lineTo(x + half * tx, y + half * ty);
    pen.stroke();
    pen.lineWidth = 1;
    pen.globalAlpha = 0.6;
    pen.beginPath();
    const n = Math.floor(half / 9);
    for (let k = -n; k <= n; k++) {
      const [a, b] = [x + 9 * k * tx, y + 9 * k * ty];
      pen.moveTo(a, b);
      pen.lineTo(a - 8 * ux - 7 * tx, b - 8 * uy - 7 * ty);
    }
    pen.stroke();
    pen.restore();
  }

  // triangles in the colours of the field, then the outline
  private solid(g: SolidGeometry) {
    const { pen, options, run } = this;
    const shape = this.solids.get(g) ?? new SolidShape(g);
    this.solids.set(g, shape);
    shape.update(this.frame, options.deform, options.field);
    const most = options.most(run, options.field);
    const at = (i: number): [number, number] => this.px([shape.places[3 * i]!, shape.places[3 * i + 1]!]);
    pen.lineWidth = 1;
    g.triangles.forEach((triangle, e) => {
      const [r, green, b] = tone(shape.values[e]! / most).map(Math.round) as Numbers3;
      // pressure is on edges: what lies between them has no colour
      pen.fillStyle = pen.strokeStyle = options.field === "pressure" ? colour("--line") : `rgb(${r},${green},${b})`;
      pen.beginPath();
      triangle.forEach((i, k) => pen[k ? "lineTo" : "moveTo"](...at(i)));
      pen.closePath();
      pen.fill();
      // closes the hairlines between neighbours
      pen.stroke();
    });
    pen.strokeStyle = colour("--ink");
    pen.lineWidth = 1.2;
    pen.beginPath();
    for (const [a, b] of g.outline) {
      pen.moveTo(...at(a));
      pen.lineTo(...at(b));
    }
    pen.stroke();
    if (options.field !== "pressure") return;
    pen.lineWidth = 6;
    for (const edge of shape.pressed.filter((edge) => shape.mean(edge) > 1e-4 * most)) {
      const [r, green, b] = tone(shape.mean(edge) / most).map(Math.round) as Numbers3;
      pen.strokeStyle = `rgb(${r},${green},${b})`;
      pen.beginPath();
      pen.moveTo(...at(edge[0]));
      pen.lineTo(...at(edge[1]));
      pen.stroke();
    }
  }

  private polyline(g: Polyline, tone: string, link: boolean) {
    const { pen, frame } = this;
    const points = g.points.map((p) => this.px(frame.point(p)));
    const width = Math.max(g.thickness * this.scale, link ? 2.5 : 3);
    pen.lineWidth = width;
    if (g.strain) return this.strained(g, points, width);
    pen.beginPath();
    pen.moveTo(...points[0]!);
    for (let i = 1; i < points.length; i++) {
      const [a, b] = [points[i - 1]!, points[i]!];
      if (g.angles.length !== points.length) {
        pen.lineTo(...b);
        continue;
      }
      // Hermite's cubic through both nodes with their tangents
      const third = Math.hypot(b[0] - a[0], b[1] - a[1]) / 3;
      const [s, e] = [frame.value(g.angles[i - 1]!), frame.value(g.angles[i]!)];
      pen.bezierCurveTo(a[0] + third * Math.cos(s), a[1] - third * Math.sin(s), b[0] - third * Math.cos(e), b[1] + third * Math.sin(e), ...b);
    }
    pen.stroke();
    if (link) return;
    pen.fillStyle = tone;
    for (const [x, y] of points.length <= 60 ? points : []) {
      pen.beginPath();
      pen.arc(x, y, width / 2 + 1.5, 0, 2 * Math.PI);
      pen.fill();
    }
  }

  // each piece in the colour of its change of length, over the largest of the run so far seen
  private strained(g: Polyline, points: [number, number][], width: number) {
    const { pen, frame } = this;
    const rest = (i: number) => Math.hypot((g.points[i]![0].c ?? 0) - (g.points[i - 1]![0].c ?? 0), (g.points[i]![1].c ?? 0) - (g.points[i - 1]![1].c ?? 0));
    if (this.strain === 0) {
      const { film } = frame;
      const every = Math.max(1, Math.floor(film.t.length / 60));
      const now = frame.t;
      for (let k = 0; k < film.t.length; k += every) {
        frame.seek(film.t[k]!);
        for (let i = 1; i < points.length; i++) this.strain = Math.max(this.strain, Math.abs(this.stretch(g, i, rest(i))));
      }
      frame.seek(now);
      this.strain ||= 1;
    }
    const [neutral, less, more] = [colour("--line"), colour("--c0"), colour("--c1")];
    pen.lineCap = "butt";
    for (let i = 1; i < points.length; i++) {
      const e = this.stretch(g, i, rest(i)) / this.strain;
      const part = Math.round(Math.min(1, Math.sqrt(Math.abs(e))) * 100);
      pen.strokeStyle = part < 2 ? neutral : `color-mix(in srgb, ${e < 0 ? less : more} ${part}%, ${neutral})`;
      pen.beginPath();
      pen.moveTo(...points[i - 1]!);
      const [dx, dy] = [points[i]![0] - points[i - 1]![0], points[i]![1] - points[i - 1]![1]];
      const over = 0.6 / (Math.hypot(dx, dy) || 1);
      pen.lineTo(points[i]![0] + dx * over, points[i]![1] + dy * over);
      pen.stroke();
    }
    pen.lineCap = "round";
    const [a, b] = [points[0]!, points[points.length - 1]!];
    pen.strokeStyle = colour("--soft");
    pen.lineWidth = 1.5;
    pen.strokeRect(Math.min(a[0], b[0]), a[1] - width / 2, Math.abs(b[0] - a[0]), width);
  }

  private stretch(g: Polyline, i: number, rest: number): number {
    const [a, b] = [this.frame.point(g.points[i - 1]!), this.frame.point(g.points[i]!)];
    return rest > 0 ? Math.hypot(b[0] - a[0], b[1] - a[1]) / rest - 1 : 0;
  }

  private spring(a: [number, number], b: [number, number], width: number) {
    const { pen } = this;
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const [nx, ny] = [-dy, dx].map((x) => x / (Math.hypot(dx, dy) || 1)) as [number, number];
    const coils = 9;
    pen.lineWidth = 1.6;
    pen.beginPath();
    pen.moveTo(...a);
    for (let k = 0; k <= 2 * coils; k++) {
      const s = 0.1 + (0.8 * k) / (2 * coils);
      const side = k === 0 || k === 2 * coils ? 0 : k % 2 ? width / 2 : -width / 2;
      pen.lineTo(a[0] + s * dx + side * nx, a[1] + s * dy + side * ny);
    }
    pen.lineTo(...b);
    pen.stroke();
  }

  private contacts(t: number) {
    const { pen, options } = this;
    if (!options.gaps && !options.impulses && !options.friction) return;
    const unit = Math.min(0.22 * Math.min(this.height, 420), 90);
    for (const mark of this.marks.at(t, this.frame)) {
      const [x, y] = this.px(mark.at);
      const [nx, ny] = [mark.normal[0], -mark.normal[1]];
      const gap = (mark.gap ?? 0) * this.scale;
      if (options.gaps && mark.gap !== undefined && gap > 3) {
        pen.strokeStyle = pen.fillStyle = colour("--c2");
        pen.lineWidth = 1.2;
        pen.setLineDash([3, 3]);
        pen.beginPath();
        pen.moveTo(x, y);
        pen.lineTo(x - gap * nx, y - gap * ny);
        pen.stroke();
        pen.setLineDash([]);
        if (gap > 26 && this.run.scene!.contacts.length <= 6) {
          pen.font = "12px system-ui, sans-serif";
          pen.textBaseline = "middle";
          const label = `${short(mark.gap)} m`;
          const [a, b] = [x - (gap / 2) * nx, y - (gap / 2) * ny];
          if (Math.abs(nx) > 0.5) {
            pen.textAlign = "center";
            pen.fillText(label, a, b - 10);
          } else {
            pen.textAlign = "left";
            pen.fillText(label, a + 6, b);
          }
        }
      }
      const length = Math.min(mark.impulse * options.magnify, 1.5) * unit;
      if (options.impulses && length > 2) this.arrow(x, y, nx, ny, length, "--c6");
      const rub = Math.min(mark.friction * options.magnify, 1.5) * unit;
      if (options.friction && rub > 2) this.arrow(x, y, mark.tangent[0], -mark.tangent[1], rub, "--c4");
    }
  }

  private arrow(x: number, y: number, nx: number, ny: number, length: number, tone: string) {
    const { pen } = this;
    const [tx, ty] = [x + length * nx, y + length * ny];
    const head = Math.min(10, length / 2);
    pen.strokeStyle = pen.fillStyle = colour(tone);
    pen.lineWidth = 3;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(tx - head * nx, ty - head * ny);
    pen.stroke();
    pen.beginPath();
    pen.moveTo(tx, ty);
    pen.lineTo(tx - head * nx - 0.5 * head * ny, ty - head * ny + 0.5 * head * nx);
    pen.lineTo(tx - head * nx + 0.5 * head * ny, ty - head * ny - 0.5 * head * nx);
    pen.fill();
  }

  // a length to compare with
  private ruler() {
    const { pen } = this;
    const rough = 80 / this.scale;
    const ten = 10 ** Math.floor(Math.log10(rough));
    const length = [1, 2, 5, 10].map((m) => m * ten).filter((x) => x <= rough * 1.2).pop() ?? ten;
    const [x, y] = [14, 30];
    pen.strokeStyle = pen.fillStyle = colour("--soft");
    pen.lineWidth = 1.2;
    pen.beginPath();
    pen.moveTo(x, y - 4);
    pen.lineTo(x, y);
    pen.lineTo(x + length * this.scale, y);
    pen.lineTo(x + length * this.scale, y - 4);
    pen.stroke();
    pen.font = "12px system-ui, sans-serif";
    pen.textAlign = "left";
    pen.textBaseline = "bottom";
    pen.fillText(`${short(length)} m`, x + 4, y - 3);
  }
}
