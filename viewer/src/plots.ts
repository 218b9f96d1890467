// The figures with the time of the picture as their cursor: drag to move it, Shift and drag to look closer.

import uPlot from "uplot";
import type { Clock } from "./clock";
import { lastAt, valueAt, type Figure, type FigureCurve, type Stroke } from "./data";
import { saveFigure } from "./figure_file";
import { element, say } from "./html";
import { onSize, whenGone } from "./lifetime";
import { decade, onAxis, short } from "./number";
import { decades, linearTicks } from "./ticks";
import { colour, curveColour, DASHES, onTheme } from "./theme";

const HEIGHT = 200;

interface Entry {
  button: HTMLButtonElement;
  value: HTMLElement;
  curves: FigureCurve[];
  shown: boolean;
}

/** A piece of the curve as it is drawn: colour, dashes, band. */
function swatchOf(stroke: Stroke): SVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("class", `swatch k${stroke.colour === null ? "ink" : stroke.colour % 8}${stroke.broad ? " broad" : ""}`);
  svg.setAttribute("viewBox", "0 0 26 6");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(space, "path");
  line.setAttribute("d", "M1 3H25");
  line.setAttribute("stroke-dasharray", DASHES[stroke.dash % DASHES.length]!.join(" "));
  svg.append(line);
  return svg;
}

/** Room for the longest of the labels beside an axis [px]. */
function breadth(u: uPlot, labels: string[] | null): number {
  const ratio = devicePixelRatio || 1;
  u.ctx.font = `${12 * ratio}px system-ui, sans-serif`;
  const widest = Math.max(0, ...(labels ?? []).map((text) => u.ctx.measureText(text).width / ratio));
  return Math.ceil(Math.max(widest + 14, 40));
}

class Plot {
  readonly box: HTMLElement;
  private readonly holder = element("div", { class: "chart" });
  private readonly cursor = element("div", { class: "time" });
  private readonly entries: Entry[];
  private chart: uPlot | undefined;

  constructor(
    private readonly figure: Figure,
    private readonly clock: Clock,
    private readonly view: View,
  ) {
    this.entries = figure.legend.map((entry) => this.entry(entry.name, entry.stroke));
    const save = element("button", { type: "button", class: "quiet", title: `Save the figure “${figure.title}” as SVG` }, "SVG");
    save.addEventListener("click", () => saveFigure(figure.id));
    this.box = element(
      "figure",
      { id: `plot-${figure.id}`, class: "live" },
      element("div", { class: "head" }, element("h3", {}, figure.title), element("span", { class: "unit" }, `${figure.label}${figure.log ? ", log scale" : ""} over t [s]`), save),
      element("div", { class: "legend" }, ...this.entries.map((entry) => entry.button)),
      this.holder,
      ...(figure.caption ? [element("figcaption", { class: "caption" }, figure.caption)] : []),
    );
    this.holder.setAttribute("role", "img");
    this.holder.setAttribute("aria-label", this.summary());
  }

  // what the plot shows, for those who do not see it
  private summary(): string {
    const describe = ({ name, curve }: FigureCurve) => {
      let [low, high] = [Infinity, -Infinity];
      for (const y of curve.y) [low, high] = [Math.min(low, y), Math.max(high, y)];
      return low <= high ? `${name} between ${short(low)} and ${short(high)}` : `${name} without values`;
    };
    return `${this.figure.title}, ${this.figure.label}: ${this.figure.curves.slice(0, 8).map(describe).join("; ") || "nothing to draw"}`;
  }

  // one run: an entry is a curve; several: a run by its colour, a quantity by its dash
  private entry(name: string, stroke: Stroke): Entry {
    const same = this.figure.curves.filter((c) => c.name === name);
    const alike = (c: FigureCurve) => (stroke.colour === null ? c.stroke.dash === stroke.dash : c.stroke.colour === stroke.colour);
    const curves = same.length ? same : this.figure.curves.filter(alike);
    const swatch = swatchOf(stroke);
    const value = element("output", {});
    const button = element("button", { type: "button", "aria-pressed": "true", title: `Show or hide ${name}` }, swatch, element("span", { class: "who" }, name), value);
    const entry: Entry = { button, value, curves, shown: true };
    button.addEventListener("click", () => {
      entry.shown = !entry.shown;
      button.setAttribute("aria-pressed", String(entry.shown));
      this.chart?.redraw(true, true);
      this.chart?.setScale("x", { min: this.view.from, max: this.view.to });
    });
    return entry;
  }

  private visible(): FigureCurve[] {
    return this.figure.curves.filter((c) => this.entries.every((entry) => entry.shown || !entry.curves.includes(c)));
  }

  make() {
    const { figure, view } = this;
    const tones = { stroke: () => colour("--soft"), font: "12px system-ui, sans-serif", grid: { stroke: () => colour("--grid"), width: 1 }, ticks: { show: false } };
    const options: uPlot.Options = {
      width: Math.max(this.holder.clientWidth, 120),
      height: HEIGHT,
      padding: [8, 24, 0, 0],
      legend: { show: false },
      cursor: { x: false, y: false, points: { show: false }, drag: { x: true, y: false, setScale: false }, bind: { mousedown: (_, __, go) => (event) => (event.shiftKey ? go(event) : null), dblclick: () => () => null } },
      select: { show: true, left: 0, top: 0, width: 0, height: 0 },
      scales: {
        x: { time: false, range: () => [view.from, view.to] },
        y: { distr: figure.log ? 3 : 1, range: () => this.range() },
      },
      axes: [
        {
          ...tones,
          size: 28,
          gap: 4,
          splits: (u, _, low, high) => linearTicks(low, high, u.width / 90),
          values: (_, ticks) => onAxis(ticks, 6),
        },
        {
          ...tones,
          size: (u, labels) => breadth(u, labels),
          gap: 4,
          splits: (_, __, low, high) => (figure.log ? decades(low, high, 6) : linearTicks(low, high, 5)),
          filter: (_, ticks) => ticks,
          values: (_, ticks) => (figure.log ? ticks.map(decade) : onAxis(ticks, 4)),
        },
      ],
      // the curves have times of their own and are drawn by hand: the data only open the scales
      series: [{}, ...figure.curves.map((curve) => this.series(curve))],
      hooks: {
        drawAxes: [(u) => this.levels(u)],
        setSelect: [
          (u) => {
            if (u.select.width > 4) view.look(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
      },
    };
    const data = [[view.whole[0], view.whole[1]], ...figure.curves.map(() => [1, 1])] as uPlot.AlignedData;
    this.holder.replaceChildren();
    this.chart = new uPlot(options, data, this.holder);
    const over = this.chart.over;
    over.append(this.cursor);
    const seek = (event: PointerEvent) => {
      const left = event.clientX - over.getBoundingClientRect().left;
      this.clock.play(false);
      this.clock.seek(this.chart!.posToVal(left, "x"));
    };
    over.addEventListener("pointerdown", (event) => {
      if (event.shiftKey || event.button !== 0) return;
      over.setPointerCapture(event.pointerId);
      seek(event);
    });
    over.addEventListener("pointermove", (event) => {
      if (over.hasPointerCapture(event.pointerId)) seek(event);
    });
    over.addEventListener("dblclick", () => view.look(...view.whole));
  }

  private series(c: FigureCurve): uPlot.Series {
    return {
      stroke: () => curveColour(c.stroke.colour),
      width: c.stroke.broad ? 5 : 1.6,
      alpha: c.stroke.broad ? 0.4 : 1,
      dash: DASHES[c.stroke.dash % DASHES.length]!,
      points: { show: false },
      paths: (u) => ({ stroke: this.visible().includes(c) ? this.path(u, c) : new Path2D(), fill: null, clip: null, band: null, gaps: null, flags: 0 }) as unknown as uPlot.Series.Paths,
    };
  }

  private path(u: uPlot, { curve, stems }: FigureCurve): Path2D {
    const path = new Path2D();
    const { t, y, starts } = curve;
    // one sample beyond either side of what is in view
    const first = Math.max(0, lastAt(t, this.view.from) - 1);
    const last = Math.min(t.length - 1, lastAt(t, this.view.to) + 2);
    const x = (i: number) => u.valToPos(t[i]!, "x", true);
    const zero = stems ? u.valToPos(0, "y", true) : 0;
    let begun = false;
    for (let i = first; i <= last; i++) {
      if (this.figure.log && !(y[i]! > 0)) {
        begun = false;
        continue;
      }
      const [a, b] = [x(i), u.valToPos(y[i]!, "y", true)];
      if (stems) {
        path.moveTo(a, zero);
        path.lineTo(a, b);
        continue;
      }
      if (!begun || starts.has(i)) {
        path.moveTo(a, b);
        path.lineTo(a, b);
      } else path.lineTo(a, b);
      begun = true;
    }
    return path;
  }

  // the values in view, with a little room
  private range(): [number, number] {
    const { figure, view } = this;
    let [low, high] = [Infinity, -Infinity];
    const see = (y: number | undefined) => {
      if (y === undefined || (figure.log && !(y > 0))) return;
      low = Math.min(low, y);
      high = Math.max(high, y);
    };
    for (const { curve, stems } of this.visible()) {
      const [first, last] = [Math.max(0, lastAt(curve.t, view.from)), lastAt(curve.t, view.to)];
      for (let i = first; i <= last; i++) see(curve.y[i]);
      if (stems) see(0);
      else [view.from, view.to].forEach((t) => see(valueAt(curve, t)));
    }
    for (const [level] of figure.levels) see(level);
    if (!(low <= high)) return figure.log ? [1e-1, 1] : [-1, 1];
    if (figure.log) return [10 ** Math.floor(Math.log10(low)), 10 ** Math.ceil(Math.log10(high) + 1e-9)];
    const size = Math.max(Math.abs(low), Math.abs(high)) || 1;
    if (high - low < 1e-6 * size) [low, high] = [low - 0.05 * size, high + 0.05 * size];
    const room = 0.06 * (high - low);
    return [low - room, high + room];
  }

  private levels(u: uPlot) {
    const pen = u.ctx;
    for (const [level, name] of this.figure.levels) {
      const y = u.valToPos(level, "y", true);
      const ratio = devicePixelRatio || 1;
      pen.save();
      pen.strokeStyle = pen.fillStyle = colour("--fail");
      pen.lineWidth = 1.2 * ratio;
      pen.setLineDash([6 * ratio, 4 * ratio]);
      pen.beginPath();
      pen.moveTo(u.bbox.left, y);
      pen.lineTo(u.bbox.left + u.bbox.width, y);
      pen.stroke();
      pen.font = `${12 * ratio}px system-ui, sans-serif`;
      pen.textAlign = "right";
      pen.textBaseline = y - u.bbox.top < 18 * ratio ? "top" : "bottom";
      pen.fillText(name, u.bbox.left + u.bbox.width - 4 * ratio, y + (y - u.bbox.top < 18 * ratio ? 3 : -3) * ratio);
      pen.restore();
    }
  }

  resize() {
    const width = this.holder.clientWidth;
    if (this.chart && width > 0 && width !== this.chart.width) this.chart.setSize({ width, height: HEIGHT });
  }

  end() {
    this.chart?.destroy();
    this.chart = undefined;
  }

  /** Draws again: another part of time, or other colours. */
  redraw() {
    this.chart?.setScale("x", { min: this.view.from, max: this.view.to });
    this.chart?.redraw(true, true);
  }

  at(t: number) {
    const { chart, view } = this;
    if (!chart) return;
    const inside = t >= view.from && t <= view.to;
    this.cursor.style.display = inside ? "" : "none";
    if (inside) this.cursor.style.transform = `translateX(${chart.valToPos(t, "x").toFixed(2)}px)`;
    for (const { value, curves } of this.entries) {
      const only = curves.length === 1 ? curves[0]! : undefined;
      if (only) say(value, short(only.stems ? this.stemAt(only, t) : valueAt(only.curve, t)));
    }
  }

  // an impulse acts at its instant only
  private stemAt({ curve }: FigureCurve, t: number): number {
    const i = lastAt(curve.t, Math.fround(t));
    const close = (this.view.to - this.view.from) / 2000;
    return i >= 0 && t - curve.t[i]! <= close ? curve.y[i]! : 0;
  }
}

/** The part of time all plots show. */
class View {
  from: number;
  to: number;
  listeners: (() => void)[] = [];

  constructor(readonly whole: [number, number]) {
    if (!(whole[1] > whole[0])) this.whole = [whole[0] - 0.5, whole[0] + 0.5];
    [this.from, this.to] = this.whole;
  }

  look(from: number, to: number) {
    const least = 1e-6 * (this.whole[1] - this.whole[0]);
    if (to - from < least) return;
    this.from = Math.max(from, this.whole[0]);
    this.to = Math.min(to, this.whole[1]);
    for (const listener of this.listeners) listener();
  }
}

/** All figures, with buttons to look closer; the first so many apart from the rest. */
export function plots(figures: Figure[], clock: Clock, first: number): { box: HTMLElement; rest: HTMLElement; start: () => void } {
  const view = new View(clock.span);
  const list = figures.map((figure) => new Plot(figure, clock, view));
  const closer = element("button", { type: "button" }, "Closer");
  const whole = element("button", { type: "button", disabled: true }, "Whole run");
  const hint = element("span", { class: "hint" }, "Drag in a plot to move the time; Shift and drag to look closer.");
  const box = element("div", { class: "plot-area" }, element("div", { class: "bar" }, closer, whole, hint), element("div", { class: "plots" }, ...list.slice(0, first).map((plot) => plot.box)));
  const rest = element("div", { class: "plot-area" }, element("div", { class: "plots" }, ...list.slice(first).map((plot) => plot.box)));
  closer.addEventListener("click", () => {
    const width = (view.to - view.from) / 3;
    const from = Math.min(Math.max(clock.t - width / 2, view.whole[0]), view.whole[1] - width);
    view.look(from, from + width);
  });
  whole.addEventListener("click", () => view.look(...view.whole));
  view.listeners.push(() => {
    whole.disabled = view.from === view.whole[0] && view.to === view.whole[1];
    for (const plot of list) {
      plot.redraw();
      plot.at(clock.t);
    }
  });
  clock.onTime((t) => list.forEach((plot) => plot.at(t)));
  onTheme(() => list.forEach((plot) => plot.redraw()));
  const start = () => {
    for (const plot of list) {
      plot.make();
      plot.at(clock.t);
    }
    for (const part of [box, rest]) {
      onSize(part, () => {
        list.forEach((plot) => plot.resize());
        list.forEach((plot) => plot.at(clock.t));
      });
    }
    whenGone(() => list.forEach((plot) => plot.end()));
  };
  return { box, rest, start };
}
