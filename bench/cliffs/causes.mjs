/** Why a cell is a cliff: the causes that docs/contributing/benchmarking.md explains, each by its name. The first that applies counts. */
import { formatCount, formatMarkdown } from '../report/format.mjs'
import { isShared } from './judge.mjs'

/** With this number of pending timers or more, their records and handles exceed the caches next to the core. */
const BEYOND_CACHES = 100_000
/** So many timers that are due in a millisecond do not yet hide the cost of a wake-up. */
const FEW_DUE = 100
/** So many timers that are due in a millisecond are a burst. */
const BURST = 100_000
/** In a turn of so few operations, the core is called after each of the first eight, and then after a few. */
const SHORT_TURN = 32

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

const UNKNOWN = 'unknown'
const UNREPEATED = 'unrepeated'

export const causeNames = [...Object.keys(causes), UNKNOWN, UNREPEATED]

const causeOf = (cliff) => Object.keys(causes).find((name) => causes[name](cliff)) ?? UNKNOWN

const ofNumbers = { set: 'schedule', clear: 'cancel', refresh: 'reschedule' }

const nameOf = ({ operation, contender }) =>
  contender.endsWith('numbers') ? (ofNumbers[operation] ?? operation) : operation

function describeWorld({ delay, tick, pending, turn, order, delays, argument, ref }) {
  return [
    ...[`${formatCount(pending)} pending`, `${formatCount(turn)} a turn`, order, `${formatCount(delay)} ms`],
    ...(delays === 'one' ? [] : ['distinct delays']),
    ...(tick === 'shared' ? [] : [`a wheel with a tick of ${formatCount(tick)} ms`]),
    ...(argument ? ['with an argument'] : []),
    ...(ref ? [] : ['unreferenced']),
  ].join(', ')
}

function describeOther({ kind, axis, neighbour }) {
  if (kind === 'native') return 'native'
  const value = neighbour[axis]
  return `${axis === 'turn' ? 'a turn' : axis}: ${typeof value === 'number' ? formatCount(value) : value}`
}

const formatMedian = (figure) => (figure === undefined ? '-' : formatCount(Math.round(figure.median)))

const formatStep = (cliff) =>
  cliff.nativeRatio === undefined ? '-' : `${cliff.nativeRatio.toFixed(1)}${isShared(cliff) ? ', alike' : ''}`

/** The cells of one cause, the steepest first. */
function cellsOf({ cliffs, unrepeated }, cause) {
  if (!causeNames.includes(cause)) throw new Error(`no table of cliffs has the name '${cause}'`)
  const listed = cause === UNREPEATED ? unrepeated : cliffs.filter((cliff) => causeOf(cliff) === cause)
  return listed.toSorted((a, b) => b.ratio - a.ratio)
}

export function formatCause(result, cause) {
  const cells = cellsOf(result, cause)
  if (cells.length === 0) return 'None.'
  const isOpen = cause === UNREPEATED
  const header = ['Timers', 'Operation', 'World', 'ns', 'Compared with', 'its ns', 'ratio', 'native, ns']
  const rows = cells.map((cliff) => [
    ...[cliff.contender, nameOf(cliff), describeWorld(cliff.world), formatMedian(cliff.own)],
    ...[describeOther(cliff), formatMedian(cliff.other), cliff.ratio.toFixed(1), formatMedian(cliff.native)],
    isOpen ? causeOf(cliff) : formatStep(cliff),
  ])
  return formatMarkdown([[...header, isOpen ? 'cause' : "native's ratio"], ...rows], [0, 1, 2, 4])
}

/** A table of the causes: the number of cells, of those with a like cliff, and the least and the greatest ratio. */
export function formatCauses(result) {
  const rows = causeNames.map((cause) => {
    const cells = cellsOf(result, cause)
    const [least, most] = [cells.at(-1), cells[0]].map((cell) => cell?.ratio.toFixed(1) ?? '')
    return [cause, `${cells.length}`, `${cells.filter(isShared).length}`, least, most]
  })
  return formatMarkdown([['cause', 'cells', 'like cliffs', 'least ratio', 'greatest'], ...rows])
}
