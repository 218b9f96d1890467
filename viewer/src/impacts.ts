// The list of impacts: any number of rows, of which those in sight exist.

import type { Clock } from "./clock";
import { contactName, lastAt, type Impact, type Page } from "./data";
import { element } from "./html";
import { onSize } from "./lifetime";
import { digits, short } from "./number";

/** A phone has two lines for an impact: the contact, then the numbers [px]. */
const NARROW = matchMedia("(max-width: 620px)");
const ROW = NARROW.matches ? 46 : 30;

export function impactList(page: Page, clock: Clock): HTMLElement {
  const { impacts } = page;
  const several = page.runs.length > 1;
  const total = page.runs.reduce((sum, run) => sum + run.impacts, 0);
  const times = impacts.map((impact) => impact.t);
  const heads = ["t [s]", ...(several ? ["run"] : []), "contact", `u before [${page.units[1]}]`, `u after [${page.units[1]}]`, `p [${page.units[2]}]`];
  const head = element("div", { class: `impact heads${several ? " several" : ""}`, "aria-hidden": "true" }, ...heads.map((h) => element("span", h === "contact" ? { class: "touch" } : h === "run" ? { class: "who" } : {}, h)));
  const inner = element("div", { class: "inner" });
  const scroll = element("div", { class: "impacts", tabindex: 0, role: "region", "aria-label": "List of impacts" }, inner);
  inner.style.height = `${ROW * impacts.length}px`;
  scroll.style.height = `${Math.min(280, ROW * impacts.length + 2)}px`;

  const name = (impact: Impact) => contactName(page.runs[impact.run]!, impact.contact);
  const cells = (impact: Impact) => [
    digits(impact.t, 7),
    ...(several ? [element("span", { class: "who" }, element("span", { class: `run r${impact.run % 8}`, title: page.runs[impact.run]!.label }))] : []),
    element("span", { class: "touch", title: name(impact) }, name(impact)),
    short(impact.before),
    short(impact.after),
    short(impact.p),
  ];
  const row = (i: number) => {
    const impact = impacts[i]!;
    const button = element("button", { type: "button", class: `impact${several ? " several" : ""}`, "data-impact": i, "aria-label": `Go to the impact of contact ${name(impact)} at ${digits(impact.t, 7)} s` });
    for (const cell of cells(impact)) button.append(typeof cell === "string" ? element("span", {}, cell) : cell);
    button.style.top = `${ROW * i}px`;
    button.addEventListener("click", () => {
      clock.play(false);
      clock.seek(impact.t);
    });
    return button;
  };

  let [first, last, current] = [0, -1, -1];
  const rows = new Map<number, HTMLElement>();
  const fill = () => {
    first = Math.max(0, Math.floor(scroll.scrollTop / ROW) - 4);
    last = Math.min(impacts.length - 1, Math.ceil((scroll.scrollTop + scroll.clientHeight) / ROW) + 4);
    for (const [i, element] of rows) {
      if (i >= first && i <= last) continue;
      element.remove();
      rows.delete(i);
    }
    for (let i = first; i <= last; i++) {
      if (rows.has(i)) continue;
      const made = row(i);
      if (i === current) made.setAttribute("aria-current", "true");
      rows.set(i, made);
      inner.append(made);
    }
  };
  scroll.addEventListener("scroll", fill, { passive: true });
  onSize(scroll, fill);

  // follow, but not while somebody reads the list; once a frame, because asking where it is scrolled costs a layout
  let waiting = false;
  const follow = () => {
    waiting = false;
    if (scroll.matches(":hover, :focus-within") || current < 0) return;
    const top = ROW * current;
    if (top < scroll.scrollTop || top + ROW > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = top - scroll.clientHeight / 2;
  };
  clock.onTime((t) => {
    const now = lastAt(times, t);
    if (now === current) return;
    rows.get(current)?.removeAttribute("aria-current");
    current = now;
    rows.get(current)?.setAttribute("aria-current", "true");
    if (current >= 0 && !waiting) {
      waiting = true;
      requestAnimationFrame(follow);
    }
  });

  const count = total === 0 ? "No impact." : impacts.length < total ? `${impacts.length} of ${total} impacts are listed.` : total === 1 ? "One impact." : `${total} impacts.`;
  const panel = element("div", { class: "panel" });
  if (impacts.length) panel.append(element("div", { class: "scroll" }, element("div", { class: "impact-box" }, head, scroll)));
  panel.append(element("p", { class: "caption" }, impacts.length ? `${count} Choose one to go there.` : count));
  return element("section", { "aria-labelledby": "impact-list" }, element("h2", { id: "impact-list" }, "Impacts"), panel);
}
