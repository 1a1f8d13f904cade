/**
 * Picks the cells that are cliffs. A cell is one operation of one contender in one world. It is suspected if it costs more than `STEEP`
 * times its neighbour on a line, or more than the same cell of native timers, and if the difference is larger than the noise. A figure
 * is a summary in nanoseconds, or undefined if the cell was not measured.
 */
import { keyOf } from './worlds.mjs'

export const NATIVE = 'native'
/** A cell that costs so many times its neighbour, or so many times native, is a cliff. */
const STEEP = 3
const MORE = 1.03
/** Nanoseconds. A smaller figure counts as this one, because the loop around an operation costs as much. */
const FLOOR = 10

/** The figures above zero. Where turns with operations took no longer than those without, the noise is larger than the cost. */
const aboveZero =
  (figures) =>
  (...cell) => {
    const figure = figures(...cell)
    return figure?.median > 0 ? figure : undefined
  }

/** The operations of a work, if it is not an operation itself. */
const operationsOf = { replace: ['set', 'clear'] }

const ratioOf = (own, other) => Math.max(FLOOR, own.median) / Math.max(FLOOR, other.median)

function compare({ kind, world, neighbour, contender, operation }, figures) {
  const own = figures(world, contender, operation)
  const other =
    kind === 'native' ? figures(world, NATIVE, operation) : figures(neighbour, contender, operation)
  if (own === undefined || other === undefined) return undefined
  const ratio = ratioOf(own, other)
  // The difference exceeds the noise if all samples of this cell are higher than all of the other.
  return { ratio, isCliff: ratio > (kind === 'native' ? MORE : STEEP) && own.min > other.max }
}

const nameOf = ({ kind, contender, operation, world, neighbour }) =>
  [kind, contender, operation, keyOf(world), neighbour === undefined ? '' : keyOf(neighbour)].join('|')

/** Neighbours on a line. Worlds in which the operation was not measured are skipped. */
function pairsOf({ axis, worlds }, contender, operation, figures) {
  const measured = worlds.filter((world) => figures(world, contender, operation) !== undefined)
  return measured.slice(1).flatMap((world, i) => {
    const common = { kind: 'neighbour', contender, operation, axis }
    const before = measured[i]
    return [
      { ...common, world, neighbour: before },
      { ...common, world: before, neighbour: world },
    ]
  })
}

export function findSuspicions(lines, contenders, measured) {
  const figures = aboveZero(measured)
  const found = new Map()
  for (const line of lines) {
    for (const operation of line.works.flatMap((work) => operationsOf[work] ?? work)) {
      for (const contender of contenders) {
        const beside = line.worlds.map((world) => ({ kind: 'native', contender, operation, world }))
        for (const one of [...beside, ...pairsOf(line, contender, operation, figures)]) {
          const name = nameOf(one)
          if (compare(one, figures)?.isCliff && !found.has(name)) found.set(name, one)
        }
      }
    }
  }
  return [...found.values()]
}

/** The suspicions that every pass shows. `unrepeated`: a repetition lacks one of the two cells, and none refutes them. */
export function keepRepeated(suspicions, first, repetitions) {
  const result = { kept: [], dropped: [], unrepeated: [] }
  for (const suspicion of suspicions) {
    const again = repetitions.map((figures) => compare(suspicion, aboveZero(figures)))
    if (again.some((one) => one?.isCliff === false)) {
      result.dropped.push(suspicion)
      continue
    }
    const made = again.filter((one) => one !== undefined)
    const isRepeated = made.length > 0 && made.length === again.length
    result[isRepeated ? 'kept' : 'unrepeated'].push(toCliff(suspicion, first, made))
  }
  return result
}

/** `other` is the figure of the neighbour or of native timers, `nativeRatio` that of native timers between the same neighbours. */
function toCliff(suspicion, figures, again) {
  const { kind, world, neighbour, contender, operation } = suspicion
  const own = figures(world, contender, operation)
  const native = figures(world, NATIVE, operation)
  const beside = neighbour && figures(neighbour, NATIVE, operation)
  const other = kind === 'native' ? native : figures(neighbour, contender, operation)
  const ratio = ratioOf(own, other)
  return {
    ...suspicion,
    ...{ own, other, ratio, ratios: [ratio, ...again.map((one) => one.ratio)] },
    ...(native === undefined ? {} : { native }),
    ...(native === undefined || beside === undefined ? {} : { nativeRatio: ratioOf(native, beside) }),
  }
}

/** Whether native timers have the same step between the same neighbours. Then its cause is the machine or the event loop. */
export const isShared = ({ nativeRatio, ratio }) => nativeRatio !== undefined && nativeRatio * 1.25 >= ratio
