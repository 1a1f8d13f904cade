/**
 * Random programs of timer calls behave the same on Node's timers and on both of our builds. compare.ts says what must match.
 * TIMEOUT_WHEEL_SEED=n runs only the program of that seed, TIMEOUT_WHEEL_PROGRAMS=n runs n programs.
 */
import { availableParallelism } from 'node:os'
import { newSeed } from '../contract/random.js'
import type { Outcome } from '../node/child.js'
import { compare } from './compare.js'
import { FAULTS } from './faults.cjs'
import { programOf } from './program.js'
import { runOn } from './run.js'

const ONLY = process.env.TIMEOUT_WHEEL_SEED
const PROGRAMS = Number(process.env.TIMEOUT_WHEEL_PROGRAMS ?? 8)
/** The least share of programs that are compared to their ends. With fewer, the test would check too little. */
const LEAST_COMPLETE = 0.5
const SECONDS_PER_PROGRAM = 5

const first = ONLY === undefined ? newSeed() : Number(ONLY)
const seeds = ONLY === undefined ? Array.from({ length: PROGRAMS }, (_, i) => first + i) : [first]

it.each(['native', 'wasm'] as const)(
  `does the same as Node's timers on %s in ${seeds.length} programs from seed ${first} on`,
  async (subject) => {
    const beside = subject === 'wasm' ? 'node-beside-wasm' : 'node'
    const waiting = seeds.map(programOf)
    const differences: string[] = []
    let complete = 0
    // One program per processor at a time.
    const work = async (): Promise<void> => {
      for (let program = waiting.shift(); program !== undefined; program = waiting.shift()) {
        const comparison = compare(await runOn(beside, program), await runOn(subject, program))
        if (comparison.complete) complete++
        const { difference } = comparison
        if (difference !== undefined) differences.push(`TIMEOUT_WHEEL_SEED=${program.seed}:\n${difference}`)
      }
    }
    await Promise.all(Array.from({ length: availableParallelism() }, work))
    expect(differences).toEqual([])
    if (ONLY === undefined) expect(complete).toBeGreaterThanOrEqual(LEAST_COMPLETE * seeds.length)
  },
  60_000 + 1000 * SECONDS_PER_PROGRAM * seeds.length,
)

/** A fault must show in one of these programs. They are always the same, because this test checks the comparison. */
const FAULT_SEEDS = Array.from({ length: 60 }, (_, i) => i + 1)
const onNode = new Map<number, Promise<Outcome>>()

it.each(Object.keys(FAULTS))('finds, by the comparison, a wheel that %s', async (fault) => {
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
})
