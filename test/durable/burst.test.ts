/** A burst of starts, which its acknowledgements wait for. */
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { DurableTimers } from 'timeout-wheel/durable'
import { temporaryFolder } from '../temporary-folder.js'

const folder = temporaryFolder()

it('acknowledges what has run when a store is closed among thousands of starts', async () => {
  const file = join(folder, 'timers.sqlite')
  const errors: Error[] = []
  const onError = (error: Error) => errors.push(error)
  const runs = new Map<string, number>()
  const count = ({ key }: { key?: string | undefined }) => runs.set(key!, (runs.get(key!) ?? 0) + 1)
  const first = await DurableTimers.open(file, { onError })
  let closed: Promise<void> | undefined
  first.on('a', (run) => {
    count(run)
    if (runs.size === 1_500) closed = first.close()
  })
  const due = Date.now() + 400
  const rows = Array.from({ length: 3_000 }, (_, i) => ({ key: `${i}`, at: due }))
  await first.setMany('a', rows)
  while (closed === undefined) await new Promise((resolve) => setTimeout(resolve, 10))
  await closed
  expect(runs.size).toBeLessThan(3_000)
  const second = await DurableTimers.open(file, { onError })
  second.on('a', count)
  while (runs.size < 3_000) await new Promise((resolve) => setTimeout(resolve, 10))
  while ((await second.stats()).pending > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  expect([...new Set(runs.values())]).toEqual([1])
  await second.close()
  expect(errors).toEqual([])
}, 30_000)
