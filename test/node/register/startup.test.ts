/** What `register` adds to the memory of a program. The time of its start is a benchmark: the part `register`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { ROOT, runNode } from '../child.js'

const RUNS = 9

/**
 * A program, which prints the megabytes that it takes. It has many files: to find a few, V8 begins to compile the search
 * for them, and its compiler is 2 MB of the program's memory from then on, with or without `register`.
 */
const PARTS = Array.from({ length: 10 }, (_, i) => `part${i}.cjs`)
const FILES = {
  ...Object.fromEntries(PARTS.map((name) => [name, 'module.exports = 1'])),
  'main.cjs': `
    for (const part of ${JSON.stringify(PARTS)}) require('./' + part)
    process._rawDebug(process.memoryUsage.rss() / 2 ** 20)`,
  'empty.cjs': '',
}

it.each(['native', 'wasm'])('adds at most 3 MB on %s', async (backend) => {
  const folder = mkdtempSync(join(tmpdir(), 'timeout-wheel-'))
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
  const memoryOf = async (preloaded: string): Promise<number> => {
    const env = { TIMEOUT_WHEEL_BACKEND: backend }
    const { stderr } = await runNode(['--require', preloaded, join(folder, 'main.cjs')], env)
    return Number(stderr)
  }
  const without: number[] = []
  const withRegister: number[] = []
  try {
    for (let i = 0; i < RUNS; i++) {
      without.push(await memoryOf(join(folder, 'empty.cjs')))
      withRegister.push(await memoryOf(join(ROOT, 'dist/register.cjs')))
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  const median = (all: number[]): number => all.sort((a, b) => a - b)[RUNS >> 1]!
  expect(median(withRegister) - median(without)).toBeLessThan(3)
})
