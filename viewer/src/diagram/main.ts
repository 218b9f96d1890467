// A diagram or a basin to look into: wheel, pinch or a box zooms, a drag moves, a click shows the orbit behind a point.

import { columns, type Column } from "../columns";
import { element, say } from "../html";
import { digits } from "../number";
import { curveColour, onTheme } from "../theme";
import { Chart, type Place, type View } from "./chart";

interface Cloud { name: string; colour: number; x: Column; y: Column; orbit: Column }
/** `every` samples are a period; a state is a coordinate and its velocity. */
interface Orbit { name: string; every: number; t: Column; states: [Column, Column][] }
interface Data { x: string; y: string; cell: [number, number]; coordinates: [string, string][]; clouds: Cloud[]; orbits: Orbit[] }

const data: Data = JSON.parse(document.getElementById("diagram-data")!.textContent!);
columns.open(document.getElementById("diagram-columns")!.textContent!);
const clouds = data.clouds.map((cloud) => ({ ...cloud, x: columns.doubles(cloud.x), y: columns.doubles(cloud.y), orbit: columns.singles(cloud.orbit) }));

const [width, height] = data.cell;
const home = clouds.reduce<View>(
  (view, { x, y }) => {
    for (let i = 0; i < x.length; i++) {
      view.x0 = Math.min(view.x0, x[i]! - width / 2);
      view.x1 = Math.max(view.x1, x[i]! + width / 2);
      view.y0 = Math.min(view.y0, y[i]! - height / 2);
      view.y1 = Math.max(view.y1, y[i]! + height / 2);
    }
    return view;
  },
  { x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity },
);

let chosen: { cloud: number; point: number } | undefined;
let coordinate = 0;

const mount = document.getElementById("diagram")!;
const status = element("p", { class: "caption", role: "status", "aria-live": "polite" }, "Click a point to see its motion.");
const chart = new Chart(`${data.y} over ${data.x}`, data.x, data.y, home, width === 0);

chart.paint = (context, place) => {
  for (const [k, { x, y, colour }] of clouds.entries()) {
    context.fillStyle = curveColour(colour);
    const { x0, x1, y0, y1 } = chart.view;
    const [w, h] = width ? [Math.max(1, place.width(width)), Math.max(1, place.height(height))] : [1.6, 1.6];
    for (let i = 0; i < x.length; i++) {
      const [a, b] = [x[i]!, y[i]!];
      if (a < x0 - width || a > x1 + width || b < y0 - height || b > y1 + height) continue;
      context.fillRect(place.x(a) - w / 2, place.y(b) - h / 2, w + (width ? 0.5 : 0), h + (width ? 0.5 : 0));
    }
    if (chosen?.cloud === k) ring(context, place.x(x[chosen.point]!), place.y(y[chosen.point]!));
  }
};

function ring(context: CanvasRenderingContext2D, x: number, y: number) {
  context.strokeStyle = curveColour(null);
  context.lineWidth = 2;
  context.beginPath();
  context.arc(x, y, 7, 0, 7);
  context.stroke();
}

chart.click = (x, y, place) => {
  let [best, near] = [undefined as typeof chosen, 24 ** 2];
  for (const [cloud, { x: xs, y: ys }] of clouds.entries())
    for (let point = 0; point < xs.length; point++) {
      const distance = (place.x(xs[point]!) - x) ** 2 + (place.y(ys[point]!) - y) ** 2;
      if (distance < near) [best, near] = [{ cloud, point }, distance];
    }
  if (best) choose(best.cloud, best.point);
};

const phase = new Chart("the orbit in the plane of a coordinate and its velocity", "", "", home, false);
const course = new Chart("the orbit over time", "t [s]", "", home, false);
const panel = element("div", { class: "orbit", hidden: true });
const title = element("h2", {}, "");
const picker = element("select", { "aria-label": "coordinate" });
data.coordinates.forEach(([name], i) => picker.append(element("option", { value: i }, name)));
picker.addEventListener("change", () => {
  coordinate = Number(picker.value);
  if (chosen) choose(chosen.cloud, chosen.point);
});

function range(list: Float32Array): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const x of list) [low, high] = [Math.min(low, x), Math.max(high, x)];
  const margin = (high - low || Math.abs(high) || 1) * 0.05;
  return [low - margin, high + margin];
}

function choose(cloud: number, point: number) {
  chosen = { cloud, point };
  const { name, x, y, orbit } = clouds[cloud]!;
  const shown = data.orbits[orbit[point]!];
  say(status, `${name}: ${data.x} = ${digits(x[point], 7)}, ${data.y} = ${digits(y[point], 7)}${shown ? "" : "; no motion is stored here"}`);
  panel.hidden = !shown;
  document.documentElement.dataset.orbit = shown ? shown.name : "";
  chart.draw();
  if (!shown) return;
  say(title, shown.name);
  const [name_q, name_v] = data.coordinates[coordinate]!;
  const [t, [q, v]] = [columns.singles(shown.t), shown.states[coordinate]!.map((column) => columns.singles(column)) as [Float32Array, Float32Array]];
  const [[q0, q1], [v0, v1]] = [range(q), range(v)];
  phase.label(name_q, name_v);
  phase.show({ x0: q0, x1: q1, y0: v0, y1: v1 });
  phase.paint = (context, place) => {
    line(context, q, v, place);
    // where a period begins
    context.fillStyle = curveColour(1);
    for (let i = 0; i < q.length - 1; i += shown.every) context.fillRect(place.x(q[i]!) - 3, place.y(v[i]!) - 3, 6, 6);
  };
  course.label("t [s]", name_q);
  course.show({ x0: t[0]!, x1: t[t.length - 1]!, y0: q0, y1: q1 });
  course.paint = (context, place) => line(context, t, q, place);
  for (const one of [phase, course]) one.draw();
}

function line(context: CanvasRenderingContext2D, x: Float32Array, y: Float32Array, place: Place) {
  context.strokeStyle = curveColour(0);
  context.lineWidth = 1.5;
  context.beginPath();
  for (let i = 0; i < x.length; i++) context.lineTo(place.x(x[i]!), place.y(y[i]!));
  context.stroke();
}

const button = (text: string, name: string, act: () => void) => {
  const made = element("button", { type: "button", "aria-label": name, title: name }, text);
  made.addEventListener("click", act);
  return made;
};
const legend = element("p", { class: "legend" });
clouds.forEach(({ name, colour }) => legend.append(element("span", { class: `key c${colour % 8}` }, name)));
mount.append(
  element("div", { class: "tools" }, button("+", "zoom in", () => chart.zoom(0.5)), button("−", "zoom out", () => chart.zoom(2)), button("Reset", "show everything", () => chart.home()), legend),
  chart.element,
  status,
  panel,
);
panel.append(element("div", { class: "tools" }, title, ...(data.coordinates.length > 1 ? [picker] : [])), element("div", { class: "pair" }, phase.element, course.element));

const all = [chart, phase, course];
new ResizeObserver(() => all.forEach((one) => one.draw())).observe(mount);
onTheme(() => all.forEach((one) => one.draw()));
chart.draw();
// for tests, and for the curious
Object.assign(globalThis, { diagram: { chart, choose, clouds, phase } });
