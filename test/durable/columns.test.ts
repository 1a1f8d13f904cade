/** The texts of the rows that are held lie outside the heap. model.test.ts reads what it writes, of all kinds. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from '@jest/globals'
import { Columns } from '../../lib/durable/columns.js'

it('frees the memory of texts whose rows are gone', async () => {
  const columns = new Columns()
  const text = 'x'.repeat(2 ** 16)
  const row = { due: 1, id: 1, fence: 0, tries: 0, name: 'a', key: null, data: text, rule: null, error: null }
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  gc()
  const before = process.memoryUsage().arrayBuffers
  for (let i = 0; i < 1_000; i++) {
    const place = columns.add(row, 1)
    expect(columns.row(place).data).toBe(text)
    columns.remove(place)
  }
  const kept = () => process.memoryUsage().arrayBuffers - before
  // Less than ten of the texts. V8 frees the rest in another thread.
  for (let i = 0; i < 1_000 && kept() >= 10 * 2 ** 16; i++) {
    gc()
    await new Promise(setImmediate)
  }
  expect(kept()).toBeLessThan(10 * 2 ** 16)
})
