/**
 * Why a cell is a cliff: the causes that docs/cliffs.md explains, each under its name. The first that applies counts.
 *
 * @import { Cliff } from './judge.mjs'
 * @import { World } from './worlds.mjs'
 */

import { formatCount } from '../report/format.mjs'
import { isShared } from './judge.mjs'
import { formatValue, nameOf } from './table.mjs'

/** With this number of pending timers or more, their records and handles exceed the caches next to the core. */
const BEYOND_CACHES = 100_000
/** So many timers that are due in a millisecond do not yet hide the cost of a wake-up. */
const FEW_DUE = 100
/** So many timers that are due in a millisecond are a burst. */
const BURST = 100_000
/** In a turn of so few operations, most of them read the clock. */
const SHORT_TURN = 32

/** @type {Record<string, (cliff: Cliff) => boolean>} */
const causes = {
  'wake-ups': ({ kind, axis, operation, world }) =>
    operation === 'fire' && world.turn <= FEW_DUE && (kind === 'native' || axis === 'turn'),
  bursts: ({ kind, operation, world }) => kind === 'native' && operation === 'fire' && world.turn >= BURST,
  // The neighbour works on fewer timers, or on timers that the processor loads ahead.
  caches: ({ kind, axis, operation, world, neighbour }) =>
    kind === 'neighbour' &&
    operation !== 'fire' &&
    world.order === 'at random' &&
    world.pending >= BEYOND_CACHES &&
    neighbour !== undefined &&
    (axis === 'order' ||
      (axis === 'pending' && neighbour.pending < world.pending) ||
      (axis === 'delay' && neighbour.delay < world.delay)),
  'short-turns': ({ kind, axis, operation, world }) =>
    (operation === 'set' || operation === 'refresh') &&
    world.turn <= SHORT_TURN &&
    (kind === 'native' || axis === 'turn'),
  'first-clears': ({ axis, operation, world }) =>
    operation === 'clear' && axis === 'turn' && world.turn <= SHORT_TURN && world.pending >= BEYOND_CACHES,
}

/** Other names of tables. */
const UNKNOWN = 'unknown'
const UNREPEATED = 'unrepeated'

export const causeNames = [...Object.keys(causes), UNKNOWN, UNREPEATED]

/** @param {Cliff} cliff */
const causeOf = (cliff) => Object.keys(causes).find((name) => causes[name](cliff)) ?? UNKNOWN

/** @param {World} world */
function describeWorld({ delay, tick, pending, turn, order, delays, argument, ref }) {
  const rare = [
    delays === 'one' ? '' : 'distinct delays',
    tick === 'shared' ? '' : `a wheel with a tick of ${formatCount(tick)} ms`,
    argument ? 'with an argument' : '',
    ref ? '' : 'unreferenced',
  ]
  const usual = [
    `${formatCount(pending)} pending`,
    `${formatCount(turn)} a turn`,
    order,
    `${formatCount(delay)} ms`,
  ]
  return [...usual, ...rare].filter((part) => part !== '').join(', ')
}

/** @param {Cliff} cliff */
function describeOther({ kind, axis, neighbour }) {
  if (kind === 'native' || axis === undefined || neighbour === undefined) return 'native'
  return `${axis === 'turn' ? 'a turn' : axis}: ${formatValue(neighbour[axis])}`
}

/** @param {Cliff['own'] | undefined} figure */
const formatMedian = (figure) => (figure === undefined ? '-' : formatCount(Math.round(figure.median)))

/** @param {Cliff} cliff */
const formatStep = (cliff) =>
  cliff.nativeRatio === undefined ? '-' : `${cliff.nativeRatio.toFixed(1)}${isShared(cliff) ? ', alike' : ''}`

/**
 * The cells of one cause as a table in Markdown.
 *
 * @param {{ cliffs: Cliff[], unrepeated: Cliff[] }} result
 * @param {string} cause  one of `causeNames`
 */
export function formatCause({ cliffs, unrepeated }, cause) {
  if (!causeNames.includes(cause)) throw new Error(`no table of cliffs has the name '${cause}'`)
  const isOpen = cause === UNREPEATED
  const listed = isOpen ? unrepeated : cliffs.filter((cliff) => causeOf(cliff) === cause)
  if (listed.length === 0) return 'None.'
  const header = ['Timers', 'Operation', 'World', 'ns', 'Compared with', 'its ns', 'ratio', 'native, ns']
  const rows = [...listed]
    .sort((a, b) => b.ratio - a.ratio)
    .map((cliff) => [
      ...[cliff.contender, nameOf(cliff.operation, cliff.contender), describeWorld(cliff.world)],
      ...[formatMedian(cliff.own), describeOther(cliff), formatMedian(cliff.other), cliff.ratio.toFixed(1)],
      ...[formatMedian(cliff.native), isOpen ? causeOf(cliff) : formatStep(cliff)],
    ])
  const all = [
    [...header, isOpen ? 'cause' : "native's ratio"],
    ['---', '---', '---', '--:', '---', '--:', '--:', '--:', isOpen ? '---' : '--:'],
    ...rows,
  ]
  return all.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
