/** Which worker threads have their timers replaced: those whose options, or first module, say so. */
import { join } from 'node:path'
import type { WorkerOptions } from 'node:worker_threads'
import { describe, expect, it } from '@jest/globals'
import { CLEAN } from '../backends.js'
import { type Outcome, runNode } from '../child.js'

/** Starts workers one after the other, then shows the timers of the main thread. */
function start(
  workers: [file: string, options?: WorkerOptions][],
  flags: string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  return runNode([...flags, join(__dirname, 'fixtures/start.mjs'), JSON.stringify(workers)], env)
}

/** What each prints: whether its globals are ours, and the exports of node:timers. */
const OURS = 'true true'
const NATIVE = 'false false'

describe.each(['--require', '--import'])('%s', (flag) => {
  it.each(['show.cjs', 'show.mjs'])('holds for workers that inherit it: %s', async (file) => {
    const outcome = await start([[file], [file, { execArgv: [] }]], [flag, 'timeout-wheel/register'])
    expect(outcome).toEqual({ ...CLEAN, lines: [OURS, NATIVE, OURS] })
  })

  it.each(['show.cjs', 'show.mjs'])('holds for a worker that is given it: %s', async (file) => {
    const outcome = await start([[file, { execArgv: [flag, 'timeout-wheel/register'] }], [file]])
    expect(outcome).toEqual({ ...CLEAN, lines: [OURS, NATIVE, NATIVE] })
  })

  it('holds in NODE_OPTIONS for every worker that has the environment', async () => {
    const outcome = await start(
      [
        ['show.mjs'],
        ['show.mjs', { execArgv: [] }],
        ['show.mjs', { execArgv: ['--no-warnings'] }],
        ['show.mjs', { execArgv: [], env: {} }],
      ],
      [],
      { NODE_OPTIONS: `${flag}=timeout-wheel/register` },
    )
    expect(outcome).toEqual({ ...CLEAN, lines: [OURS, OURS, OURS, NATIVE, OURS] })
  })
})

// What --import names is not loaded in these: Node's way.
it('holds by --require for workers that are made from a text', async () => {
  const outcome = await runNode(['--require', 'timeout-wheel/register', join(__dirname, 'fixtures/text.mjs')])
  expect(outcome).toEqual({ ...CLEAN, lines: [OURS] })
})

it('replaces the timers of the thread that imports it, and of no other', async () => {
  expect(await start([['import.mjs'], ['show.mjs']])).toEqual({ ...CLEAN, lines: [OURS, NATIVE, NATIVE] })
})

it('puts back the timers of the thread that asks, and of no other', async () => {
  const outcome = await start([['undo.mjs'], ['show.mjs']], ['--require', 'timeout-wheel/register'])
  expect(outcome).toEqual({ ...CLEAN, lines: [NATIVE, OURS, OURS] })
})
