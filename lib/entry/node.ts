/** `timeout-wheel` on Node: the addon, or WebAssembly if the addon does not load. */
import type { TimeoutMap as ExpiringMap, TimeoutMapConstructor } from '../api/timeout-map.js'
import type { TimerWheelConstructor, TimerWheel as Wheel } from '../api/wheel.js'
import { nativeOrWasm } from './choose-backend.js'

export type * from '../types.js'

const entry = nativeOrWasm()
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
  setLongTimeout, timerGroup, timeoutSignal, withTimeout,
} = entry
/** The build of the core that runs. `TIMEOUT_WHEEL_BACKEND=native` or `wasm` in the environment forces one. */
export const backend = entry.backend
