/** TimeoutMap on Node: `util.inspect` shows its entries, as those of a Map. */
import type { TimeoutMap, TimeoutMapConstructor } from '../api/timeout-map.js'
import { schedulerOf } from '../common/timer-wheel.js'
import { timeoutMapClass } from '../map/timeout-map.js'
import { onDemand } from './on-demand/load.js'
import type { Scheduler } from './scheduler/scheduler.js'

function inspectMap(
  this: TimeoutMap<unknown, unknown>,
  _depth: number,
  options: object,
  inspect?: (value: unknown, options: object) => string,
): unknown {
  const entries = new Map(this)
  return inspect === undefined ? entries : `Timeout${inspect(entries, options)}`
}

/** @param openShared opens the shared wheel */
export function inspectableMapClass(openShared: () => Scheduler): TimeoutMapConstructor {
  const TimeoutMap = timeoutMapClass((options) => {
    const { Entries, NodeMapTimer } = onDemand()
    return new Entries(
      options,
      (client, wheel, holds) =>
        new NodeMapTimer(client, wheel === undefined ? openShared() : schedulerOf(wheel), holds),
    )
  })
  Object.defineProperty(
    (TimeoutMap as unknown as { prototype: object }).prototype,
    Symbol.for('nodejs.util.inspect.custom'),
    {
      value: inspectMap,
      configurable: true,
      writable: true,
    },
  )
  return TimeoutMap
}
