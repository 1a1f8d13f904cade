/** Ids of rows, which are unique over all stores, copies and backups of stores: 12 random characters of their maker, then a number. */
const RANDOM = 12
const COUNTER = 6
const CHARACTERS = '0123456789abcdefghijklmnopqrstuvwxyz'

export class Ids {
  #prefix = ''
  #count = 36 ** COUNTER

  /** Greater than those before it, but for one in 2 billion. */
  next(): string {
    if (this.#count === 36 ** COUNTER) {
      this.#count = 0
      // Bytes from 252 on would make some characters more frequent.
      const bytes = crypto.getRandomValues(new Uint8Array(64)).filter((byte) => byte < 252)
      this.#prefix = Array.from(bytes.subarray(0, RANDOM), (byte) => CHARACTERS[byte % 36]).join('')
    }
    return this.#prefix + (this.#count++).toString(36).padStart(COUNTER, '0')
  }
}
