/** Reads rows name by name, in portions, so that none keeps the database busy for long. */
import type { Answer, Args, Method, Position, Row } from '../common/store.js'

/** Rows of a portion. */
const MOST = 500

export type Read = <M extends Method>(method: M, args: Args<M>) => Promise<Answer<M>>

/** @param name undefined: all names */
const namesOf = async (read: Read, name?: string): Promise<string[]> =>
  name === undefined ? read('names', {}) : [name]

export async function* rowsOf(
  read: Read,
  low: Position,
  before: number,
  only?: string,
): AsyncGenerator<Row, void> {
  for (const name of await namesOf(read, only)) {
    for (let from: Position | null = low; from !== null; ) {
      const portion: Answer<'portion'> = await read('portion', { name, low: from, before, most: MOST })
      yield* portion.rows
      from = portion.next
    }
  }
}

/** A count of millions takes a second, in which no timer would be stored. */
export async function countOf(read: Read, low: Position, before: number, only?: string): Promise<number> {
  let count = 0
  for (const name of await namesOf(read, only)) {
    for (let from: Position | null = low; from !== null; ) {
      const part: Answer<'count'> = await read('count', { name, low: from, before })
      count += part.rows
      from = part.next
    }
  }
  return count
}
