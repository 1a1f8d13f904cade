/**
 * Writes bytes as text that compresses, together with the code around it, about as well as they do alone, which base64
 * does not. One code serves a whole compressed file: so the bytes that are frequent become the characters that are frequent
 * in JavaScript. The others become two characters. lib/memory/unpack.ts reads it.
 */

/**
 * The characters of minified JavaScript, the most frequent first. Left out are those that a string literal or a page would
 * have to escape, the blank, and those of `PREFIXES`.
 */
const CHARACTERS = "etn()r,io=as.l}cdm;:b0&yvpgw>!E|1?R[]AL+kIT_-j2SMOWPxD*HNUCFV/3BzY'5GXq@48JQZ6K9~%7^#"

/** What begins two characters: the upper two bits of a byte are the lower two of its place in ASCII. The other has the rest. */
const PREFIXES = 'u{fh'

/** How many bytes, from 0 on, can have a character of their own. */
const SINGLES = 128
/** Where a byte occurs less often, a place in the alphabet costs more. */
const LEAST_USES = 3

/** The character whose lower six bits are these: one that needs no escape, but for the backslash, which alone has its bits. */
function characterOf(bits) {
  const code = bits < 32 ? bits + 64 : bits === 32 || bits === 63 ? bits : bits + 64
  return String.fromCharCode(code)
}

function alphabetOf(bytes) {
  const uses = new Array(SINGLES).fill(0)
  for (const byte of bytes) if (byte < SINGLES) uses[byte]++
  const alphabet = new Array(SINGLES).fill(' ')
  const byUses = [...uses.keys()].filter((byte) => uses[byte] >= LEAST_USES)
  byUses.sort((a, b) => uses[b] - uses[a])
  byUses.slice(0, CHARACTERS.length).forEach((byte, i) => {
    alphabet[byte] = CHARACTERS[i]
  })
  return alphabet
}

/** @returns the text, and the alphabet it is written in: the character of each byte, a blank where it has none */
export function pack(bytes) {
  const alphabet = alphabetOf(bytes)
  const prefixes = [...PREFIXES].sort((a, b) => (a.charCodeAt(0) & 3) - (b.charCodeAt(0) & 3))
  let text = ''
  for (const byte of bytes) {
    const character = alphabet[byte] ?? ' '
    text += character === ' ' ? prefixes[byte >> 6] + characterOf(byte & 63) : character
  }
  return { text, alphabet: alphabet.join('').trimEnd() }
}
