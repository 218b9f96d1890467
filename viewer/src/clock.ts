// The time all parts of the page share: set by anybody, told to everybody.

import { whileShown } from "./lifetime";

export class Clock {
  t: number;
  playing = false;
  /** Seconds of the run in a second of the viewer. */
  speed: number;
  private last = 0;
  /** Nobody has moved the time yet: playing begins at the start, wherever the page opened. */
  private untouched = false;
  private listeners: ((t: number) => void)[] = [];
  private states: (() => void)[] = [];

  constructor(readonly span: [number, number]) {
    this.t = span[0];
    const length = span[1] - span[0];
    document.addEventListener("visibilitychange", () => (this.last = performance.now()), { signal: whileShown() });
    this.speed = length >= 2 && length <= 20 ? 1 : nearest(length / 8);
  }

  /** Where the page opens. */
  open(t: number) {
    this.seek(t);
    this.untouched = true;
  }

  /** Called with every new time. */
  onTime(listener: (t: number) => void) {
    this.listeners.push(listener);
  }

  /** Called when playing begins or ends, or its speed changes. */
  onState(listener: () => void) {
    this.states.push(listener);
  }

  seek(t: number) {
    this.untouched = false;
    this.t = Math.min(Math.max(t, this.span[0]), this.span[1]);
    for (const listener of this.listeners) listener(this.t);
  }

  play(playing = !this.playing) {
    if (playing && (this.untouched || this.t >= this.span[1])) this.seek(this.span[0]);
    if (playing === this.playing) return;
    this.playing = playing;
    this.changed();
    if (!playing) return;
    this.last = performance.now();
    requestAnimationFrame((now) => this.frame(now));
  }

  setSpeed(speed: number) {
    this.speed = speed;
    this.changed();
  }

  private changed() {
    for (const listener of this.states) listener();
  }

  private frame(now: number) {
    if (!this.playing) return;
    // a slow machine drops frames and keeps the time; a hidden tab does not leap when it comes back
    const passed = Math.max(now - this.last, 0) / 1000;
    this.last = now;
    this.seek(this.t + passed * this.speed);
    if (this.t >= this.span[1]) this.play(false);
    else requestAnimationFrame((next) => this.frame(next));
  }
}

/** Speeds to choose from around a given one: 1, 2, 5 × 10ⁿ. */
export function speeds(around: number): number[] {
  const middle = Math.floor(Math.log10(around));
  const list: number[] = [];
  for (let n = middle - 3; n <= middle + 2; n++) for (const m of [1, 2, 5]) list.push(Number(`${m}e${n}`));
  return list;
}

function nearest(speed: number): number {
  if (!(speed > 0) || !Number.isFinite(speed)) return 1;
  return speeds(speed).reduce((best, x) => (Math.abs(Math.log(x / speed)) < Math.abs(Math.log(best / speed)) ? x : best));
}
