// Text as bytes and back, for what travels in pages and links.

/** Bytes of base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/** Base64 of bytes. */
export function toBase64(bytes: Uint8Array): string {
  let letters = "";
  for (let i = 0; i < bytes.length; i += 0x8000) letters += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(letters);
}
