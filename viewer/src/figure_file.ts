// The static figure of the page as a file of its own, in the colours of the light page.

import { save } from "./downloads";

/** Rules of the page for figures, with the light page's colours written out. */
function style(): string {
  const light = new Map<string, string>();
  const rules: string[] = [];
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof CSSStyleRule)) continue;
      if (rule.selectorText === ":root") {
        for (const name of rule.style) if (name.startsWith("--") && !light.has(name)) light.set(name, rule.style.getPropertyValue(name).trim());
      } else if (rule.selectorText.startsWith(".plot ") || rule.selectorText === ".plot") {
        rules.push(rule.cssText);
      }
    }
  }
  return rules.join("").replace(/var\((--[\w-]+)\)/g, (_, name: string) => light.get(name) ?? "#000");
}

export function saveFigure(id: string) {
  const drawn = document.querySelector(`#figure-${id} svg`);
  if (!drawn) return;
  const svg = drawn.cloneNode(true) as SVGElement;
  svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  svg.setAttribute("width", "810");
  // as text: a style element made here would be stopped by the page's own policy
  const text = new XMLSerializer().serializeToString(svg).replace(/<title[^>]*>[^]*?<\/title>/, (title) => `${title}<style>.plot{font:13px system-ui,sans-serif}${style()}</style><rect width="100%" height="100%" fill="#fff"/>`);
  save(`${id}.svg`, "image/svg+xml", text);
}
