/** Turns, medians, child processes: how things are measured. What is measured is in `parts/`. */

import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * @import { ChildProcess } from 'node:child_process'
 * @import { Contender, Group } from './contenders.mjs'
 * @import { Progress } from './progress.mjs'
 *
 * @typedef {{ median: number, min: number, max: number, turns: number }} Summary
 *
 * @typedef {object} Metric
 * @property {string} key
 * @property {string} label
 * @property {string} unit
 * @property {number} [digits]  Decimals shown, 0 unless given.
 *
 * @typedef {object} Row
 * @property {string} id
 * @property {string} label
 * @property {Group} group
 * @property {Record<string, Summary>} values  By metric key.
 * @property {string} [against]  The id of the row it is compared with; the native one unless given.
 *
 * @typedef {object} Settings
 * @property {number | undefined} turns  Instead of the part's own number.
 * @property {number} timers  How many are pending, or fire, in the large parts.
 * @property {number} seconds  How long the service is under load in each turn.
 *
 * @typedef {{ title: string, note: string }} Description  The note is the method and its caveats.
 *
 * @typedef {object} Part
 * @property {string} name
 * @property {Metric[]} metrics  The first is the one compared with native and charted. Less is better.
 * @property {(settings: Settings) => Description} describe
 * @property {(contenders: Contender[], settings: Settings, progress: Progress) => Promise<Row[]>} run
 */

setFlagsFromString('--expose-gc')
/** @type {() => void} Runs a full garbage collection. */
export const collectGarbage = runInNewContext('gc')

/**
 * @param {ArrayLike<number>} samples
 * @returns {Summary}
 */
export function summarize(samples) {
  const sorted = Float64Array.from(samples).sort()
  const { length } = sorted
  const median = (sorted[(length - 1) >> 1] + sorted[length >> 1]) / 2
  return { median, min: sorted[0], max: sorted[length - 1], turns: length }
}

/**
 * @param {Float64Array} sorted
 * @param {number} fraction  of the samples that are no larger
 */
export const quantile = (sorted, fraction) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))]

/**
 * Measures the contenders in turn, A B C A B C ..., so that a slow spell of the machine falls on all of them.
 *
 * @param {Contender[]} contenders
 * @param {object} options
 * @param {string} options.name
 * @param {number} options.turns
 * @param {boolean} [options.warmUp]  Whether a first turn is run and dropped.
 * @param {Progress} options.progress
 * @param {(contender: Contender) => Promise<Record<string, number>>} measure  One value per metric key.
 * @returns {Promise<Row[]>}
 */
export async function inTurn(contenders, { name, turns, warmUp = false, progress }, measure) {
  /** @type {Map<Contender, Record<string, number>[]>} */
  const samples = new Map(contenders.map((contender) => [contender, []]))
  for (let turn = warmUp ? 0 : 1; turn <= turns; turn++) {
    const step = turn === 0 ? `${name}: warm-up` : `${name}: turn ${turn} of ${turns}`
    for (const contender of contenders) {
      progress.show(step, contender.label)
      const sample = await measure(contender)
      if (turn > 0) samples.get(contender)?.push(sample)
    }
  }
  return contenders.map((contender) => toRow(contender, samples.get(contender) ?? []))
}

/**
 * @param {Contender} contender
 * @param {Record<string, number>[]} samples
 * @returns {Row}
 */
function toRow({ id, label, group }, samples) {
  const keys = Object.keys(samples[0] ?? {})
  const values = Object.fromEntries(keys.map((key) => [key, summarize(samples.map((sample) => sample[key]))]))
  return { id, label, group, values }
}

/**
 * Gives each contender a process of its own for the timed loops: in a shared one, the engine would compile the package's
 * functions for all contenders at once, as no program does.
 *
 * @param {Contender[]} contenders
 * @param {(ask: (contender: Contender, loop: string, options: object) => Promise<number>) => Promise<Row[]>} measure
 *   `ask` runs a function of `loops.mjs` there, and returns its result
 */
export async function withOwnProcesses(contenders, measure) {
  /** @type {Map<Contender, ChildProcess>} */
  const children = new Map()
  for (const contender of contenders) children.set(contender, startChild('loops.mjs', [contender.id]))
  try {
    return await measure((contender, loop, options) => {
      const child = /** @type {ChildProcess} */ (children.get(contender))
      const answer = nextMessage(child)
      child.send({ loop, options })
      return answer
    })
  } finally {
    for (const child of children.values()) child.kill()
  }
}

/**
 * Starts a file of `children/` with a message channel.
 *
 * @param {string} file
 * @param {(string | number)[]} args
 * @returns {ChildProcess}
 */
export const startChild = (file, args) =>
  fork(fileURLToPath(new URL(`./children/${file}`, import.meta.url)), args.map(String), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })

/**
 * The next message of a child; rejects if it ends without one.
 *
 * @param {ChildProcess} child
 * @returns {Promise<any>}
 */
export const nextMessage = (child) =>
  new Promise((resolve, reject) => {
    /** @param {number | null} code */
    const onExit = (code) => reject(new Error(`${child.spawnargs[2]} ended with code ${code} and no result`))
    child.once('exit', onExit)
    child.once('message', (message) => {
      child.off('exit', onExit)
      resolve(message)
    })
  })

/**
 * Runs a child to its end and returns the one message it sends.
 *
 * @param {string} file
 * @param {(string | number)[]} args
 * @returns {Promise<any>}
 */
export async function runChild(file, args) {
  const child = startChild(file, args)
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const message = await nextMessage(child)
  await exited
  return message
}

/**
 * Numbers in [0, 1) that are the same in every run (mulberry32).
 *
 * @param {number} seed
 */
export function randomNumbers(seed) {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * @param {number} count
 * @param {() => number} random
 * @returns {Uint32Array} 0 .. count - 1 in random order
 */
export function shuffledIndices(count, random) {
  const order = Uint32Array.from({ length: count }, (_, i) => i)
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const swapped = order[i]
    order[i] = order[j]
    order[j] = swapped
  }
  return order
}
