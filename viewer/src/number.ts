// Numbers as people read them, as in number.rs.

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const superscript = (n: number) =>
  String(n)
    .split("")
    .map((c) => (c === "-" ? "⁻" : SUPERSCRIPTS[+c]))
    .join("");

const trim = (text: string) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text).replace("-", "−");

/** So many significant digits, powers of ten as ×10ⁿ, a real minus sign. */
export function digits(x: number | undefined, n: number): string {
  if (x === undefined || !Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const [mantissa, power] = x.toExponential(n - 1).split("e") as [string, string];
  const exponent = Number(power);
  if (exponent >= -3 && exponent <= 4) return trim(x.toFixed(Math.max(0, n - 1 - exponent)));
  return `${trim(mantissa)}×10${superscript(exponent)}`;
}

/** Four digits. */
export const short = (x: number | undefined) => digits(x, 4);

/** The values of an axis in one manner, by the largest of them: 0.0005, 0.001, not 5×10⁻⁴, 0.001; with as many digits as tell neighbours apart. */
export function onAxis(values: number[], least: number): string[] {
  const largest = Math.max(0, ...values.map(Math.abs));
  const exponent = largest > 0 ? Math.floor(Math.log10(largest) + 1e-9) : 0;
  const step = Math.min(...values.slice(1).map((x, i) => Math.abs(x - values[i]!) || Infinity));
  const n = step < Infinity ? Math.max(least, Math.min(exponent - Math.floor(Math.log10(step) + 1e-9) + 1, 15)) : least;
  const power = exponent >= -3 && exponent <= 4 ? 0 : exponent;
  return values.map((x) => {
    const text = (x / 10 ** power).toFixed(Math.min(Math.max(0, n - 1 - exponent + power), 100));
    if (Number(text) === 0) return "0";
    return power === 0 ? trim(text) : `${trim(text)}×10${superscript(power)}`;
  });
}

/** A power of ten alone. */
export const decade = (x: number) => `10${superscript(Math.round(Math.log10(x)))}`;
