import { causeNames, formatCause } from '../cliffs/causes.mjs'
import { findSuspicions, keepRepeated, NATIVE } from '../cliffs/judge.mjs'
import { makePopulation } from '../cliffs/population.mjs'
import { openTimers } from '../cliffs/timers.mjs'
import * as works from '../cliffs/works.mjs'
import { keyOf, planLines, worldsOf } from '../cliffs/worlds.mjs'
import { formatCount } from '../report/format.mjs'
import { inTurn } from '../runner/in-turn.mjs'
import { collectGarbage } from '../runner/inside.mjs'
import { summarize } from '../runner/statistics.mjs'

/** Minutes. After `walk` no further worlds are measured, after `all` no further repetitions. */
const limits = { full: { walk: 22, all: 28.5 }, short: { walk: 1.5, all: 2.5 } }
/** Each suspicion is measured again so many times, in new processes. */
const REPETITIONS = 2
/** More native timers than these take too long to set, and too much memory beside the other processes. */
const MANY = 1_000_000
const heap = 8_192 // MiB

export default {
  name: 'cliffs',
  title: 'Cliffs: each operation, one axis at a time',
  note:
    'A cell is the CPU time of one operation in one world. Native timers and ours are measured in turn, each world in new processes. ' +
    'Set, clear and refresh: turns of the event loop without an operation are subtracted. Fire: from the last set to the last ' +
    'callback. A cell is listed if it costs over 3 times its neighbour on ' +
    `the axis (figures below 10 ns count as 10), or over 1.03 times native, and if ${REPETITIONS} repetitions show the same.`,
  metrics: [
    { key: 'overNative', label: 'over native', unit: 'cells' },
    { key: 'steep', label: 'over 3 times a neighbour', unit: 'cells' },
  ],
  onRequest: true,

  async run({ contenders, settings, progress, processes }) {
    const started = performance.now()
    const minutes = () => (performance.now() - started) / 60_000
    const full = settings.form === 'full'
    const { walk, all } = full ? limits.full : limits.short
    const groups = full ? ['addon', 'wasm'] : ['addon']
    const isOurs = ({ group, api }) => groups.includes(group) && api !== 'handlesWithoutContext'
    const compared = contenders.filter((one) => one.group === NATIVE || isOurs(one))
    // More turns would leave no time to repeat suspicions.
    const { turns = 3, fewer = turns } = settings
    const lines = planLines(full)
    const asked = worldsOf(lines)

    const measureAll = async (step, some, limit) => {
      const measured = new Map()
      let done = 0
      for (const one of some) {
        if (minutes() > limit) break
        progress.show(`cliffs: ${step}, ${formatCount(++done)} of ${formatCount(some.length)}`)
        await measureWorld(one, compared, { turns, fewer }, measured, processes)
      }
      const figures = (...cell) => measured.get(cellKey(...cell))
      return { measured, figures, skipped: some.length - done }
    }

    const first = await measureAll('world', asked, walk)
    const ours = compared.filter(isOurs).map(({ id }) => id)
    const suspicions = findSuspicions(lines, ours, first.figures)
    let verdict = keepRepeated(suspicions, first.figures, [])
    const repetitions = []
    for (let i = 1; i <= REPETITIONS; i++) {
      // A suspicion that a repetition has refuted is not measured again.
      const left = [...verdict.kept, ...verdict.unrepeated]
      const again = await measureAll(`repetition ${i}`, worldsIn(asked, left), all)
      repetitions.push(again.figures)
      verdict = keepRepeated(suspicions, first.figures, repetitions)
    }
    return report(compared, first, verdict, { worlds: asked.length, minutes: minutes() })
  },

  format({ details }) {
    const { worlds, cells, skipped, dropped, minutes } = details.counts
    const tables = causeNames.map((cause) => `${cause}\n\n${formatCause(details, cause)}`)
    return [
      ...tables,
      `${formatCount(cells)} cells in ${formatCount(worlds)} worlds, in ${minutes.toFixed(1)} minutes. ${dropped} suspicions did not ` +
        `repeat and are dropped; ${skipped} worlds were not measured for lack of time.`,
    ].join('\n\n')
  },
}

function worldsIn(asked, suspicions) {
  const wanted = new Set(suspicions.flatMap(({ world, neighbour = world }) => [world, neighbour].map(keyOf)))
  return asked.filter(({ world }) => wanted.has(keyOf(world)))
}

function report(compared, { measured, skipped }, { kept, dropped, unrepeated }, counts) {
  const rows = compared
    .filter(({ group }) => group !== NATIVE)
    .map(({ id, label, group }) => {
      const count = (kind) => kept.filter((one) => one.contender === id && one.kind === kind).length
      const values = { overNative: summarize([count('native')]), steep: summarize([count('neighbour')]) }
      return { id, label, group, values }
    })
  const all = { ...counts, skipped, cells: measured.size, dropped: dropped.length }
  return { rows, details: { counts: all, cliffs: kept, unrepeated } }
}

const cellKey = (world, contender, operation) => `${keyOf(world)}|${contender}|${operation}`

function isAble({ group, api }, world) {
  if (group === NATIVE) return world.pending <= MANY
  // Ten million timers of both builds at once would need twice the memory.
  if (group === 'wasm' && world.pending > MANY) return false
  return api !== 'numbers' || world.ref
}

/** Whether a sample waits longer than half a second for its timers. */
const waits = (work, { delay, tick }) =>
  work === 'fire' && Math.max(delay, tick === 'shared' ? 1 : tick) > 500

/** Measures a world, each contender in a new process, so that no world affects the next. Adds the figures to `measured`. */
async function measureWorld({ world, works }, contenders, counts, measured, { withOwnProcesses }) {
  const able = contenders
    .filter((one) => isAble(one, world))
    // Not the name of a contender, whose timers would be loaded.
    .map((one) => ({ ...one, subject: `${one.id} in a world` }))
  const measure = async (call) => {
    for (const work of works) {
      const most = waits(work, world) ? 3 : Infinity
      const how = { ...counts, turns: Math.min(most, counts.turns), warmUp: true }
      for (const { id, values } of await inTurn(able, how, (contender) => call(contender, work, world))) {
        for (const [operation, summary] of Object.entries(values)) {
          // An operation that a sample lacks has no figure.
          if (!Number.isNaN(summary.max)) measured.set(cellKey(world, id, operation), summary)
        }
      }
    }
  }
  await withOwnProcesses(able, 'cliffs', measure, world.pending > MANY ? { heap } : {})
}

/** A function that makes something once in the process of a contender, which stays in one world. */
const once = (make) => {
  let made
  return (subject, world) => {
    made ??= make(subject, world)
    return made
  }
}
const open = once(async (subject, world) => {
  const timers = await openTimers(subject.split(' ')[0], world)
  await works.warmUp(timers)
  return timers
})
const populate = once(async (subject, world) => makePopulation(await open(subject, world), world))
const openBesideFar = once(async (subject, world) => {
  const timers = await open(subject, world)
  await works.setFar(timers, world, world.pending)
  return timers
})

/** A function that takes one sample of a work. Garbage is collected after the first. */
const sampler = (take) => {
  let taken = 0
  return (subject, world) => {
    if (taken++ === 1) collectGarbage()
    return take(subject, world)
  }
}

export const replace = sampler(async (subject, world) => (await populate(subject, world)).replace())
export const refresh = sampler(async (subject, world) => (await populate(subject, world)).refresh())
export const fire = sampler(async (subject, world) => works.fire(await openBesideFar(subject, world), world))
