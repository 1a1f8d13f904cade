/**
 * Short texts of very many rows, outside the heap. A string for each would be copied by the collections of garbage that it survives, during
 * which the event loop stands still.
 *
 * Texts are kept in chunks, which are filled one after the other. Rows that come together go together, so that a chunk is soon empty:
 * its memory is freed when the texts of its last row are removed.
 */

/** A chunk is full when it has this many characters, or more because of its last text. */
const FULL = 2 ** 16
const LATIN1 = /^[\0-\xff]*$/

interface Chunk {
  /** Undefined: it is being filled. */
  bytes: Buffer | undefined
  encoding: 'latin1' | 'utf16le'
  /** How many rows have their texts in it. */
  rows: number
}

const newChunk = (): Chunk => ({ bytes: undefined, encoding: 'latin1', rows: 0 })

export class Texts {
  readonly #chunks = [newChunk()]
  /** Numbers of chunks that are free again. */
  readonly #free: number[] = []
  /** The number of the chunk that is being filled, its texts and their length. */
  #number = 0
  #texts: string[] = []
  #length = 0

  /** The chunk and the position of the texts that `add` adds next. The texts of one row are added before the next row begins. */
  begin(): { chunk: number; start: number } {
    if (this.#length >= FULL) this.#close()
    this.#chunks[this.#number]!.rows++
    return { chunk: this.#number, start: this.#length }
  }

  add(text: string): void {
    this.#texts.push(text)
    this.#length += text.length
  }

  read(chunk: number, start: number, length: number): string {
    if (chunk === this.#number) this.#close()
    const { bytes, encoding } = this.#chunks[chunk]!
    const width = encoding === 'latin1' ? 1 : 2
    return bytes!.toString(encoding, start * width, (start + length) * width)
  }

  /** Forgets the texts of a row. */
  remove(chunk: number): void {
    const { rows } = this.#chunks[chunk]!
    this.#chunks[chunk]!.rows = rows - 1
    if (rows > 1) return
    if (chunk === this.#number) this.#empty()
    else {
      this.#chunks[chunk] = newChunk()
      this.#free.push(chunk)
    }
  }

  /** Moves the texts out of the heap, and begins another chunk. */
  #close(): void {
    const all = this.#texts.join('')
    const chunk = this.#chunks[this.#number]!
    chunk.encoding = LATIN1.test(all) ? 'latin1' : 'utf16le'
    chunk.bytes = Buffer.from(all, chunk.encoding)
    this.#number = this.#free.pop() ?? this.#chunks.push(newChunk()) - 1
    this.#empty()
  }

  #empty(): void {
    this.#texts = []
    this.#length = 0
  }
}
