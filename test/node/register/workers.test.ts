/** A worker thread has its timers replaced if its options or its first module load `register`. */
import { join } from 'node:path'
import type { WorkerOptions } from 'node:worker_threads'
import { describe, expect, it } from '@jest/globals'
import { CLEAN } from '../backends.js'
import { type Outcome, runNode } from '../child.js'

/** Starts workers one after the other, then prints the state of the main thread. */
function start(
  workers: [file: string, options?: WorkerOptions][],
  flags: string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  return runNode([...flags, join(__dirname, 'fixtures/start.mjs'), JSON.stringify(workers)], env)
}

/** Each thread prints whether its globals are ours, and whether the exports of node:timers are. */
const OURS = 'true true'
const NATIVE = 'false false'

describe.each(['--require', '--import'])('%s', (flag) => {
  it.each(['show.cjs', 'show.mjs'])('applies to workers that inherit the flag: %s', async (file) => {
    const outcome = await start([[file], [file, { execArgv: [] }]], [flag, 'timeout-wheel/register'])
    expect(outcome).toEqual({ ...CLEAN, lines: [OURS, NATIVE, OURS] })
  })

  it.each(['show.cjs', 'show.mjs'])('applies to a worker that gets the flag: %s', async (file) => {
    const outcome = await start([[file, { execArgv: [flag, 'timeout-wheel/register'] }], [file]])
    expect(outcome).toEqual({ ...CLEAN, lines: [OURS, NATIVE, NATIVE] })
  })

  it('applies to every worker with the environment if it is in NODE_OPTIONS', async () => {
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

// Workers made with `eval: true` honour only `--require`.
it('applies by --require to workers made with eval: true', async () => {
  const outcome = await runNode(['--require', 'timeout-wheel/register', join(__dirname, 'fixtures/text.mjs')])
  expect(outcome).toEqual({ ...CLEAN, lines: [OURS] })
})

it('replaces the timers of the thread that imports it, and of no other', async () => {
  expect(await start([['import.mjs'], ['show.mjs']])).toEqual({ ...CLEAN, lines: [OURS, NATIVE, NATIVE] })
})

it('restores the timers of the calling thread, and of no other', async () => {
  const outcome = await start([['undo.mjs'], ['show.mjs']], ['--require', 'timeout-wheel/register'])
  expect(outcome).toEqual({ ...CLEAN, lines: [NATIVE, OURS, OURS] })
})
