/** TimeoutMap on Node: `util.inspect` shows its entries, as those of a Map. */
import type { TimeoutMap, TimeoutMapConstructor } from '../api/timeout-map.js'
import type { OpenMapTimer } from '../map/map-timer.js'
import { timeoutMapClass } from '../map/timeout-map.js'

function inspectMap(
  this: TimeoutMap<unknown, unknown>,
  _depth: number,
  options: object,
  inspect?: (value: unknown, options: object) => string,
): unknown {
  const entries = new Map(this)
  return inspect === undefined ? entries : `Timeout${inspect(entries, options)}`
}

export function inspectableMapClass(openTimer: OpenMapTimer): TimeoutMapConstructor {
  const TimeoutMap = timeoutMapClass(openTimer)
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
