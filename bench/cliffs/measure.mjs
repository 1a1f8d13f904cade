/**
 * Measures worlds. Each contender has a new process in each world, so that no world affects the next.
 *
 * @import { Contender } from '../contenders/index.mjs'
 * @import { Summary } from '../runner/statistics.mjs'
 * @import { Figures } from './judge.mjs'
 * @import { Work, World } from './worlds.mjs'
 */

import { withOwnProcesses } from '../runner/processes.mjs'
import { summarize } from '../runner/statistics.mjs'
import { NATIVE } from './judge.mjs'
import { keyOf } from './worlds.mjs'

/** More native timers than these take too long to set, and too much memory beside the other processes. */
const MANY = 1_000_000
/** Mebibytes of the JavaScript heap. */
const heap = 8_192

/** @typedef {Map<string, Summary>} Measured */

/**
 * @param {World} world
 * @param {string} contender
 * @param {string} operation
 */
const cellKey = (world, contender, operation) => `${keyOf(world)}|${contender}|${operation}`

/**
 * @param {Measured} measured
 * @returns {Figures}
 */
export const figuresOf = (measured) => (world, contender, operation) =>
  measured.get(cellKey(world, contender, operation))

/**
 * @param {Contender} contender
 * @param {World} world
 * @param {Work[]} works
 */
function isAble({ group, api }, world, works) {
  if (group === NATIVE) return !works.includes('advance') && world.pending <= MANY
  // Ten million timers of both builds at once would need twice the memory.
  if (group === 'wasm' && world.pending > MANY) return false
  return api !== 'numbers' || world.ref
}

/**
 * Whether a sample waits longer than half a second for its timers.
 *
 * @param {Work} work
 * @param {World} world
 */
const waits = (work, { delay, tick }) =>
  work === 'fire' && Math.max(delay, tick === 'shared' ? 1 : tick) > 500

/**
 * @param {{ world: World, works: Work[] }} asked
 * @param {Contender[]} contenders
 * @param {(contender: Contender) => number} turnsOf
 * @param {Measured} measured  The figures are added to it.
 */
export async function measureWorld({ world, works }, contenders, turnsOf, measured) {
  const able = contenders.filter((one) => isAble(one, world, works))
  const process = {
    file: 'cliffs.mjs',
    args: [JSON.stringify(world)],
    ...(world.pending > MANY ? { heap } : {}),
  }
  await withOwnProcesses(
    able,
    async (ask) => {
      for (const work of works) {
        /** @type {Map<string, Record<string, number>[]>} */
        const samples = new Map(able.map(({ id }) => [id, []]))
        // The first sample is dropped, because code is compiled in it. Garbage is collected after it.
        const limit = waits(work, world) ? 3 : Infinity
        for (let turn = 0; turn <= Math.min(limit, Math.max(...able.map(turnsOf))); turn++) {
          for (const contender of able.filter((one) => turn <= turnsOf(one))) {
            const sample = await ask(contender, work, { collect: turn === 1 })
            if (turn > 0) samples.get(contender.id)?.push(sample)
          }
        }
        for (const [id, taken] of samples) keepFigures(measured, world, id, taken)
      }
      return []
    },
    process,
  )
}

/**
 * @param {Measured} measured
 * @param {World} world
 * @param {string} id
 * @param {Record<string, number>[]} samples
 */
function keepFigures(measured, world, id, samples) {
  for (const operation of Object.keys(samples[0] ?? {})) {
    const values = samples.flatMap((sample) => sample[operation] ?? [])
    if (values.length === samples.length) measured.set(cellKey(world, id, operation), summarize(values))
  }
}
