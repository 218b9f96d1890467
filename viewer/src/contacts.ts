// What the contacts do at the cursor, beside what they did in all, which is in the page.

import type { Clock } from "./clock";
import { lastAt, valueAt, type Page } from "./data";
import { element, say } from "./html";
import { short } from "./number";

export function liveContacts(page: Page, clock: Clock) {
  const table = document.getElementById("contact-table");
  const run = page.runs[0];
  if (!table || !run || page.runs.length > 1 || run.contacts.length === 0) return;
  const times = new Map<number, number[]>();
  for (const { contact, t } of page.impacts) {
    const list = times.get(contact);
    if (list) list.push(t);
    else times.set(contact, [t]);
  }
  const names = [`gap now [${page.units[0]}]`, `impulse now [${page.units[2]}]`, "impacts so far"] as const;
  const heads = names.map((text) => element("th", { scope: "col" }, text));
  table.querySelector("thead tr")?.append(...heads);
  const live: ((t: number) => void)[] = [];
  for (const row of table.querySelectorAll<HTMLElement>("tbody tr")) {
    const number = Number(row.dataset["contact"]);
    const curves = run.contacts.find((c) => c.contact === number);
    const [gap, impulse, count] = [element("td", { "data-h": names[0] }), element("td", { "data-h": names[1] }), element("td", { "data-h": names[2] })];
    row.append(gap, impulse, count);
    live.push((t) => {
      say(gap, curves ? short(valueAt(curves.gap, t)) : "–");
      // the impulse of the step that ends here, not between two
      const i = curves ? lastAt(curves.impulse.t, Math.fround(t)) : -1;
      say(impulse, curves && i >= 0 ? short(curves.impulse.y[i]) : "–");
      say(count, String(lastAt(times.get(number) ?? [], t) + 1));
    });
  }
  // a long table is followed only as far as it is likely to be read
  clock.onTime((t) => live.slice(0, 64).forEach((tell) => tell(t)));
}
