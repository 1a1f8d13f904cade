/**
 * Why a cell is a cliff: the causes that docs/cliffs.md explains, each under its name. The first that applies counts.
 *
 * @import { Cliff } from './judge.mjs'
 */

import { formatCount } from '../report/format.mjs'
import { nameOf } from './table.mjs'
import { isShort } from './worlds.mjs'

/** With this number of pending timers or more, they do not fit into the caches next to the core. */
const BEYOND_CACHES = 100_000
/** In turns of so few operations, the cost of the turn itself shows. */
const SHORT_TURN = 100

/** @type {Record<string, (cliff: Cliff) => boolean>} */
const causes = {
  // Few timers share a wake-up.
  'wake-ups': ({ operation, world }) => operation === 'fire' && world.turn <= SHORT_TURN,
  bursts: ({ operation, kind }) => operation === 'fire' && kind === 'native',
  // The neighbour works on timers that are in the caches.
  caches: ({ kind, axis, world, neighbour }) =>
    kind === 'neighbour' &&
    world.pending >= BEYOND_CACHES &&
    (axis === 'order' || axis === 'pending' || (axis === 'delay' && isShort(neighbour?.delay ?? 0))),
  'short-turns': ({ operation, axis, kind, world }) =>
    operation !== 'fire' && world.turn <= SHORT_TURN && (kind === 'native' || axis === 'turn'),
}

/**
 * @param {Cliff} cliff
 * @returns {string} the name of its cause, or `unknown`
 */
function causeOf(cliff) {
  return Object.keys(causes).find((name) => causes[name](cliff)) ?? 'unknown'
}

/** @param {Cliff['world']} world */
function describeWorld({ delay, tick, pending, turn, order, delays }) {
  const ofTick = tick === 'shared' || tick === 1 ? '' : `, tick of ${formatCount(tick)} ms`
  const mixed = delays === 'one' ? '' : ', distinct delays'
  return `${formatCount(pending)} pending, ${formatCount(turn)} a turn, ${order}, ${formatCount(delay)} ms${mixed}${ofTick}`
}

/** @param {Cliff} cliff */
function describeOther({ kind, axis, neighbour }) {
  if (kind === 'native' || axis === undefined || neighbour === undefined) return 'native'
  const value = neighbour[axis]
  return `${axis === 'turn' ? 'a turn' : axis}: ${typeof value === 'number' ? formatCount(value) : value}`
}

/** @param {Cliff['own'] | undefined} figure */
const formatFigure = (figure) => (figure === undefined ? '-' : formatCount(Math.round(figure.median)))

/**
 * The cells of one cause as a table in Markdown.
 *
 * @param {{ cliffs: Cliff[], unrepeated: Cliff[] }} result
 * @param {string} cause  or `unrepeated`
 */
export function formatCause(result, cause) {
  if (cause === 'unrepeated') return formatCells(result.unrepeated, true)
  return formatCells(
    result.cliffs.filter((cliff) => causeOf(cliff) === cause),
    false,
  )
}

/**
 * @param {Cliff[]} cliffs
 * @param {boolean} withCause
 */
function formatCells(cliffs, withCause) {
  if (cliffs.length === 0) return 'None.'
  const header = ['Timers', 'Operation', 'World', 'ns', 'Compared with', 'its ns', 'Ratio', 'native, ns']
  const rule = ['---', '---', '---', '--:', '---', '--:', '--:', '--:']
  if (withCause) {
    header.push('Cause')
    rule.push('---')
  }
  const rows = [...cliffs]
    .sort((a, b) => b.ratio - a.ratio)
    .map((cliff) => [
      ...[cliff.contender, nameOf(cliff.operation, cliff.contender), describeWorld(cliff.world)],
      ...[formatFigure(cliff.own), describeOther(cliff), formatFigure(cliff.other), cliff.ratio.toFixed(1)],
      formatFigure(cliff.native),
      ...(withCause ? [causeOf(cliff)] : []),
    ])
  return [header, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
