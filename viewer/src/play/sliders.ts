// The numbers of a scenario as sliders with fields beside them; what was moved becomes a change, as by --set.

import { element } from "../html";
import type { PlayNumber } from "./protocol";

/** Steps of a slider. */
const STEPS = 1000;

/** Whether a change of a key means anything to a scheme that takes these parameters. */
const taking = (parameters: Set<string>, key: string) => !key.startsWith("scheme.") || parameters.has(key.split(".")[1]!);

export class Sliders {
  readonly box = element("div", { class: "sliders" });
  private readonly more = element("select", { "aria-label": "Add a number of the scenario" });
  private numbers: PlayNumber[] = [];
  private values = new Map<string, number>();
  private shown = new Set<string>();
  private parameters: Set<string> | undefined;

  constructor(private readonly changed: () => void) {
    this.more.addEventListener("change", () => {
      const key = this.more.value;
      if (!key) return;
      this.shown.add(key);
      this.draw();
      this.box.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"] input`)?.focus();
    });
  }

  /** The numbers of another text; what was moved stays moved where it still exists and the text says of it what it said. */
  offer(numbers: PlayNumber[]) {
    const before = new Map(this.numbers.map(({ key, value }) => [key, value]));
    this.numbers = numbers;
    const known = new Map(numbers.map(({ key, value }) => [key, value]));
    for (const key of this.values.keys()) {
      const rewritten = before.has(key) && before.get(key) !== known.get(key);
      if (!known.has(key) || rewritten) this.values.delete(key);
    }
    this.shown = new Set([...numbers.filter(({ shown }) => shown).map(({ key }) => key), ...this.values.keys(), ...[...this.shown].filter((key) => known.has(key))]);
    this.draw();
  }

  /** Sliders of the schemes' own parameters are shown where one of the chosen schemes takes them. */
  takes(parameters: Set<string>) {
    this.parameters = parameters;
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

  /** The changes in the words of --set, of a scheme's own parameters those that it takes. */
  changes(parameters?: Set<string>): string[] {
    const whole = new Set(this.numbers.filter((number) => number.whole).map(({ key }) => key));
    // a float is written so that it stays one
    const float = (x: number) => (/[.e]/.test(String(x)) ? String(x) : `${x}.0`);
    const taken = ([key]: [string, number]) => !parameters || taking(parameters, key);
    return [...this.values].filter(taken).map(([key, x]) => `${key}=${whole.has(key) ? Math.round(x) : float(x)}`);
  }

  private draw() {
    const offered = this.numbers.filter(({ key }) => !this.parameters || taking(this.parameters, key));
    const list = offered.filter(({ key }) => this.shown.has(key));
    const rest = offered.filter(({ key }) => !this.shown.has(key));
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
      return whole ? Math.round(x) : Number((log ? Math.exp(x) : x).toPrecision(3));
    };
    const id = `number-${key.replaceAll(".", "-")}`;
    const now = this.values.get(key) ?? number.value;
    const slider = element("input", { type: "range", min: 0, max: STEPS, value: place(now), "aria-valuetext": `${now} ${unit}`, "aria-label": `${label || key}${unit ? ` in ${unit}` : ""}` });
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
      // a field that was emptied, or holds no number, goes back to what it was
      const x = field.value.trim() === "" ? NaN : Number(field.value);
      if (!Number.isFinite(x)) {
        field.value = String(this.values.get(key) ?? number.value);
        return;
      }
      slider.value = String(place(x));
      set(x);
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
