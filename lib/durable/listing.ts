/** Reads rows of all names in the order of their due times, in portions, so that none keeps the database busy for long. */
import type { Answer, Args, Method, Position, Row } from './common/store.js'

/** Rows of a portion, and the least of one if there are many names. */
const MOST = 500
const LEAST = 20

export type Read = <M extends Method>(method: M, args: Args<M>) => Promise<Answer<M>>

interface Source {
  name: string
  rows: Row[]
  /** The index of the next row. */
  first: number
  next: Position | null
}

const dueOf = ({ rows, first }: Source): number => rows[first]!.due

/** Puts a source where its next row is due. */
function file(sources: Source[], source: Source): void {
  let [from, to] = [0, sources.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (dueOf(source) < dueOf(sources[middle]!)) to = middle
    else from = middle + 1
  }
  sources.splice(from, 0, source)
}

/** @param name undefined: all names */
export async function* rowsOf(
  read: Read,
  low: Position,
  before: number,
  name: string | undefined,
): AsyncGenerator<Row, void> {
  const names = name === undefined ? await read('names', {}) : [name]
  const most = Math.max(Math.floor(MOST / names.length), LEAST)
  const sources: Source[] = []
  async function fill(name: string, from: Position): Promise<void> {
    const portion = await read('portion', { name, low: from, before, most })
    if (portion.rows.length > 0) file(sources, { name, ...portion, first: 0 })
  }
  for (const one of names) await fill(one, low)
  for (let source = sources.shift(); source !== undefined; source = sources.shift()) {
    yield source.rows[source.first++]!
    if (source.first < source.rows.length) file(sources, source)
    else if (source.next !== null) await fill(source.name, source.next)
  }
}

/** Counts rows in portions, because a count of millions takes a second, in which no timer would be stored. */
export async function countOf(
  read: Read,
  low: Position,
  before: number,
  only: string | undefined,
): Promise<number> {
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
