/** The native core, the addon and WebAssembly agree to the byte in all memory that both sides use, in programs of the model test. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import type { Core } from '../../lib/memory/core.js'
import { openWasmCore } from '../../lib/memory/wasm-core.js'
import { openNativeCore } from '../../lib/node/drivers/native.js'
import { scaled } from '../scale.js'
import { Replay } from './replay.js'

/** write_traces.cc writes this file and describes its format. */
const FILE = join(__dirname, '../../build/traces/core.bin')

const FEWEST_CALLS = scaled(20_000, 100_000)

interface Program {
  seed: number
  calls: Uint32Array
  answers: Uint32Array
}

function readPrograms(): Program[] {
  if (!existsSync(FILE)) throw new Error(`${FILE} is missing: node .tooling/prepare.mjs makes it`)
  const bytes = readFileSync(FILE)
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
  const programs: Program[] = []
  for (let at = 0; at < words.length; ) {
    const [seed, calls, answers] = words.subarray(at, at + 3)
    const [callsAt, answersAt] = [at + 3, at + 3 + calls!]
    at = answersAt + answers!
    programs.push({
      seed: seed!,
      calls: words.subarray(callsAt, answersAt),
      answers: words.subarray(answersAt, at),
    })
  }
  return programs
}

/** Returns the number of calls. Stops at the first call with another result, and names it. */
function replay(core: Core, { seed, calls, answers }: Program): number {
  const run = new Replay(core)
  let count = 0
  for (let at = 0, compared = 0; at < calls.length; count++) {
    const call = at
    at = run.step(calls, at)
    for (; compared < run.answers.length; compared++) {
      if (run.answers[compared] === answers[compared]) continue
      throw new Error(
        `TIMEOUT_WHEEL_SEED=${seed}, call ${count}, ${Replay.show(calls, call)}: ` +
          `result ${compared} is ${run.answers[compared]}, natively ${answers[compared]}`,
      )
    }
  }
  expect(run.answers.length).toBe(answers.length)
  return count
}

it.each([
  ['the addon', openNativeCore],
  ['WebAssembly', openWasmCore],
])(`returns the results of the native core from at least ${FEWEST_CALLS} calls: %s`, (_name, open) => {
  const calls = readPrograms().map((program) => replay(open(), program))
  expect(calls.reduce((a, b) => a + b)).toBeGreaterThanOrEqual(FEWEST_CALLS)
})
