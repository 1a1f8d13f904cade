/**
 * Writes bytes as text that compresses as well as they do, base64 does not: the most frequent bytes, those just above and
 * below 0, are a printable character each, the others two. lib/backend/unpack.ts reads it.
 */
const FIRST = 35
const CODES = 90
const SHIFT = 2

export function pack(bytes) {
  let text = ''
  for (const byte of bytes) {
    const code = (byte + SHIFT) & 255
    const high = Math.floor(code / CODES)
    const character = String.fromCharCode(FIRST + (code % CODES))
    // A backslash would have to be escaped.
    text += ['', '!', ' '][high] + (character === '\\' ? '~' : character)
  }
  return text
}
