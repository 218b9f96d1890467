// Play, pause, scrub, step from impact to impact, speed; and the keys that do the same.

import { speeds, type Clock } from "./clock";
import { lastAt, type Page } from "./data";
import { element, say } from "./html";
import { whileShown } from "./lifetime";
import { digits, short } from "./number";

const ICONS = {
  play: "M6 4l14 8-14 8z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  before: "M19 5v14l-9-7zM5 5h3v14H5z",
  after: "M5 5v14l9-7zM16 5h3v14h-3z",
  start: "M20 5v14l-7-7zM12 5v14l-7-7zM3 5h2v14H3z",
};

function icon(name: keyof typeof ICONS): SVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

function button(name: keyof typeof ICONS, label: string, act: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", class: "icon", "aria-label": label, title: label }, icon(name));
  made.addEventListener("click", act);
  return made;
}

/** Times at which to stop when stepping: of impacts, each once. */
function stops(page: Page): number[] {
  return page.impacts.map((impact) => impact.t).filter((t, i, all) => i === 0 || t > all[i - 1]!);
}

export function transport(page: Page, clock: Clock): HTMLElement {
  const [from, to] = clock.span;
  const times = stops(page);
  const frames = page.runs.find((run) => run.film)?.film?.t;
  const go = (t: number | undefined) => {
    clock.play(false);
    if (t !== undefined) clock.seek(t);
  };
  const close = (to - from) * 1e-12;
  const before = (list: ArrayLike<number>) => list[lastAt(list, clock.t - close) - (list[lastAt(list, clock.t - close)]! >= clock.t - close ? 1 : 0)] ?? from;
  const after = (list: ArrayLike<number>) => list[lastAt(list, clock.t + close) + 1] ?? to;
  const even = (to - from) / 500;

  const play = button("play", "Play", () => clock.play());
  const slider = element("input", { type: "range", min: from, max: to, step: "any", value: from, "aria-label": "Time", id: "time" });
  slider.addEventListener("input", () => go(Number(slider.value)));
  const shown = element("output", { class: "clock", for: "time" });
  const choice = element("select", { "aria-label": "Speed" });
  for (const speed of speeds(clock.speed)) choice.append(element("option", { value: speed, selected: speed === clock.speed }, `${short(speed)}×`));
  choice.addEventListener("change", () => clock.setSpeed(Number(choice.value)));
  const back = button("before", "Previous impact", () => go(before(times)));
  const on = button("after", "Next impact", () => go(after(times)));
  back.disabled = on.disabled = times.length === 0;

  const decimals = Math.max(0, Math.min(9, 3 - Math.floor(Math.log10((to - from) / 1 || 1))));
  clock.onTime((t) => {
    if (document.activeElement !== slider || Number(slider.value) !== t) slider.value = String(t);
    slider.setAttribute("aria-valuetext", `${digits(t, 5)} seconds`);
    say(shown, `t = ${t.toFixed(decimals)} s`);
  });
  clock.onState(() => {
    play.replaceChildren(icon(clock.playing ? "pause" : "play"));
    const label = clock.playing ? "Pause" : "Play";
    play.setAttribute("aria-label", label);
    play.title = `${label} (space)`;
  });

  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches("select, textarea, input:not([type=range]):not([type=checkbox])")) return;
    const keys: Record<string, () => void> = {
      " ": () => clock.play(),
      ArrowRight: () => go(event.shiftKey ? after(times) : frames ? after(frames) : clock.t + even),
      ArrowLeft: () => go(event.shiftKey ? before(times) : frames ? before(frames) : clock.t - even),
      Home: () => go(from),
      End: () => go(to),
    };
    const act = keys[event.key];
    // a button keeps its space, a scrolled list its arrows, the magnifier both
    if (!act || (event.key === " " && target.closest("button, summary, a, input[type=checkbox]"))) return;
    if (target.matches("input[type=range]:not(#time)") || (target.closest(".impacts, .scroll") && event.key !== " ")) return;
    // elsewhere these two scroll the page
    if ((event.key === "Home" || event.key === "End") && !target.closest(".transport, .picture, .chart")) return;
    event.preventDefault();
    act();
  }, { signal: whileShown() });

  const key = (name: string) => element("kbd", {}, name);
  const keys = element("p", { class: "keys" }, key("Space"), " play, ", key("←"), " ", key("→"), " state by state, with ", key("Shift"), " impact by impact, ", key("Home"), " ", key("End"), " first and last");
  return element("div", { class: "transport", role: "group", "aria-label": "Time" }, element("div", { class: "bar" }, button("start", "To the start", () => go(from)), back, play, on, shown, choice), slider, keys);
}
