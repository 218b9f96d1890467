// The scenario's text with the numbers of its lines, and what the simulator has to say about it, at its line.

import { element } from "../html";
import type { Refusal } from "./protocol";

export class Editor {
  readonly box: HTMLElement;
  private readonly area = element("textarea", { spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", "aria-label": "Scenario", id: "scenario-text", rows: 18 });
  private readonly lines = element("pre", { class: "lines", "aria-hidden": "true" });
  private readonly words = element("pre", { class: "refusal", role: "alert", id: "refusal", hidden: true });

  constructor(text: string, changed: () => void) {
    this.area.value = text;
    this.area.setAttribute("aria-describedby", "refusal");
    this.box = element("div", { class: "editor" }, element("div", { class: "sheet" }, this.lines, this.area));
    this.area.addEventListener("input", () => {
      this.number();
      changed();
    });
    this.area.addEventListener("scroll", () => (this.lines.scrollTop = this.area.scrollTop), { passive: true });
    this.number();
  }

  /** Where refusals are told; beside the text, so that they are seen while it is put away. */
  get refusals(): HTMLElement {
    return this.words;
  }

  get text(): string {
    return this.area.value;
  }

  set text(text: string) {
    this.area.value = text;
    this.number();
  }

  private number(marked = 0) {
    const n = this.area.value.split("\n").length;
    const rows = Array.from({ length: n }, (_, i) => (i + 1 === marked ? element("mark", {}, `${i + 1}`) : `${i + 1}`));
    this.lines.replaceChildren(...rows.flatMap((row) => [row, "\n"]));
  }

  /** Shows a refusal as the terminal does and marks its line; nothing to take it back. */
  refuse(refusal: Pick<Refusal, "text" | "line"> | undefined) {
    this.words.hidden = !refusal;
    this.words.textContent = refusal?.text ?? "";
    this.words.dataset["line"] = refusal?.line ? String(refusal.line) : "";
    this.number(refusal?.line ?? 0);
    this.area.setAttribute("aria-invalid", String(Boolean(refusal?.line)));
    if (!refusal?.line) return;
    const height = this.area.scrollHeight / Math.max(1, this.area.value.split("\n").length);
    const top = (refusal.line - 1) * height;
    if (top < this.area.scrollTop || top + height > this.area.scrollTop + this.area.clientHeight) this.area.scrollTop = top - this.area.clientHeight / 2;
  }
}
