/**
 * The timer of a TimeoutMap on workerd that has no wheel. Requests share the map, and none of them lives as long as its entries. So the
 * map has no timer of the host: a call that finds it due lets it run in microtasks, which are those of the caller's request.
 */
import { FOREVER } from '../common/constants.js'
import { Entries, type OpenEntries } from '../map/entries.js'
import { WheelMapTimer } from '../wheel/map-timer.js'
import { wheelOf } from '../wheel/timer-wheel.js'

// Taken when the module loads: test tools can replace it later.
const { queueMicrotask } = globalThis
/** The runs that one call of the map can cause. The time of a request is limited. */
const RUNS = 1000

/** @param now the clock of the host. It never goes back, and stands at 0 before the first request */
export function requestMapEntriesOn(now: () => number): OpenEntries {
  /** The start of the first request. */
  let origin = 0
  return (options) =>
    new Entries(options, (client, wheel) => {
      if (wheel !== undefined) return new WheelMapTimer(client, wheelOf(wheel))
      let read = 0
      let due: number = FOREVER
      let left = 0
      const run = (): void => {
        try {
          if (due <= now() - origin) client._run()
          else left = 1
        } finally {
          if (--left > 0) queueMicrotask(run)
        }
      }
      return {
        _isVirtual: false,
        _isStopped: () => false,
        _lag: () => 0,
        _now() {
          origin ||= now()
          read = now() - origin
          if (due <= read && left === 0) {
            left = RUNS
            queueMicrotask(run)
          }
          return read
        },
        // Not at once: the clock stands while code runs, and `onExpire` can set entries.
        _set(ms) {
          due = read + Math.max(ms, 1)
        },
        _clear() {
          due = FOREVER
        },
        _endRun() {},
      }
    })
}
