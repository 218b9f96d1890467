// Colours of the page's style for what is drawn on canvases, in the light and in the dark.

import { whileShown } from "./lifetime";

const cache = new Map<string, string>();

/** The value of a custom property. */
export function colour(name: string): string {
  let value = cache.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "#888";
    cache.set(name, value);
  }
  return value;
}

/** The colour of a curve or run. */
export const curveColour = (i: number | null) => colour(i === null ? "--ink" : `--c${i % 8}`);

/** Dash patterns as in the style, in pixels. */
export const DASHES: number[][] = [[], [6, 4], [1.5, 4], [9, 4, 1.5, 4], [3, 3]];

/** Tells of a change between light and dark. */
export function onTheme(tell: () => void) {
  const change = () => {
    cache.clear();
    tell();
  };
  // on paper it is never dark
  for (const media of ["(prefers-color-scheme: dark)", "print"]) matchMedia(media).addEventListener("change", change, { signal: whileShown() });
}
