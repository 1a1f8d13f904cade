/** The statements that read timers, in portions, so that none keeps the thread busy for long. */
import { FAILED, type Portion, type Position, type Row } from '../common/store.js'
import type { Connection } from './connection.js'

export const COLUMNS = 'due, id, fence, tries, name, key, data, rule, error'

/** Bytes of a claim or of a portion, but for the last row. */
export const MOST_BYTES = 2 ** 22
/** Rows that a portion looks at. */
const LOOKED_AT = 2_000
const MOST_ROWS = 500
const COUNTED = 50_000
const FORGOTTEN = 500

/** About how many bytes a row takes in a message. */
export const sizeOf = ({ data }: Pick<Row, 'data'>): number => 100 + (data?.length ?? 0)

export class Rows {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  portion(low: Position, before: number, name: string | undefined): Portion {
    const rows: Row[] = []
    let next: Position | undefined
    let [lookedAt, bytes] = [0, 0]
    const found = this.#connection
      .sql(`SELECT ${COLUMNS} FROM @timer WHERE (due, id) > (?, ?) AND due < ? ORDER BY due, id`)
      .iterate(...low, before) as Iterable<unknown> as Iterable<Row>
    for (const row of found) {
      if (next !== undefined) return { rows, next }
      if (name === undefined || row.name === name) {
        rows.push(row)
        bytes += sizeOf(row)
      }
      if (++lookedAt >= LOOKED_AT || rows.length >= MOST_ROWS || bytes > MOST_BYTES) next = [row.due, row.id]
    }
    return { rows, next: undefined }
  }

  count(low: Position, before: number): { rows: number; next: Position | undefined } {
    const after = 'FROM @timer WHERE (due, id) > (?, ?) AND due < ?'
    const last = this.#connection
      .sql(`SELECT due, id ${after} ORDER BY due, id LIMIT 1 OFFSET ${COUNTED - 1}`)
      .get(...low, before) as { due: number; id: number } | undefined
    if (last !== undefined) return { rows: COUNTED, next: [last.due, last.id] }
    const { n } = this.#connection.sql(`SELECT count(*) AS n ${after}`).get(...low, before) as { n: number }
    return { rows: n, next: undefined }
  }

  forget(before: number): boolean {
    const { changes } = this.#connection
      .sql(
        `DELETE FROM @timer WHERE (due, id) IN
         (SELECT due, id FROM @timer WHERE due >= ${FAILED} AND due < ? ORDER BY due, id LIMIT ${FORGOTTEN})`,
      )
      .run(FAILED + before)
    return changes === FORGOTTEN
  }
}
