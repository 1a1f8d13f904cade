/** Ids of rows, which are unique over all stores, copies and backups of stores: 12 random characters of their maker, then a number. */
const RANDOM = 12
const DIGITS = 6

/** Returns a function that makes ids. Each id is greater than those before it, up to 2 billion. */
export function makeIds(): () => string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM))
  const prefix = Array.from(bytes, (byte) => (byte % 36).toString(36)).join('')
  let count = 0
  return () => prefix + (count++).toString(36).padStart(DIGITS, '0')
}
