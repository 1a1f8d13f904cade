/** `register` adds little to the memory of a program. The part `register` of the benchmark measures its start-up time. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { ROOT, runNode } from '../child.js'

const RUNS = 9

/**
 * A program that prints its megabytes. It has many files, so that V8 compiles the search for files in every run. V8's
 * compiler then adds 2 MB, with or without `register`.
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
