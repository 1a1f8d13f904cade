/** Recipes of docs/durable.md. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { DurableTimers } from 'timeout-wheel/durable'
import { outputOf } from '../../.tooling/child.cjs'
import { samplesOf } from '../docs/samples.js'
import { temporaryFolder } from '../temporary-folder.js'

const folder = temporaryFolder()

/** The code of the document that has these words. */
const recipe = (words: string): string =>
  samplesOf('docs/durable.md').find(({ code }) => code.includes(words))!.code

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
