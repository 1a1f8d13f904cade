/** Checks of the arguments of a TimeoutMap. */
// biome-ignore format: a list of words
import {
  checkBoolean, checkLargest, checkObject, checkOptionNames, invalidType, outOfRange,
} from '../common/errors.js'
import { FOREVER } from '../common/forever.js'

const MAX_TTL = Number.MAX_SAFE_INTEGER
const TTLS = `a finite number of milliseconds from 0 to ${MAX_TTL}, or Infinity`

export function checkTtl(ttl: unknown): asserts ttl is number {
  if (typeof ttl !== 'number') throw invalidType('ttl', 'a number of milliseconds', ttl)
  if (!(ttl >= 0 && (ttl <= MAX_TTL || ttl === FOREVER))) throw outOfRange('ttl', TTLS, ttl)
}

/** The options of a TimeoutMap, with the defaults filled in. */
export interface CheckedMapOptions {
  ttl: number
  max: number
  refreshOnGet: boolean
  onExpire: ((value: never, key: never) => unknown) | undefined
  unref: boolean
  wheel: unknown
}

const MAP_OPTIONS = ['ttl', 'max', 'refreshOnGet', 'onExpire', 'unref', 'wheel']

export function checkMapOptions(options: unknown = {}): CheckedMapOptions {
  checkObject('options', options)
  checkOptionNames(options, MAP_OPTIONS)
  const {
    ttl = FOREVER,
    max = FOREVER,
    refreshOnGet = false,
    onExpire,
    unref = true,
    wheel,
  } = options as Record<string, unknown>
  checkTtl(ttl)
  checkLargest('max', 'entries', max)
  checkBoolean('refreshOnGet', refreshOnGet)
  if (onExpire !== undefined && typeof onExpire !== 'function') {
    throw invalidType('onExpire', 'a function', onExpire)
  }
  checkBoolean('unref', unref)
  return { ttl, max, refreshOnGet, onExpire: onExpire as CheckedMapOptions['onExpire'], unref, wheel }
}

export function notAWheel(wheel: unknown): TypeError {
  return invalidType('wheel', 'a TimerWheel of this entry of the package', wheel)
}
