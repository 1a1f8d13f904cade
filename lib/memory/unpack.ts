/**
 * The bytes that .tooling/pack.mjs has written as text.
 *
 * @param alphabet the character of each byte that has one of its own, by the byte
 */
export function unpack(text: string, alphabet: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  let length = 0
  /** The upper bits of a byte that has two characters, and more above, which the array cuts off. */
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
