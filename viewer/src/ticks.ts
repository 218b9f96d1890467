// Round numbers on an axis, at any scale: uPlot's own fail below 1e-16, where residuals are.

/** About so many multiples of 1, 2 or 5 × 10ⁿ. */
export function linearTicks(low: number, high: number, count: number): number[] {
  const rough = (high - low) / Math.max(count, 1);
  if (!(rough > 0) || !Number.isFinite(rough)) return [low];
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * ten).find((s) => s >= rough * 0.9999) ?? 10 * ten;
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && ticks.length < 100; k++) ticks.push(k * step);
  return ticks;
}

/** Powers of ten, at most about so many. */
export function decades(low: number, high: number, count: number): number[] {
  const [from, to] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const every = Math.max(1, Math.ceil((to - from) / Math.max(count, 1)));
  const ticks: number[] = [];
  for (let n = Math.ceil(from / every) * every; n <= to && ticks.length < 100; n += every) ticks.push(Number(`1e${n}`));
  return ticks;
}
