/** What a driver reads from the memory of a wheel on WebAssembly. */
import { KEEPS_LOOP_ALIVE, REFERENCED, RETAINED, UNREFERENCED, WAKE } from '../../memory/layout.js'
import { MAX_HOST_DELAY } from './host-alarm.js'

/** The value of `HELD` that follows from the number of timers. */
export function heldOf(words: Int32Array): number {
  if (words[REFERENCED]! > 0) return KEEPS_LOOP_ALIVE
  return words[UNREFERENCED]! > 0 ? RETAINED : 0
}

/** The milliseconds until an armed wheel needs a slice. @param now the time in ticks @param tick their length */
export function delayOf(words: Int32Array, now: number, tick: number): number {
  const ahead = (words[WAKE]! - (Math.floor(now) | 0)) | 0
  return Math.min(Math.max((Math.floor(now) + ahead - now) * tick, 0), MAX_HOST_DELAY)
}
