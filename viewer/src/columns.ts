// The block of columns that `pack.rs` wrote: inflated once, each column put together from its planes when it is asked for.

import { inflateSync } from "fflate";

/** Kind, offset in bytes, count of numbers. */
export type Column = [string, number, number];

/** Series on levels of their own range, as differences in time. */
export interface Levels {
  bits: number;
  low: Column;
  step: Column;
  values: Column;
}

let block = new Uint8Array(0);

// plane k holds the k-th bytes of all numbers
function words([, offset, count]: Column, size: number): ArrayBuffer {
  const out = new Uint8Array(size * count);
  for (let k = 0; k < size; k++) for (let i = 0; i < count; i++) out[size * i + k] = block[offset + k * count + i]!;
  return out.buffer;
}

export const columns = {
  open(text: string) {
    const letters = atob(text.trim());
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
    block = inflateSync(bytes);
  },

  doubles: (column: Column) => new Float64Array(words(column, 8)),

  singles: (column: Column) => new Float32Array(words(column, 4)),

  /** Frames of n series, the series of a frame side by side. */
  levels({ bits, low, step, values }: Levels, n: number): Float32Array {
    const [bytes, mask] = [bits / 8, 2 ** bits - 1];
    const count = values[2] / bytes;
    const frames = n ? count / n : 0;
    const [lows, steps] = [columns.doubles(low), columns.doubles(step)];
    const out = new Float32Array(count);
    for (let j = 0; j < n; j++) {
      let level = 0;
      for (let i = 0; i < frames; i++) {
        let word = 0;
        for (let k = 0; k < bytes; k++) word |= block[values[1] + k * count + j * frames + i]! << (8 * k);
        // the sign is in the lowest bit
        level = (level + ((word >> 1) ^ -(word & 1))) & mask;
        out[i * n + j] = lows[j]! + steps[j]! * level;
      }
    }
    return out;
  },
};
