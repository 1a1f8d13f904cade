/** All validation of what callers pass, and every error thrown for it: before anything has changed. */
import type { Driver } from './backend.js'

/** The largest delay of `schedule` and `reschedule`, in milliseconds: 2^53 - 1. */
export const MAX_DELAY = Number.MAX_SAFE_INTEGER
/** The largest tick, in milliseconds. */
export const MAX_TICK = 2 ** 31 - 1

/** An error's `code`, as Node's own errors carry one. */
export type ErrorCode =
  | 'ERR_INVALID_ARG_TYPE'
  | 'ERR_INVALID_ARG_VALUE'
  | 'ERR_OUT_OF_RANGE'
  | 'ERR_WHEEL_STOPPED'
  | 'ERR_WHEEL_FULL'
  | 'ERR_WHEEL_DRIVER'
  | 'ERR_WHEEL_ENDLESS'

function withCode<E extends Error>(error: E, code: ErrorCode): E {
  return Object.assign(error, { code })
}

/** A value in an error message: short, and never by calling into it. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 28 ? `${value.slice(0, 25)}...` : value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'symbol') return value.toString()
  if (typeof value === 'function') return `function ${value.name}`.trimEnd()
  if (Object.is(value, -0)) return '-0'
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return 'an array'
  return 'an object'
}

function invalidType(what: string, value: unknown): TypeError {
  return withCode(new TypeError(`${what}, got ${show(value)}`), 'ERR_INVALID_ARG_TYPE')
}

function outOfRange(what: string, value: unknown): RangeError {
  return withCode(new RangeError(`${what}, got ${show(value)}`), 'ERR_OUT_OF_RANGE')
}

export function checkCallback(callback: unknown): void {
  if (typeof callback !== 'function') throw invalidCallback(callback)
}

export function invalidCallback(callback: unknown): TypeError {
  return invalidType('callback must be a function', callback)
}

export function checkDelay(delay: unknown): void {
  if (typeof delay !== 'number') throw invalidType('delay must be a number of milliseconds', delay)
  if (!(delay >= 0 && delay <= MAX_DELAY)) {
    throw outOfRange(`delay must be a finite number of milliseconds from 0 to ${MAX_DELAY}`, delay)
  }
}

export function checkId(id: unknown): void {
  if (typeof id !== 'number') throw invalidType('id must be a number that schedule() returned', id)
}

/** The options of a wheel, with what they are when left out. */
export interface CheckedOptions {
  tick: number
  budget: number
  asyncContext: boolean
  driver: Driver | 'manual'
}

const DRIVERS = ['host', 'worker', 'animation-frame', 'manual']

export function checkOptions(options: unknown): CheckedOptions {
  if (options === undefined) options = {}
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalidType('options must be an object', options)
  }
  const { tick = 1, budget = 5, asyncContext = true, driver = 'host' } = options as Record<string, unknown>
  if (typeof tick !== 'number') throw invalidType('tick must be a number of milliseconds', tick)
  if (!Number.isInteger(tick) || tick < 1 || tick > MAX_TICK) {
    throw outOfRange(`tick must be a whole number of milliseconds from 1 to ${MAX_TICK}`, tick)
  }
  if (typeof budget !== 'number') throw invalidType('budget must be a number of milliseconds', budget)
  if (!(budget > 0)) throw outOfRange('budget must be a number of milliseconds above 0, or Infinity', budget)
  if (typeof asyncContext !== 'boolean') throw invalidType('asyncContext must be a boolean', asyncContext)
  if (!DRIVERS.includes(driver as string)) {
    throw withCode(
      new TypeError(`driver must be one of '${DRIVERS.join("', '")}', got ${show(driver)}`),
      'ERR_INVALID_ARG_VALUE',
    )
  }
  return { tick, budget, asyncContext, driver: driver as CheckedOptions['driver'] }
}

export function wheelStopped(): Error {
  return withCode(new Error('the wheel was stopped: it takes no more timers'), 'ERR_WHEEL_STOPPED')
}

export function wheelFull(pending: number): RangeError {
  return withCode(
    new RangeError(
      `the wheel holds ${pending} timers and cannot grow: out of memory, or of room for more records`,
    ),
    'ERR_WHEEL_FULL',
  )
}

export function idsExhausted(): RangeError {
  return withCode(
    new RangeError('no more ids for schedule(): stop() the wheels that are no longer used'),
    'ERR_WHEEL_FULL',
  )
}

export function notManual(method: string): Error {
  return withCode(
    new Error(`${method}() moves virtual time: it needs a wheel made with { driver: 'manual' }`),
    'ERR_WHEEL_DRIVER',
  )
}

export function insideCallback(): Error {
  return withCode(
    new Error('virtual time cannot be moved from a callback that moving it runs'),
    'ERR_WHEEL_DRIVER',
  )
}

export function endless(limit: number, pending: number): Error {
  return withCode(
    new Error(
      `runAll() ended after ${limit} callbacks with ${pending} timers pending: an interval, or timers that set the next?`,
    ),
    'ERR_WHEEL_ENDLESS',
  )
}

export function checkLimit(limit: unknown): void {
  if (typeof limit !== 'number') throw invalidType('limit must be a number of callbacks', limit)
  if (!Number.isSafeInteger(limit) || limit < 0) {
    throw outOfRange(`limit must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`, limit)
  }
}

/** Beyond, milliseconds could no longer be told apart. */
export function checkEndOfTime(end: number): void {
  if (end > MAX_DELAY + 1) throw outOfRange('virtual time must end at 2^53 ms at the latest', end)
}

export function checkAdvance(ms: unknown): void {
  if (typeof ms !== 'number') throw invalidType('ms must be a number of milliseconds', ms)
  if (!(ms >= 0 && ms <= MAX_DELAY)) {
    throw outOfRange(
      `ms must be a finite number of milliseconds from 0 to ${MAX_DELAY}: time goes forward`,
      ms,
    )
  }
}
