// Axes on a canvas with a view that can be moved: what is inside is painted by its owner.

import { element } from "../html";
import { short } from "../number";
import { colour } from "../theme";
import { linearTicks } from "../ticks";

export interface View { x0: number; x1: number; y0: number; y1: number }

/** From values to pixels. */
export interface Place { x(x: number): number; y(y: number): number; width(dx: number): number; height(dy: number): number }

const [LEFT, RIGHT, TOP, BOTTOM] = [64, 12, 10, 44];
/** Pixels a pointer may move and still click. */
const STILL = 5;

export class Chart {
  readonly element: HTMLCanvasElement;
  view: View;
  paint: (context: CanvasRenderingContext2D, place: Place) => void = () => {};
  click: ((x: number, y: number, place: Place) => void) | undefined;
  private all: View;
  private pointers = new Map<number, { x: number; y: number }>();
  private began: { x: number; y: number; view: View; moved: boolean } | undefined;
  private box: { x0: number; y0: number; x1: number; y1: number } | undefined;

  constructor(name: string, private xLabel: string, private yLabel: string, home: View, private margin: boolean) {
    this.element = element("canvas", { class: "chart", role: "img", "aria-label": name, tabindex: 0 });
    this.all = { ...home };
    this.view = this.padded();
    this.listen();
  }

  label(x: string, y: string) {
    [this.xLabel, this.yLabel] = [x, y];
  }

  show(view: View) {
    this.all = { ...view };
    this.view = { ...view };
  }

  home() {
    this.view = this.padded();
    this.draw();
  }

  private padded(): View {
    const { x0, x1, y0, y1 } = this.all;
    const [dx, dy] = this.margin ? [0.01 * (x1 - x0 || 1), 0.04 * (y1 - y0 || 1)] : [0, 0];
    return { x0: x0 - dx, x1: x1 + dx, y0: y0 - dy, y1: y1 + dy };
  }

  /** Shows `factor` times as much, about a point that stays where it is. */
  zoom(factor: number, x?: number, y?: number) {
    const { x0, x1, y0, y1 } = this.view;
    const [cx, cy] = [x ?? (x0 + x1) / 2, y ?? (y0 + y1) / 2];
    this.view = { x0: cx + (x0 - cx) * factor, x1: cx + (x1 - cx) * factor, y0: cy + (y0 - cy) * factor, y1: cy + (y1 - cy) * factor };
    this.draw();
  }

  private size(): [number, number] {
    return [this.element.clientWidth, this.element.clientHeight];
  }

  place(): Place {
    const [w, h] = this.size();
    const { x0, x1, y0, y1 } = this.view;
    const [sx, sy] = [(w - LEFT - RIGHT) / (x1 - x0), (h - TOP - BOTTOM) / (y1 - y0)];
    return { x: (x) => LEFT + (x - x0) * sx, y: (y) => h - BOTTOM - (y - y0) * sy, width: (dx) => dx * sx, height: (dy) => dy * sy };
  }

  private value(x: number, y: number): [number, number] {
    const [w, h] = this.size();
    const { x0, x1, y0, y1 } = this.view;
    return [x0 + ((x - LEFT) / (w - LEFT - RIGHT)) * (x1 - x0), y0 + ((h - BOTTOM - y) / (h - TOP - BOTTOM)) * (y1 - y0)];
  }

  draw() {
    const [w, h] = this.size();
    if (!w || !h) return;
    const ratio = devicePixelRatio || 1;
    [this.element.width, this.element.height] = [Math.round(w * ratio), Math.round(h * ratio)];
    const context = this.element.getContext("2d")!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colour("--card");
    context.fillRect(0, 0, w, h);
    const place = this.place();
    this.axes(context, place, w, h);
    context.save();
    context.beginPath();
    context.rect(LEFT, TOP, w - LEFT - RIGHT, h - TOP - BOTTOM);
    context.clip();
    this.paint(context, place);
    context.restore();
    if (this.box) {
      const { x0, y0, x1, y1 } = this.box;
      context.strokeStyle = colour("--report");
      context.strokeRect(x0, y0, x1 - x0, y1 - y0);
    }
  }

  private axes(context: CanvasRenderingContext2D, place: Place, w: number, h: number) {
    const { x0, x1, y0, y1 } = this.view;
    context.font = "12px system-ui, sans-serif";
    context.strokeStyle = colour("--grid");
    context.lineWidth = 1;
    for (const x of linearTicks(x0, x1, (w - LEFT) / 90)) {
      this.stroke(context, place.x(x), TOP, place.x(x), h - BOTTOM);
      this.text(context, short(x), place.x(x), h - BOTTOM + 16, "center");
    }
    for (const y of linearTicks(y0, y1, (h - TOP) / 55)) {
      this.stroke(context, LEFT, place.y(y), w - RIGHT, place.y(y));
      this.text(context, short(y), LEFT - 6, place.y(y) + 4, "right");
    }
    this.text(context, this.xLabel, (LEFT + w - RIGHT) / 2, h - 8, "center");
    context.save();
    context.translate(14, (TOP + h - BOTTOM) / 2);
    context.rotate(-Math.PI / 2);
    this.text(context, this.yLabel, 0, 0, "center");
    context.restore();
  }

  private stroke(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number) {
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
  }

  private text(context: CanvasRenderingContext2D, text: string, x: number, y: number, align: CanvasTextAlign) {
    context.fillStyle = colour("--soft");
    context.textAlign = align;
    context.fillText(text, x, y);
  }

  private listen() {
    const canvas = this.element;
    const at = (event: MouseEvent) => {
      const { left, top } = canvas.getBoundingClientRect();
      return { x: event.clientX - left, y: event.clientY - top };
    };
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const { x, y } = at(event);
      this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), ...this.value(x, y));
    }, { passive: false });
    canvas.addEventListener("dblclick", () => this.home());
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, at(event));
      this.began = { ...at(event), view: { ...this.view }, moved: this.pointers.size > 1 };
    });
    canvas.addEventListener("pointermove", (event) => this.move(event, at(event)));
    const end = (event: PointerEvent) => this.release(event, at(event));
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  private key(event: KeyboardEvent) {
    const { x0, x1, y0, y1 } = this.view;
    const [dx, dy] = [0.1 * (x1 - x0), 0.1 * (y1 - y0)];
    const shifts: Record<string, [number, number]> = { ArrowLeft: [-dx, 0], ArrowRight: [dx, 0], ArrowUp: [0, dy], ArrowDown: [0, -dy] };
    const shift = shifts[event.key];
    if (shift) this.view = { x0: x0 + shift[0], x1: x1 + shift[0], y0: y0 + shift[1], y1: y1 + shift[1] };
    else if (event.key === "+") this.zoom(0.5);
    else if (event.key === "-") this.zoom(2);
    else if (event.key === "0") this.view = this.padded();
    else return;
    event.preventDefault();
    this.draw();
  }

  /** A mouse draws a box, a finger moves the view, two fingers zoom it. */
  private move(event: PointerEvent, now: { x: number; y: number }) {
    const before = this.pointers.get(event.pointerId);
    if (!before || !this.began) return;
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    this.pointers.set(event.pointerId, now);
    if (Math.hypot(now.x - this.began.x, now.y - this.began.y) > STILL) this.began.moved = true;
    const [other] = others;
    if (other) {
      const spread = (a: { x: number; y: number }) => Math.max(10, Math.hypot(a.x - other.x, a.y - other.y));
      this.zoom(spread(before) / spread(now), ...this.value((now.x + other.x) / 2, (now.y + other.y) / 2));
    } else if (event.pointerType === "mouse" && !event.shiftKey) {
      this.box = { x0: this.began.x, y0: this.began.y, x1: now.x, y1: now.y };
      this.draw();
    } else if (this.began.moved) {
      const [[ax, ay], [bx, by]] = [this.value(before.x, before.y), this.value(now.x, now.y)];
      const { x0, x1, y0, y1 } = this.view;
      this.view = { x0: x0 + ax - bx, x1: x1 + ax - bx, y0: y0 + ay - by, y1: y1 + ay - by };
      this.draw();
    }
  }

  private release(event: PointerEvent, now: { x: number; y: number }) {
    const [began, box] = [this.began, this.box];
    this.pointers.delete(event.pointerId);
    if (this.pointers.size) return;
    [this.began, this.box] = [undefined, undefined];
    if (!began || event.type === "pointercancel") return;
    if (!began.moved) this.click?.(now.x, now.y, this.place());
    else if (box && Math.abs(box.x1 - box.x0) > STILL && Math.abs(box.y1 - box.y0) > STILL) {
      const [[ax, ay], [bx, by]] = [this.value(box.x0, box.y0), this.value(box.x1, box.y1)];
      this.view = { x0: Math.min(ax, bx), x1: Math.max(ax, bx), y0: Math.min(ay, by), y1: Math.max(ay, by) };
    }
    this.draw();
  }
}
