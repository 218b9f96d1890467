// The tables of the run folder, as files again.

import { columns } from "./columns";
import type { Page, Table } from "./data";
import { element } from "./html";
import { short } from "./number";

/** Lets the browser save a text. */
export function save(name: string, type: string, ...parts: string[]) {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Lines of the table; every number with the digits that give it back. */
export function csv(table: Table): string[] {
  const cells = table.columns.map(({ words, values }) => ({ words, values: columns.doubles(values) }));
  const lines = [table.columns.map((column) => column.name).join(",") + "\n"];
  for (let i = 0; i < table.rows; i++) {
    const row = cells.map(({ words, values }) => {
      const x = values[i]!;
      return Number.isNaN(x) ? "" : words.length ? (words[x] ?? "") : String(x);
    });
    lines.push(row.join(",") + "\n");
  }
  return lines;
}

export function downloads(page: Page): HTMLElement {
  const several = page.runs.length > 1;
  const box = element("section", { "aria-labelledby": "tables" }, element("h2", { id: "tables" }, "Tables"));
  const panel = element("div", { class: "panel" });
  let thinned = false;
  page.runs.forEach((run, i) => {
    const row = element("div", { class: "bar" });
    if (several) row.append(element("span", { class: `run r${i % 8}`, "aria-hidden": "true" }), element("strong", {}, run.label));
    for (const table of run.tables) {
      const cut = table.rows < table.seen;
      thinned ||= cut;
      const count = cut ? `${table.rows} of ${table.seen} rows` : table.rows === 1 ? "1 row" : `${table.rows} rows`;
      const button = element("button", { type: "button", "data-file": table.file, disabled: table.rows === 0 && cut }, `${table.file} `, element("small", {}, `(${count})`));
      button.addEventListener("click", () => save(several ? `${i + 1}-${table.file}` : table.file, "text/csv", ...csv(table)));
      row.append(button);
    }
    if (run.tables.length) panel.append(row);
  });
  const part = page.runs.find((run) => run.window)?.window;
  const shown = part ? `Rows from ${short(part[0])} s to ${short(part[1])} s only. ` : "";
  // place, normal and forces of contacts and what joints do would double the page
  const more = ", and beside them names and units, gaps that approach, of bodies places and forces of contacts and what joints carry.";
  const words = thinned
    ? "Thinned for this page: equally spaced rows and those of impacts stay; works and dissipation are summed over the rows left out, of residuals the largest stays. The whole tables are in the run's folder" + more
    : part
      ? "The whole tables are in the run's folder" + more
      : "Every row of these tables; the run's folder has them" + more;
  panel.append(element("p", { class: "caption" }, shown + words));
  box.append(panel);
  return box;
}
