// The numbers of a scenario as sliders with fields beside them; what was moved becomes a change, as by --set.

import { element } from "../html";
import { digits } from "../number";
import type { PlayNumber } from "./protocol";

/** Steps of a slider. */
const STEPS = 1000;

export class Sliders {
  readonly box = element("div", { class: "sliders" });
  private readonly more = element("select", { "aria-label": "Add a number of the scenario" });
  private numbers: PlayNumber[] = [];
  private values = new Map<string, number>();
  private shown = new Set<string>();

  constructor(private readonly changed: () => void) {
    this.more.addEventListener("change", () => {
      if (!this.more.value) return;
      this.shown.add(this.more.value);
      this.draw();
      this.box.querySelector<HTMLElement>(`[data-key="${CSS.escape(this.more.value)}"] input`)?.focus();
    });
  }

  /** The numbers of another text; what was moved stays moved where it still exists. */
  offer(numbers: PlayNumber[]) {
    this.numbers = numbers;
    const known = new Set(numbers.map(({ key }) => key));
    for (const key of this.values.keys()) if (!known.has(key)) this.values.delete(key);
    this.shown = new Set([...numbers.filter(({ shown }) => shown).map(({ key }) => key), ...this.values.keys(), ...[...this.shown].filter((key) => known.has(key))]);
    this.draw();
  }

  /** What differs from the text. */
  get moved(): Record<string, number> {
    return Object.fromEntries(this.values);
  }

  set moved(values: Record<string, number>) {
    this.values = new Map(Object.entries(values));
    for (const key of this.values.keys()) this.shown.add(key);
    this.draw();
  }

  /** The changes in the words of --set. */
  get changes(): string[] {
    const whole = new Set(this.numbers.filter((number) => number.whole).map(({ key }) => key));
    // a float is written so that it stays one
    return [...this.values].map(([key, x]) => `${key}=${whole.has(key) ? Math.round(x) : Number.isInteger(x) ? `${x}.0` : x}`);
  }

  private draw() {
    const list = this.numbers.filter(({ key }) => this.shown.has(key));
    const rest = this.numbers.filter(({ key }) => !this.shown.has(key));
    this.more.replaceChildren(element("option", { value: "" }, "another number …"), ...rest.map(({ key, label }) => element("option", { value: key }, label || key)));
    this.more.hidden = rest.length === 0;
    this.box.replaceChildren(...list.map((number) => this.row(number)), this.more);
  }

  private row(number: PlayNumber): HTMLElement {
    const { key, label, unit, meaning, log, whole } = number;
    const low = log ? Math.log(number.low) : number.low;
    const high = log ? Math.log(number.high) : number.high;
    const place = (x: number) => Math.round((((log ? Math.log(Math.max(x, 1e-300)) : x) - low) / (high - low || 1)) * STEPS);
    const value = (k: number) => {
      const x = low + ((high - low) * k) / STEPS;
      return whole ? Math.round(x) : Number(digits(log ? Math.exp(x) : x, 3).replace("−", "-"));
    };
    const id = `number-${key.replaceAll(".", "-")}`;
    const now = this.values.get(key) ?? number.value;
    const slider = element("input", { type: "range", min: 0, max: STEPS, value: place(now), "aria-label": `${label || key}${unit ? ` in ${unit}` : ""}` });
    const field = element("input", { type: "number", step: "any", id, value: now });
    const back = element("button", { type: "button", class: "back", title: "As in the text", "aria-label": `${label || key} as in the text`, disabled: !this.values.has(key) }, "↺");
    const set = (x: number) => {
      if (!Number.isFinite(x)) return;
      if (x === number.value) this.values.delete(key);
      else this.values.set(key, x);
      back.disabled = x === number.value;
      slider.setAttribute("aria-valuetext", `${x} ${unit}`);
      this.changed();
    };
    slider.addEventListener("input", () => {
      const x = value(Number(slider.value));
      field.value = String(x);
      set(x);
    });
    field.addEventListener("change", () => {
      slider.value = String(place(Number(field.value)));
      set(Number(field.value));
    });
    back.addEventListener("click", () => {
      field.value = String(number.value);
      slider.value = String(place(number.value));
      set(number.value);
    });
    const name = element("label", { for: id, title: `${key}: ${meaning}` }, label || key, ...(unit ? [element("span", { class: "unit" }, ` [${unit}]`)] : []));
    return element("div", { class: "slider", "data-key": key }, name, slider, field, back);
  }
}
