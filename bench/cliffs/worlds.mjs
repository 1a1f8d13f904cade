/**
 * The plan of the part `cliffs`: worlds and lines.
 *
 * A world has one value on each axis: the `delay` in milliseconds; the `tick` of a wheel of its own, or `shared` for the functions
 * of the module; the `pending` timers, with those that are worked on; the operations in a `turn` of the event loop; whether the
 * callback gets an `argument`, and whether the timers keep the process alive (`ref`); the `order` in which the pending timers are
 * worked on; and whether all timers have one delay, or `distinct` ones from half of the delay to the delay.
 *
 * The worlds of a line differ on one axis only, and each is the neighbour of the next. Lines share worlds; each world is measured
 * once. The work `replace` clears pending timers and sets others instead, and `fire` waits until timers have
 * run.
 */

const LONGEST = 2 ** 31 - 1
const MINUTE = 60_000
const HOUR = 60 * MINUTE

const base = (delay, pending, turn, order, delays) => ({
  ...{ delay, tick: 'shared', pending, turn, argument: false, ref: true, order, delays },
})

export const bases = {
  'a turn of a server': base(30_000, 100, 10, 'in order', 'one'),
  'idle connections': base(5 * MINUTE, 100_000, 100, 'at random', 'one'),
  'a million distinct': base(HOUR, 1_000_000, 1_000, 'at random', 'distinct'),
}
const [server, connections, million] = Object.values(bases)

const longValues = {
  delay: [1, 10, 100, 1_000, 10_000, MINUTE, 5 * MINUTE, HOUR, 24 * HOUR, LONGEST],
  tick: ['shared', 1, 2, 10, 100, 1_000],
  pending: [10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000],
  turn: [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000],
  argument: [false, true],
  ref: [true, false],
  order: ['in order', 'at random'],
  delays: ['one', 'distinct'],
}

const shortValues = {
  ...longValues,
  delay: [1, 1_000, 5 * MINUTE, LONGEST],
  tick: ['shared', 1, 10],
  pending: [10, 1_000, 100_000],
  turn: [1, 10, 1_000, 100_000],
}

/** The values around a million pending timers: fewer, because each such world takes ten seconds or more. */
const valuesOfMany = {
  delay: [10, 1_000, HOUR, LONGEST],
  tick: ['shared', 10, 1_000],
  pending: longValues.pending,
  turn: [1, 100, 1_000, 1_000_000],
  order: longValues.order,
  delays: longValues.delays,
}

/** The grids of the long form: works, a point, and the values of the axes. */
const grids = [
  [
    ['refresh'],
    connections,
    { delay: [10_000, 5 * MINUTE, LONGEST], tick: ['shared', 2, 1_000], order: longValues.order },
  ],
  [['refresh'], connections, { delay: [MINUTE, LONGEST], pending: [1_000, 100_000, 1_000_000] }],
  [
    ['replace'],
    { ...connections, delays: 'distinct' },
    { pending: [10, 1_000, 100_000, 1_000_000], delay: [10, MINUTE, LONGEST] },
  ],
  [['replace', 'refresh'], server, { turn: [1, 10, 1_000, 100_000], delay: [10, 1_000, MINUTE, LONGEST] }],
  [['replace', 'refresh'], connections, { turn: longValues.turn.slice(0, -1), order: longValues.order }],
  [['replace'], server, { tick: ['shared', 10, 1_000], delay: [1, 10, 1_000, HOUR, LONGEST] }],
  [['fire'], { ...server, turn: 100 }, { tick: ['shared', 10, 1_000], delay: [1, 10, 100] }],
  [['replace'], server, { argument: longValues.argument, ref: longValues.ref }],
]

/** The delay of timers that fire, unless the delay is the axis. */
const WAIT = 10
/** Operations that fit into a millisecond. */
const PER_MILLISECOND = 100
/** The most timers of a short delay that are set again and again, so that they do not fire. */
const MOST_ANEW = 1_000_000
/** Whether timers of this delay can be due while their world is measured. */
export const isShort = (delay) => delay < 5 * MINUTE
/** The cost of a turn of the event loop without its operations, in operations. */
const TURN = 8

export const keyOf = (world) => Object.values(world).join(' ')

/** The number of timers that are worked on again and again. If all pending ones would fire meanwhile, the others are due much later. */
export function windowOf({ delay, pending, turn }) {
  const inTime = Math.min(MOST_ANEW, Math.floor((delay * PER_MILLISECOND) / (1 + TURN / turn)))
  return Math.max(turn, Math.min(pending, isShort(delay) ? inTime : pending))
}

/** A turn of the event loop must end before the timers that it sets are due. */
const shortenTurn = (world) => ({ ...world, turn: Math.min(world.turn, world.delay * PER_MILLISECOND) })

/** All walks through a grid: a line along each axis through each combination of values on the other axes. */
function grid(works, point, values) {
  const axes = Object.keys(values)
  return axes.flatMap((axis) => {
    let points = [point]
    for (const other of axes.filter((one) => one !== axis)) {
      points = points.flatMap((one) => values[other].map((value) => ({ ...one, [other]: value })))
    }
    return points.map((one) => {
      const all = values[axis].map((value) => ({ ...one, [axis]: value }))
      const worlds = works.includes('fire') ? all : all.map(shortenTurn)
      return { axis, works, worlds: [...new Map(worlds.map((world) => [keyOf(world), world])).values()] }
    })
  })
}

/** A walk along each axis through a point. The point is on the line. */
const walks = (works, point, values) =>
  Object.keys(values).flatMap((axis) => {
    const all = new Set([...values[axis], point[axis]])
    const sorted = all.size === values[axis].length ? [...all] : [...all].sort((a, b) => a - b)
    return grid(works, point, { [axis]: sorted })
  })

/** No delay for which a world would wait long, and no number of timers that would take long to set. */
function firing(point, { tick, pending, turn, argument, order }) {
  const few = pending.filter((count) => count <= 1_000_000)
  const values = { delay: [1, 10, 100, 1_000], tick, pending: few, turn, argument, order }
  return walks(['fire'], { ...point, delay: WAIT }, values)
}

/** The lines of the long form, or of the short form, which has the first two points and fewer values. */
export function planLines(full) {
  const values = full ? longValues : shortValues
  const points = full ? [server, connections, million] : [server, connections]
  return [
    ...points.flatMap((one) => walks(['replace', 'refresh'], one, one === million ? valuesOfMany : values)),
    ...points.slice(0, -1).flatMap((one) => firing(one, values)),
    ...(full ? grids : []).flatMap((one) => grid(...one)),
  ].filter(({ worlds }) => worlds.length > 1)
}

/** The worlds of all lines, each once, with the work that is measured in it. */
export function worldsOf(lines) {
  const found = new Map()
  for (const { works, worlds } of lines) {
    for (const world of worlds) {
      // Firing has its own processes, because it changes the pending population.
      const key = `${keyOf(world)} ${works.includes('fire')}`
      const known = found.get(key)?.works ?? []
      found.set(key, { world, works: [...new Set([...known, ...works])] })
    }
  }
  return [...found.values()]
}
