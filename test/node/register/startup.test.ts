/** `register` adds little to the memory of a program, and a first timer loads little. The part `register` of the benchmark measures its start-up time. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { temporaryFolder } from '../../temporary-folder.js'
import { ROOT, runNode } from '../child.js'

const RUNS = 5
/** Prints the megabytes of the process that belong to no file. */
const PRINT_MEMORY = `const memory = require('node:fs').readFileSync('/proc/self/smaps_rollup', 'utf8')
process._rawDebug(memory.match(/Anonymous:\\s*(\\d+)/)[1] / 1024)`

const folder = temporaryFolder()
const fileOf = (name: string, text = ''): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

// Pages of Node's own file, which all processes share, do not count: how many the system maps depends on what it has in its cache.
it('adds at most 2 MB on either backend', async () => {
  // With many files, V8 compiles the search for files in every run, which adds 2 MB in any case.
  const parts = Array.from({ length: 10 }, (_, i) => `./part${i}.cjs`)
  for (const part of parts) fileOf(part, 'module.exports = 1')
  const load = `for (const part of ${JSON.stringify(parts)}) require(part)`
  const main = fileOf('main.cjs', `${load}\n${PRINT_MEMORY}`)
  const preloads = [
    [fileOf('empty.cjs'), ''],
    [join(ROOT, 'dist/register.cjs'), 'native'],
    [join(ROOT, 'dist/register.cjs'), 'wasm'],
  ] as const
  const all: number[][] = preloads.map(() => [])
  for (let i = 0; i < RUNS; i++) {
    for (const [which, [preloaded, TIMEOUT_WHEEL_BACKEND]] of preloads.entries()) {
      const { code, stderr } = await runNode(['--require', preloaded, main], { TIMEOUT_WHEEL_BACKEND })
      expect([code, Number(stderr) > 0]).toEqual([0, true])
      all[which]!.push(Number(stderr))
    }
  }
  // On a busy machine, V8 compiles more in some of the runs.
  const [without, native, wasm] = all.map((some) => Math.min(...some))
  expect(native! - without!).toBeLessThan(2)
  expect(wasm! - without!).toBeLessThan(2)
})

it.each(['native', 'wasm'])(
  'takes the real clock if a test tool has faked it before the import (%s)',
  async (backend) => {
    const program = `
    const start = process.uptime()
    require('@sinonjs/fake-timers').install()
    require('timeout-wheel/${backend}').setTimeout(() => console.log(process.uptime() - start >= 0.02), 20)`
    expect((await runNode(['-e', program])).lines).toEqual(['true'])
  },
)
