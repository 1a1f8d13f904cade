/** Reads rows of all names in the order of their due times, in portions, so that none keeps the database busy for long. */
import type { Answer, Args, Method, Position, Row } from '../common/store.js'

/** Rows of a portion, and the least of one if there are many names. */
const MOST = 500
const LEAST = 20

export type Read = <M extends Method>(method: M, args: Args<M>) => Promise<Answer<M>>

/** The rest of a portion. */
interface Source {
  rows: Row[]
  /** The index of the next row. */
  first: number
  next: Position | null
}

/** @param name undefined: all names */
export async function* rowsOf(
  read: Read,
  low: Position,
  before: number,
  name?: string,
): AsyncGenerator<Row, void> {
  const names = name === undefined ? await read('names', {}) : [name]
  const most = Math.max(Math.floor(MOST / names.length), LEAST)
  /** In the order in which their next rows are due. */
  const sources: Source[] = []
  function file(source: Source): void {
    const due = (one: Source): number => one.rows[one.first]!.due
    const later = sources.findIndex((one) => due(one) > due(source))
    sources.splice(later < 0 ? sources.length : later, 0, source)
  }
  async function fill(name: string, from: Position): Promise<void> {
    const portion = await read('portion', { name, low: from, before, most })
    if (portion.rows.length > 0) file({ ...portion, first: 0 })
  }
  for (const one of names) await fill(one, low)
  for (let source = sources.shift(); source !== undefined; source = sources.shift()) {
    const row = source.rows[source.first++]!
    yield row
    if (source.first < source.rows.length) file(source)
    else if (source.next !== null) await fill(row.name, source.next)
  }
}

/** Counts rows in portions, because a count of millions takes a second, in which no timer would be stored. */
export async function countOf(read: Read, low: Position, before: number, only?: string): Promise<number> {
  let count = 0
  for (const name of only === undefined ? await read('names', {}) : [only]) {
    for (let from: Position | null = low; from !== null; ) {
      const part: Answer<'count'> = await read('count', { name, low: from, before })
      count += part.rows
      from = part.next
    }
  }
  return count
}
