/**
 * Decodes the bytes that .tooling/pack.mjs has written as text.
 *
 * @param alphabet the characters of the bytes that have one character, by byte. All other bytes have two characters
 */
export function unpack(text: string, alphabet: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  let length = 0
  /** The upper bits of a byte with two characters. The array cuts off the bits above them. */
  let high = 0
  for (const character of text) {
    const code = character.charCodeAt(0)
    const byte = alphabet.indexOf(character)
    if (high) {
      bytes[length++] = high + (code & 63)
      high = 0
    } else if (byte < 0) high = code << 6
    else bytes[length++] = byte
  }
  return bytes.subarray(0, length)
}
