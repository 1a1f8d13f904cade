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

/** @param now the clock of the host. It stands at 0 before the first request, and can be behind in another request */
export function requestMapEntriesOn(now: () => number): OpenEntries {
  let origin = 0
  let latest = 0
  /** Returns the milliseconds since the first request. Never goes back. */
  const clock = (): number => {
    const time = now()
    origin ||= time
    latest = Math.max(latest, time - origin)
    return latest
  }
  return (options) =>
    new Entries(options, (client, wheel) => {
      if (wheel !== undefined) return new WheelMapTimer(client, wheelOf(wheel))
      let read = 0
      let due: number = FOREVER
      const runIfDue = (): void => {
        if (due <= clock()) client._run()
      }
      return {
        _isVirtual: false,
        _isStopped: () => false,
        _lag: () => 0,
        _now() {
          read = clock()
          if (due <= read) queueMicrotask(runIfDue)
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
