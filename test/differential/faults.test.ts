/** The comparison finds each fault of faults.cjs within a few programs. */
import { describe, expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { compare } from './compare.js'
import { FAULTS } from './faults.cjs'
import { programOf } from './program.js'
import { type Outcome, runOn } from './run.js'

/** A fault must show in one of these programs. They are always the same, because this test checks the comparison. */
const PROGRAMS = 60

const onNode = new Map<number, Promise<Outcome>>()

function runOnNode(seed: number): Promise<Outcome> {
  const outcome = onNode.get(seed) ?? runOn('node', programOf(seed))
  onNode.set(seed, outcome)
  return outcome
}

async function isFound(fault: string): Promise<boolean> {
  for (let seed = 1; seed <= PROGRAMS; seed++) {
    const program = programOf(seed)
    const { difference } = compare(await runOnNode(seed), await runOn('native', program, fault))
    if (difference === undefined) continue
    // Caused by the fault and nothing else.
    expect(compare(await runOnNode(seed), await runOn('native', program)).difference).toBeUndefined()
    return true
  }
  return false
}

describe('the comparison', () => {
  // All of them if the comparison itself is in question.
  it.each(Object.keys(FAULTS).slice(0, scaled(3, Infinity)))('finds a wheel that %s', async (fault) => {
    expect(await isFound(fault)).toBe(true)
  })
})
