/**
 * Picks the cells that are cliffs. A cell is one operation of one contender in one world. It is suspected if it costs more than `STEEP`
 * times its neighbour on a line, or more than the same cell of native timers, and if the difference is larger than the noise. A figure
 * is a summary in nanoseconds, or undefined if the cell was not measured.
 */

export const NATIVE = 'native'
/** A cell that costs so many times its neighbour, or so many times native, is a cliff. */
const STEEP = 3
const MORE = 1.03
/** Nanoseconds. A smaller figure counts as this one, because the loop around an operation costs as much. */
const FLOOR = 10

/** Where turns with operations took no longer than those without, the noise is larger than the cost. */
const isKnown = (figure) => figure?.median > 0

/** The operations of a work, if it is not an operation itself. */
const operationsOf = { replace: ['set', 'clear'] }

const ratioOf = (own, other) => Math.max(FLOOR, own.median) / Math.max(FLOOR, other.median)

/** The figures of a cell and of the one beside it. Whether it is a cliff is undefined if one of them is not known. */
function compare({ kind, world, neighbour, contender, operation }, figures) {
  const own = figures(world, contender, operation)
  const other =
    kind === 'native' ? figures(world, NATIVE, operation) : figures(neighbour, contender, operation)
  if (!isKnown(own) || !isKnown(other)) return {}
  const ratio = ratioOf(own, other)
  // The difference exceeds the noise if all samples of this cell are higher than all of the other.
  return { own, other, ratio, isCliff: ratio > (kind === 'native' ? MORE : STEEP) && own.min > other.max }
}

/** Neighbours on a line. Worlds in which the operation was not measured are skipped. */
function pairsOf({ axis, worlds }, contender, operation, figures) {
  const measured = worlds.filter((world) => isKnown(figures(world, contender, operation)))
  return measured.slice(1).flatMap((world, i) => {
    const common = { kind: 'neighbour', contender, operation, axis }
    const before = measured[i]
    return [
      { ...common, world, neighbour: before },
      { ...common, world: before, neighbour: world },
    ]
  })
}

export function findSuspicions(lines, contenders, figures) {
  const found = new Map()
  for (const line of lines) {
    for (const operation of line.works.flatMap((work) => operationsOf[work] ?? work)) {
      for (const contender of contenders) {
        const beside = line.worlds.map((world) => ({ kind: 'native', contender, operation, world }))
        for (const one of [...beside, ...pairsOf(line, contender, operation, figures)]) {
          if (compare(one, figures).isCliff) found.set(JSON.stringify(one), one)
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
    const again = repetitions.map((figures) => compare(suspicion, figures))
    const isRepeated = again.length > 0 && again.every(({ isCliff }) => isCliff)
    if (again.some(({ isCliff }) => isCliff === false)) result.dropped.push(suspicion)
    else result[isRepeated ? 'kept' : 'unrepeated'].push(toCliff(suspicion, first, again))
  }
  return result
}

/** `other` is the figure of the neighbour or of native timers, `nativeRatio` that of native timers between the same neighbours. */
function toCliff(suspicion, figures, again) {
  const { world, neighbour, operation } = suspicion
  const { own, other, ratio } = compare(suspicion, figures)
  const native = figures(world, NATIVE, operation)
  const beside = neighbour && figures(neighbour, NATIVE, operation)
  return {
    ...suspicion,
    ...{ own, other, ratio, ratios: [ratio, ...again.flatMap((one) => one.ratio ?? [])], native },
    nativeRatio: native && beside && ratioOf(native, beside),
  }
}

/** Whether native timers have the same cliff between the same neighbours. Then its cause is the machine or the event loop. */
export const isShared = ({ nativeRatio, ratio }) => nativeRatio !== undefined && nativeRatio * 1.25 >= ratio
