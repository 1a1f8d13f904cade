/**
 * The plan of the part `cliffs`: worlds and lines. Data only, no timers.
 *
 * A world has one value on each axis: the `delay` in milliseconds; the `tick` of a wheel of its own, or `shared` for the functions
 * of the module; the `pending` timers, with those that are worked on; the operations in a `turn` of the event loop; whether the
 * callback gets an `argument`, and whether the timers keep the process alive (`ref`); the `order` in which the pending timers are
 * worked on; and whether all timers have one delay, or `distinct` ones from half of the delay to the delay.
 *
 * The worlds of a line differ on one axis only, and each is the neighbour of the next. Lines share worlds; each world is measured
 * once. The work `replace` clears pending timers and sets others in their place, `fire` waits until timers have run, and `advance`
 * moves a wheel with the driver `manual`.
 */

export const LONGEST = 2 ** 31 - 1
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
  ...longValues,
  delay: [10, 1_000, HOUR, LONGEST],
  tick: ['shared', 10, 1_000],
  turn: [1, 100, 1_000, 1_000_000],
}

/** Milliseconds: the longest delay for which the long form and the short form wait. */
const LONGEST_WAIT = { long: 1_000, short: 10 }
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

/**
 * The number of timers that are worked on, one after the other, again and again: all pending ones, unless the delay is so short
 * that they would fire before it is their turn. Then the others are due after an hour or later.
 */
export function windowOf({ delay, pending, turn }) {
  const inTime = Math.min(MOST_ANEW, Math.floor((delay * PER_MILLISECOND) / (1 + TURN / turn)))
  return Math.max(turn, Math.min(pending, isShort(delay) ? inTime : pending))
}

/** A turn of the event loop must end before the timers that it sets are due. */
const shortenTurn = (world) => ({ ...world, turn: Math.min(world.turn, world.delay * PER_MILLISECOND) })

function thoseThatFit(worlds, works) {
  const able = works.some((work) => work === 'replace' || work === 'refresh')
    ? worlds.map(shortenTurn)
    : worlds
  return [...new Map(able.map((world) => [keyOf(world), world])).values()]
}

/** A walk along an axis through a point. The point is on the line. */
function walk(name, works, point, axis, values) {
  const all = values.includes(point[axis]) ? values : [...values, point[axis]].sort((a, b) => +a - +b)
  const worlds = all.map((value) => ({ ...point, [axis]: value }))
  return { name, axis, works, worlds: thoseThatFit(worlds, works) }
}

/** All walks through a grid: a line along each axis through each combination of values on the other axes. */
export function grid(name, works, point, values) {
  const axes = Object.keys(values)
  return axes.flatMap((axis) => {
    let points = [point]
    for (const other of axes.filter((one) => one !== axis)) {
      points = points.flatMap((one) => (values[other] ?? []).map((value) => ({ ...one, [other]: value })))
    }
    return points.map((one) => {
      const worlds = (values[axis] ?? []).map((value) => ({ ...one, [axis]: value }))
      return { name, axis, works, worlds: thoseThatFit(worlds, works) }
    })
  })
}

/** With this number of pending timers or more, a world takes many seconds, so fewer axes are walked. */
const MANY = 1_000_000

const axes = ['delay', 'tick', 'pending', 'turn', 'argument', 'ref', 'order', 'delays']

function axesOf({ pending }, full) {
  if (full) return pending < MANY ? axes : axes.filter((axis) => axis !== 'argument' && axis !== 'ref')
  if (pending >= MANY) return ['order']
  return pending < 1_000 ? axes.filter((axis) => axis !== 'delays') : ['delay', 'tick', 'turn', 'order']
}

const throughBase = (name, base, values, full) =>
  axesOf(base, full).map((axis) => {
    const some = full && base.pending >= MANY ? valuesOfMany : values
    return walk(name, ['replace', 'refresh'], base, axis, some[axis])
  })

function firing(name, base, values, full) {
  if (base.pending >= (full ? MANY : 1_000)) return []
  const longest = full ? LONGEST_WAIT.long : LONGEST_WAIT.short
  const fitting = {
    ...values,
    delay: [1, 10, 100, 1_000].filter((delay) => delay <= longest),
    tick: values.tick.filter((tick) => tick === 'shared' || tick <= longest),
    pending: values.pending.filter((count) => count <= MANY),
  }
  const point = { ...base, delay: WAIT }
  return axesOf(base, full)
    .filter((axis) => axis !== 'delays' && axis !== 'ref')
    .map((axis) => walk(name, ['fire'], point, axis, fitting[axis]))
}

function advancing(values) {
  const point = { ...bases['a million distinct'], pending: 100_000, tick: 1 }
  const name = 'virtual time'
  const pending = values.pending.filter((count) => count <= MANY)
  const ticks = values.tick.filter((tick) => tick !== 'shared')
  return [
    walk(name, ['advance'], point, 'delay', values.delay),
    walk(name, ['advance'], point, 'tick', ticks),
    walk(name, ['advance'], point, 'pending', pending),
    walk(name, ['advance'], point, 'delays', values.delays),
  ]
}

function longPairs() {
  const server = bases['a turn of a server']
  const connections = bases['idle connections']
  const distinct = { ...connections, delays: 'distinct' }
  return [
    ...grid('refresh: delay, tick, order', ['refresh'], connections, {
      delay: [10_000, 5 * MINUTE, LONGEST],
      tick: ['shared', 2, 1_000],
      order: ['in order', 'at random'],
    }),
    ...grid('refresh: delay, pending', ['refresh'], connections, {
      delay: [MINUTE, LONGEST],
      pending: [1_000, 100_000, 1_000_000],
    }),
    ...grid('set: pending, delay', ['replace'], distinct, {
      pending: [10, 1_000, 100_000, 1_000_000],
      delay: [10, MINUTE, LONGEST],
    }),
    ...grid('operations a turn, delay', ['replace', 'refresh'], server, {
      turn: [1, 10, 1_000, 100_000],
      delay: [10, 1_000, MINUTE, LONGEST],
    }),
    ...grid('operations a turn, order', ['replace', 'refresh'], connections, {
      turn: [1, 10, 100, 1_000, 10_000, 100_000],
      order: ['in order', 'at random'],
    }),
    ...grid('tick, delay', ['replace'], server, {
      tick: ['shared', 10, 1_000],
      delay: [1, 10, 1_000, HOUR, LONGEST],
    }),
    ...grid(
      'fire: tick, delay',
      ['fire'],
      { ...server, turn: 100 },
      { tick: ['shared', 10, 1_000], delay: [1, 10, 100] },
    ),
    ...grid('argument, reference', ['replace'], server, { argument: [false, true], ref: [true, false] }),
  ]
}

const shortPairs = () =>
  grid('refresh: delay, tick, order', ['refresh'], bases['idle connections'], {
    delay: [MINUTE, 5 * MINUTE],
    tick: ['shared', 10],
    order: ['in order', 'at random'],
  })

/** The lines of the long form or of the short form. */
export function planLines(full) {
  const values = full ? longValues : shortValues
  const points = Object.entries(bases)
  return [
    ...points.flatMap(([name, base]) => throughBase(name, base, values, full)),
    ...points.flatMap(([name, base]) => firing(name, base, values, full)),
    ...advancing(values),
    ...(full ? longPairs() : shortPairs()),
  ].filter(({ worlds }) => worlds.length > 1)
}

/** The worlds of all lines, each once, with the work that is measured in it. */
export function worldsOf(lines) {
  const found = new Map()
  for (const { works, worlds } of lines) {
    for (const world of worlds) {
      // Firing and virtual time have their own processes, because they change the pending population.
      const key = `${keyOf(world)} ${works.includes('fire') || works.includes('advance') ? works[0] : ''}`
      const known = found.get(key) ?? { world, works: [] }
      known.works = [...new Set([...known.works, ...works])]
      found.set(key, known)
    }
  }
  return [...found.values()]
}
