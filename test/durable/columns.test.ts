/** The rows that are held, in columns: what is read is what was written, whatever was removed or written between. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from '@jest/globals'
import { Columns } from '../../lib/durable/columns.js'
import type { Row } from '../../lib/durable/store.js'
import { randomFrom } from '../contract/random-from.cjs'

const random = randomFrom(7)

const TEXTS = [
  null,
  '',
  'a',
  'a'.repeat(13),
  'Zoë \0\xff',
  '時計',
  '⏰ \ud800',
  'x'.repeat(70_000),
  'ñ'.repeat(700),
]

let ids = 0
const anyRow = (): Row => ({
  ...{ due: random.below(2 ** 52), id: ++ids, fence: random.below(2 ** 40), tries: random.below(9) },
  ...{
    name: random.pick(['a', 'b', 'é']),
    key: random.pick(TEXTS),
    data: random.pick(TEXTS),
    rule: random.pick(TEXTS),
    error: random.pick(TEXTS),
  },
})

it('keeps rows whose texts have all kinds of characters and lengths', () => {
  const columns = new Columns()
  const rows = new Map<number, { row: Row; owner: number }>()
  const check = (place: number): void => {
    const { row, owner } = rows.get(place)!
    expect(columns.row(place)).toEqual(row)
    expect(columns.identity(place)).toEqual({ id: row.id, fence: row.fence })
    expect([columns.due(place), columns.owner(place)]).toEqual([row.due, owner])
  }
  // Grows to hundreds of rows, then goes back to none, twice.
  for (const share of [0.8, 0.2, 0.8, 0.2]) {
    for (let i = 0; i < 1_000 && (share > 0.5 || rows.size > 0); i++) {
      const row = anyRow()
      const owner = random.below(9)
      const place = random.pick([...rows.keys()])
      if (rows.size === 0 || random.below(10) < share * 10) rows.set(columns.add(row, owner), { row, owner })
      else if (random.below(2) === 0) {
        columns.write(place, row, owner)
        rows.set(place, { row, owner })
      } else {
        check(place)
        columns.remove(place)
        rows.delete(place)
      }
      if (random.below(3) === 0 && rows.size > 0) check(random.pick([...rows.keys()]))
      expect(columns.size).toBe(rows.size)
    }
    for (const place of rows.keys()) check(place)
  }
  for (const place of rows.keys()) columns.remove(place)
  expect(columns.size).toBe(0)
})

it('frees the memory of texts whose rows are gone', () => {
  const columns = new Columns()
  const text = 'x'.repeat(2 ** 16)
  const row = { ...anyRow(), key: null, data: text, rule: null, error: null }
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  gc()
  const before = process.memoryUsage().arrayBuffers
  for (let i = 0; i < 1_000; i++) {
    const place = columns.add(row, 1)
    expect(columns.row(place).data).toBe(text)
    columns.remove(place)
  }
  gc()
  // Less than ten of the texts.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * 2 ** 16)
})
