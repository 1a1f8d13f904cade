/**
 * The timer of a TimeoutMap on workerd that has no wheel. Requests share the map, and none of them lives as long as its entries. So the
 * map has no timer of the host: a call that finds it due lets it run in microtasks, which are those of the caller's request.
 */
import { FOREVER } from '../common/constants.js'
import { Entries, type OpenEntries } from '../map/entries.js'
import { WheelMapTimer } from '../wheel/map-timer.js'
import { wheelOf } from '../wheel/timer-wheel.js'

/** @param now the clock of the host. It never goes back, and stands at 0 before the first request @param ask requests a microtask */
export function requestMapEntriesOn(now: () => number, ask: (run: () => void) => void): OpenEntries {
  /** The start of the first request. */
  let origin = 0
  return (options) =>
    new Entries(options, (client, wheel) => {
      if (wheel !== undefined) return new WheelMapTimer(client, wheelOf(wheel))
      let read = 0
      let due: number = FOREVER
      const run = (): void => {
        if (due <= read) client._run()
      }
      return {
        _isStopped: () => false,
        _lag: () => 0,
        _now() {
          origin ||= now()
          read = now() - origin
          // A run reads the clock too, and so requests another one: it can throw, or leave something to do.
          if (due <= read) ask(run)
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
