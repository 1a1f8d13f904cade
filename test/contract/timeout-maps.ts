/** Makes TimeoutMaps whose time passes only in `advance()` of their wheel. */
import type { TimeoutMapOptions } from 'timeout-wheel'
import { type Backend, manualWheel, type Wheel } from './backends.js'

type Expired = [value: unknown, key: unknown]

/** Returns a function that makes a map in virtual time, and the list of its calls of `onExpire`. */
export function mapsOn(backend: Backend) {
  return function manualMap<K = unknown, V = unknown>(
    options: TimeoutMapOptions<K, V> = {},
    wheel: Wheel = manualWheel(backend),
  ) {
    const expired: Expired[] = []
    const onExpire = (value: V, key: K): unknown => expired.push([value, key])
    return { wheel, expired, map: new backend.TimeoutMap<K, V>({ onExpire, wheel, ...options }) }
  }
}
