/**
 * Random programs of timer calls behave the same on Node's timers and on both of our builds. compare.ts says what must match.
 *
 * TIMEOUT_WHEEL_SEED=n runs only the program of that seed, TIMEOUT_WHEEL_PROGRAMS=n runs n programs.
 */
import { availableParallelism } from 'node:os'
import { inspect } from 'node:util'
import { expect, it } from '@jest/globals'
import { newSeed } from '../contract/random.js'
import { scaled } from '../scale.js'
import { type Comparison, compare } from './compare.js'
import { FAULTS } from './faults.cjs'
import { type Program, programOf } from './program.js'
import { type Outcome, runOn, type Subject } from './run.js'
import { shrink } from './shrink.js'

const ONLY = process.env.TIMEOUT_WHEEL_SEED
const PROGRAMS = Number(process.env.TIMEOUT_WHEEL_PROGRAMS ?? 8)
/** The least share of programs that are compared to their ends. With fewer, the test would check too little. */
const LEAST_COMPLETE = 0.5
const SECONDS_PER_PROGRAM = 5

const first = ONLY === undefined ? newSeed() : Number(ONLY)
const seeds = ONLY === undefined ? Array.from({ length: PROGRAMS }, (_, i) => first + i) : [first]

async function compareOn(subject: Subject, program: Program): Promise<Comparison> {
  const node = subject === 'wasm' ? 'node-beside-wasm' : 'node'
  return compare(await runOn(node, program), await runOn(subject, program))
}

async function report(subject: Subject, program: Program): Promise<string> {
  const fails = async (smaller: Program): Promise<boolean> =>
    (await compareOn(subject, smaller)).difference !== undefined
  const small = await shrink(program, fails)
  const { difference } = await compareOn(subject, small)
  return `TIMEOUT_WHEEL_SEED=${program.seed}, made smaller:\n${inspect(small, { depth: null, compact: true, breakLength: 120 })}\n${difference}`
}

it.each(['native', 'wasm'] as const)(
  `does the same as Node's timers on %s in ${seeds.length} programs from seed ${first} on`,
  async (subject) => {
    const waiting = seeds.map(programOf)
    const failed: Program[] = []
    let complete = 0
    // One program per processor at a time.
    const work = async (): Promise<void> => {
      for (let program = waiting.shift(); program !== undefined; program = waiting.shift()) {
        const comparison = await compareOn(subject, program)
        if (comparison.complete) complete++
        if (comparison.difference !== undefined) failed.push(program)
      }
    }
    await Promise.all(Array.from({ length: availableParallelism() }, work))
    if (failed.length > 0) {
      throw new Error(`${failed.length} programs differ. ${await report(subject, failed[0]!)}`)
    }
    if (ONLY === undefined) expect(complete).toBeGreaterThanOrEqual(LEAST_COMPLETE * seeds.length)
  },
  60_000 + 1000 * SECONDS_PER_PROGRAM * seeds.length,
)

/** A fault must show in one of these programs. They are always the same, because this test checks the comparison. */
const FAULT_SEEDS = Array.from({ length: 60 }, (_, i) => i + 1)
const onNode = new Map<number, Promise<Outcome>>()

// All of them if the comparison itself is in question.
it.each(Object.keys(FAULTS).slice(0, scaled(3, Infinity)))(
  'finds, by the comparison, a wheel that %s',
  async (fault) => {
    for (const seed of FAULT_SEEDS) {
      const program = programOf(seed)
      const native = onNode.get(seed) ?? runOn('node', program)
      onNode.set(seed, native)
      const { difference } = compare(await native, await runOn('native', program, fault))
      if (difference === undefined) continue
      // Caused by the fault and nothing else.
      expect(compare(await native, await runOn('native', program)).difference).toBeUndefined()
      return
    }
    throw new Error('no program shows the fault')
  },
)
