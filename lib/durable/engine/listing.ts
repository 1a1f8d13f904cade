/** Reads rows name by name, in portions, so that none keeps the database busy for long. */
import type { Answer, Args, Method, Position, Row } from '../common/store.js'

/** Rows of a portion. */
const MOST = 500

export type Read = <M extends Method>(method: M, args: Args<M>) => Promise<Answer<M>>

/** @param only undefined: of all names */
export async function* rowsOf(
  read: Read,
  low: Position,
  before: number,
  only?: string,
): AsyncGenerator<Row, void> {
  for (const name of only === undefined ? await read('names', {}) : [only]) {
    for (let from: Position | null = low; from !== null; ) {
      const portion: Answer<'portion'> = await read('portion', { name, low: from, before, most: MOST })
      yield* portion.rows
      from = portion.next
    }
  }
}
