/**
 * Writes bytes as text. Compressed together with the code around it, the text is about as small as the compressed bytes, unlike
 * base64. A compressed file has one code for all of its characters, so frequent bytes become characters that are frequent in
 * JavaScript. The other bytes become two characters. lib/memory/instantiate-wasm.ts reads the text.
 */

/**
 * The characters of minified JavaScript without the blank, those of `PREFIXES`, and those that a string literal or a page must
 * escape. The most frequent bytes get the first of them. A search by exchanges of two, measured by the gzipped package, has found the order.
 */
const CHARACTERS = ".t,eanb):(=05sl;3|}WiKor{fhQ[+61u!mcxpPJg7k]jG>yvTDUA*OLE24ZVwYXz@8RHSI_MC/FN9~%^#q'B"

/** The first of two characters, by the upper two bits of the byte, which are the lower two of its code. The second has the other bits. */
const PREFIXES = 'd-&?'

/** Only bytes below this can have a single character. */
const SINGLES = 128
/** For a byte that occurs less often, a place in the alphabet costs more than it saves. */
const LEAST_USES = 3

/** The character with these lower six bits that needs no escape. Only for the bits of the backslash there is none. */
const characterOf = (bits) => String.fromCharCode(bits === 32 || bits === 63 ? bits : bits + 64)

function alphabetOf(bytes) {
  const uses = new Array(SINGLES).fill(0)
  for (const byte of bytes) if (byte < SINGLES) uses[byte]++
  const byUses = [...uses.keys()].filter((byte) => uses[byte] >= LEAST_USES)
  byUses.sort((a, b) => uses[b] - uses[a])
  const characters = uses.map((_, byte) => CHARACTERS[byUses.indexOf(byte)] ?? ' ')
  return characters.join('').trimEnd()
}

/** @returns the text and its alphabet: the character of each byte, or a blank if it has none */
export function pack(bytes) {
  const alphabet = alphabetOf(bytes)
  const isDouble = (byte) => byte >= alphabet.length || alphabet[byte] === ' '
  const textOf = (byte) => (isDouble(byte) ? PREFIXES[byte >> 6] + characterOf(byte & 63) : alphabet[byte])
  return { text: Array.from(bytes, textOf).join(''), alphabet }
}
