// A scenario in the fragment of a link or in a saved page: bounded in size, and nothing but text and numbers.

import { deflateSync, inflateSync } from "fflate";
import { fromBase64, toBase64 } from "./bytes";

/** Bytes of a link's fragment, and of what it unpacks to. */
const LONGEST_LINK = 65_536;
const LONGEST_TEXT = 1 << 20;

/** What is shared: the text, what the panel changed, and the two schemes. */
export interface Shared {
  name: string;
  text: string;
  set: Record<string, number>;
  scheme: string;
  against: string;
}

/** The fragment, or nothing where the scenario is too long for a link. */
export function toFragment(shared: Shared): string | undefined {
  const packed = deflateSync(new TextEncoder().encode(JSON.stringify(shared)), { level: 9 });
  const text = toBase64(packed).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return text.length <= LONGEST_LINK ? `#s=${text}` : undefined;
}

/** What a fragment holds; nothing where it is none of ours. */
export function fromFragment(fragment: string): Shared | undefined {
  if (!fragment.startsWith("#s=") || fragment.length > LONGEST_LINK + 3) return undefined;
  try {
    const packed = fromBase64(fragment.slice(3).replaceAll("-", "+").replaceAll("_", "/"));
    // no more is unpacked than fits
    const bytes = inflateSync(packed, { out: new Uint8Array(LONGEST_TEXT) });
    return checked(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/** Only what has the right types. */
export function checked(value: unknown): Shared | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { name, text, set, scheme, against } = value as Record<string, unknown>;
  if (typeof text !== "string" || text.length > LONGEST_TEXT) return undefined;
  const word = (x: unknown) => (typeof x === "string" ? x.slice(0, 200) : "");
  const numbers = Object.entries(typeof set === "object" && set ? set : {}).filter(([key, x]) => /^[\w.-]{1,200}$/.test(key) && typeof x === "number" && Number.isFinite(x));
  return { name: word(name) || "scenario.toml", text, set: Object.fromEntries(numbers), scheme: word(scheme), against: word(against) };
}
