/** What `register` adds to the start of a program: time of the processor, and memory. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { ROOT, runNode } from '../child.js'

const RUNS = 9

/** A program of two files and its costs: milliseconds of the processor, and megabytes. */
const FILES = {
  'part.cjs': 'module.exports = 1',
  'main.cjs': `
    require('./part.cjs')
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
  // The least of several runs: whatever else the machine does only adds to a run.
  const least = (runs: number[][], i: number): number => Math.min(...runs.map((run) => run[i]!))
  expect(least(withRegister, 0) - least(without, 0)).toBeLessThan(12)
  expect(least(withRegister, 1) - least(without, 1)).toBeLessThan(3)
})
