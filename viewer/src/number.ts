// Numbers as people read them, as in number.rs.

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const superscript = (n: number) =>
  String(n)
    .split("")
    .map((c) => (c === "-" ? "⁻" : SUPERSCRIPTS[+c]))
    .join("");

/** So many significant digits, powers of ten as ×10ⁿ, a real minus sign. */
export function digits(x: number | undefined, n: number): string {
  if (x === undefined || !Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const [mantissa, power] = x.toExponential(n - 1).split("e") as [string, string];
  const exponent = Number(power);
  const trim = (text: string) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text).replace("-", "−");
  if (exponent >= -3 && exponent <= 4) return trim(x.toFixed(Math.max(0, n - 1 - exponent)));
  return `${trim(mantissa)}×10${superscript(exponent)}`;
}

/** Four digits. */
export const short = (x: number | undefined) => digits(x, 4);

/** A power of ten alone. */
export const decade = (x: number) => `10${superscript(Math.round(Math.log10(x)))}`;
