/** `timeout-wheel/native`: always the addon. If it does not load, the import throws an error with the reason. */
import type { TimeoutMap as ExpiringMap, TimeoutMapConstructor } from '../api/timeout-map.js'
import type { TimerWheelConstructor, TimerWheel as Wheel } from '../api/wheel.js'
import { native } from './choose-backend.js'

export type * from '../types.js'

const entry = native()
// An interface of this module, so that declarations written by a compiler can name it.
export interface TimerWheel extends Wheel {}
/** A separate timing wheel with a clock, a budget and a lifecycle of its own. */
export const TimerWheel: TimerWheelConstructor<TimerWheel> = entry.TimerWheel
export interface TimeoutMap<K, V> extends ExpiringMap<K, V> {}
/** A Map whose entries expire. */
export const TimeoutMap: TimeoutMapConstructor = entry.TimeoutMap
// biome-ignore format: a list of words
export const {
  setTimeout, setInterval, clearTimeout, clearInterval, configure, pendingTimers, stats,
  setLongTimeout, timerGroup, timeoutSignal, withTimeout, backend,
} = entry
