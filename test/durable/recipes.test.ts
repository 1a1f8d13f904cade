/** Recipes of docs/durable.md. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { DurableTimers, manualClock } from 'timeout-wheel/durable'
import { outputOf } from '../../.tooling/child.cjs'
import { samplesOf } from '../docs/samples.js'
import { temporaryFolder } from '../temporary-folder.js'

const folder = temporaryFolder()

/** The code of the document that has these words. */
const recipe = (words: string): string =>
  samplesOf('docs/durable.md').find(({ code }) => code.includes(words))!.code

it('bills each month once, with the month of the scheduled time', async () => {
  const code = recipe("timers.on('bill'").replace(/await timers\.set/, 'return timers.set')
  const clock = manualClock(new Date('2027-01-31T05:00Z'))
  await using timers = await DurableTimers.open(':memory:', { clock, onError: () => {} })
  const charged: unknown[] = []
  let attempts = 0
  const charge = async (customer: number, month: string) => {
    if (++attempts % 3 !== 0) throw new Error('declined')
    charged.push(`${customer} ${month}`)
  }
  await Function('timers', 'charge', code)(timers, charge)
  await timers.advance(90 * 24 * 3_600_000)
  expect(charged).toEqual(['17 2027-01', '17 2027-02', '17 2027-03', '17 2027-04'])
})

it('backs up a file while timers are set, from which a store opens', async () => {
  const timers = await DurableTimers.open(join(folder, 'timers.db'))
  await timers.set('a', { key: 'before', delay: 200, data: { n: 1 } })
  writeFileSync(join(folder, 'backup.mjs'), recipe('VACUUM INTO'))
  let isDone = false
  const options = { cwd: folder, limit: 30_000 }
  const backup = outputOf(process.execPath, ['--no-warnings', 'backup.mjs'], options).finally(() => {
    isDone = true
  })
  for (let i = 0; !isDone; i++) await timers.set('a', { key: `${i}`, delay: 1e9 })
  await backup
  await timers.close()
  await using restored = await DurableTimers.open(join(folder, 'timers-backup.db'))
  const ran = new Promise((resolve) => restored.on('a', ({ key, data }) => resolve([key, data])))
  expect(await ran).toEqual(['before', { n: 1 }])
}, 60_000)
