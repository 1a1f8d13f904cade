/** What `register` adds to the start of a program: time of the processor, and memory. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { ROOT, runNode } from '../child.js'

const RUNS = 9

/**
 * A program and its costs: milliseconds of the processor, and megabytes. It has many files: to find a few, V8 begins to
 * compile the search for them, and its compiler is 2 MB of the program's memory from then on, with or without `register`.
 */
const PARTS = Array.from({ length: 10 }, (_, i) => `part${i}.cjs`)
const FILES = {
  ...Object.fromEntries(PARTS.map((name) => [name, 'module.exports = 1'])),
  'main.cjs': `
    for (const part of ${JSON.stringify(PARTS)}) require('./' + part)
    const { user, system } = process.cpuUsage()
    process._rawDebug(JSON.stringify([(user + system) / 1_000, process.memoryUsage.rss() / 2 ** 20]))`,
  'empty.cjs': '',
}

it.each(['native', 'wasm'])('adds at most 12 ms and 3 MB on %s', async (backend) => {
  const folder = mkdtempSync(join(tmpdir(), 'timeout-wheel-'))
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
  const costs = async (preloaded: string): Promise<number[]> => {
    const env = { TIMEOUT_WHEEL_BACKEND: backend }
    const { stderr } = await runNode(['--require', preloaded, join(folder, 'main.cjs')], env)
    return JSON.parse(stderr) as number[]
  }
  const without: number[][] = []
  const withRegister: number[][] = []
  try {
    for (let i = 0; i < RUNS; i++) {
      without.push(await costs(join(folder, 'empty.cjs')))
      withRegister.push(await costs(join(ROOT, 'dist/register.cjs')))
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  // The least time of several runs: whatever else the machine does only adds to one. Of memory the usual.
  const sorted = (runs: number[][], i: number): number[] => runs.map((run) => run[i]!).sort((a, b) => a - b)
  expect(sorted(withRegister, 0)[0]! - sorted(without, 0)[0]!).toBeLessThan(12)
  const middle = RUNS >> 1
  expect(sorted(withRegister, 1)[middle]! - sorted(without, 1)[middle]!).toBeLessThan(3)
})
