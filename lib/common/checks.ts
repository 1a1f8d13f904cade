/**
 * Checks of all arguments and options. A check runs before anything changes.
 *
 * Texts that several checks share are written out: gzip stores them once, and bundlers keep an unused template.
 */
import type { IdleTimeoutOptions } from '../api/idle-timeout.js'
import type { TimerWheelOptions } from '../api/wheel.js'
import { DEFAULT_BUDGET, DEFAULT_TICK, FOREVER } from './constants.js'
import { invalidCallback, invalidType, invalidValue, outOfRange, unknownOption } from './errors.js'

function checkNumber(
  name: string,
  value: unknown,
  what = 'a number of milliseconds',
): asserts value is number {
  if (typeof value !== 'number') throw invalidType(name, what, value)
}

export function checkBoolean(name: string, value: unknown): asserts value is boolean {
  if (typeof value !== 'boolean') throw invalidType(name, 'a boolean', value)
}

function checkObject(name: string, value: unknown): asserts value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidType(name, 'an object', value)
  }
}

/** Checks a largest number of things. */
export function checkLargest(name: string, things: string, value: unknown): asserts value is number {
  checkNumber(name, value, `a number of ${things}`)
  if (!(value === FOREVER || (Number.isSafeInteger(value) && value > 0))) {
    throw outOfRange(name, 'a whole number from 1, or Infinity', value)
  }
}

/** Checks that a value is an object whose properties all have one of these names. */
export function checkOptionNames(
  options: unknown,
  names: readonly string[],
): asserts options is Record<string, unknown> {
  checkObject('options', options)
  const other = Object.keys(options).find((name) => !names.includes(name))
  if (other !== undefined) throw unknownOption(other, names)
}

export function checkCallback(callback: unknown): void {
  if (typeof callback !== 'function') throw invalidCallback(callback)
}

/** The largest delay of `schedule` and `reschedule`, in milliseconds: 2^53 - 1. */
const MAX_DELAY = Number.MAX_SAFE_INTEGER
/** The longest tick, in milliseconds. */
const MAX_TICK = 2 ** 31 - 1

// Two functions, so that engines inline the first: every `schedule` checks its delay.
const isMilliseconds = (value: unknown): boolean =>
  typeof value === 'number' && value >= 0 && value <= MAX_DELAY

/** @param or the other values that are accepted, as the end of the message */
function noMilliseconds(name: string, value: unknown, or = ''): Error {
  checkNumber(name, value)
  return outOfRange(name, `a finite number of milliseconds from 0 to ${MAX_DELAY}${or}`, value)
}

export function checkDelay(delay: unknown): void {
  if (!isMilliseconds(delay)) throw noMilliseconds('delay', delay)
}

/**
 * Refuses a plain object with a delay in place of a delay: only the methods of wheels take one. Other values are legal, as in Node.
 *
 * @param delay converted to NaN
 */
export function refuseOptions(delay: unknown): void {
  const value = delay as object
  if (value.constructor === Object && 'delay' in value)
    throw invalidType('delay', 'a number of milliseconds (a TimerWheel takes options)', delay)
}

/** Converts the delay of `setLongTimeout` to a number of milliseconds. NaN: it is not a number. */
export function checkLongDelay(delay: unknown): number {
  // A bigint or a symbol throws here.
  const ms = delay === undefined ? 1 : (delay as number) * 1
  if (Number.isNaN(ms)) refuseOptions(delay)
  if (ms > MAX_DELAY) throw outOfRange('delay', `a number of milliseconds up to ${MAX_DELAY}`, delay)
  return ms
}

/** Checks the time to live of an entry. */
export function checkTtl(ttl: unknown): asserts ttl is number {
  if (!(isMilliseconds(ttl) || ttl === FOREVER)) throw noMilliseconds('ttl', ttl, ', or Infinity')
}

export function checkAdvance(ms: unknown): void {
  if (!isMilliseconds(ms)) throw noMilliseconds('ms', ms)
}

export function checkId(id: unknown): void {
  checkNumber('id', id, 'a number that schedule() returned')
}

export function checkMember(member: unknown): void {
  checkNumber('member', member, 'a number that add() returned')
}

export function checkLimit(limit: unknown): void {
  checkNumber('limit', limit, 'a number of callbacks')
  if (!Number.isSafeInteger(limit) || limit < 0) {
    throw outOfRange('limit', `a whole number from 0 to ${MAX_DELAY}`, limit)
  }
}

/** Beyond 2^53, a number cannot distinguish one unit from the next. @param end in milliseconds; in microseconds if `perMs` is above 1 */
export function checkEndOfTime(end: number, perMs: number): void {
  if (end > MAX_DELAY + 1) {
    throw outOfRange('the end of virtual time', `2^53 ${perMs > 1 ? 'us' : 'ms'} at the latest`, end)
  }
}

/** @param text the value of `TIMEOUT_WHEEL_BUDGET` */
export function budgetOfText(text: string): number {
  const budget = Number(text)
  if (!(budget > 0))
    throw outOfRange('TIMEOUT_WHEEL_BUDGET', 'a number of milliseconds above 0, or Infinity', text)
  return budget
}

/** Returns the option `unref` of options that have no other; undefined: they do not say. */
export function checkUnref(options: unknown = {}): boolean | undefined {
  checkOptionNames(options, ['unref'])
  const { unref } = options
  if (unref !== undefined) checkBoolean('unref', unref)
  return unref
}

/** Checks the arguments of `idleTimeout`, and returns its options. 0 ms is refused: in `server.setTimeout` it means no timeout. */
export function checkIdleTimeout(server: unknown, ms: unknown, options: unknown = {}): IdleTimeoutOptions {
  const { on, off } = Object(server) as { on?: unknown; off?: unknown }
  if (typeof on !== 'function' || typeof off !== 'function') {
    throw invalidType('server', 'a server of node:http or node:https', server)
  }
  checkNumber('ms', ms)
  if (!(ms > 0 && ms <= MAX_DELAY)) {
    throw outOfRange('ms', `a number of milliseconds above 0, at most ${MAX_DELAY}`, ms)
  }
  checkOptionNames(options, ['wheel'])
  const { wheel } = options as IdleTimeoutOptions
  if (wheel !== undefined && typeof Object(wheel).group !== 'function') {
    throw invalidType('wheel', 'a TimerWheel', wheel)
  }
  return { wheel }
}

function checkSignal(signal: unknown): asserts signal is AbortSignal | undefined {
  if (signal !== undefined && !(typeof signal === 'object' && signal !== null && 'aborted' in signal)) {
    throw invalidType('signal', 'an AbortSignal', signal)
  }
}

/** Returns the options of `withTimeout`. */
export function checkWithTimeoutOptions(options: unknown = {}): {
  signal: AbortSignal | undefined
  unref: boolean
} {
  checkOptionNames(options, ['signal', 'unref'])
  const { signal, unref = false } = options
  checkSignal(signal)
  checkBoolean('unref', unref)
  return { signal, unref }
}

/** Checks the arguments of a promise. @param delay any number, or undefined */
export function checkPromised(delay: unknown, options: unknown): void {
  if (delay !== undefined) checkNumber('delay', delay)
  checkObject('options', options)
  const { signal, ref = true } = options as { signal?: unknown; ref?: unknown }
  checkBoolean('ref', ref)
  checkSignal(signal)
}

/** The options that a timer has instead of its delay. */
export interface CheckedSetOptions {
  delay: number
  drift: boolean
}

/** Returns them; undefined: the object is a delay, because it converts to a number. */
export function checkSetOptions(options: object | null, repeats: boolean): CheckedSetOptions | undefined {
  const names = repeats ? ['delay', 'drift'] : ['delay']
  if (!options || !('delay' in options || Number.isNaN(+options))) return undefined
  checkOptionNames(options, names)
  const { delay, drift = true } = options as Record<string, unknown>
  checkDelay(delay)
  checkBoolean('drift', drift)
  return { delay: delay as number, drift }
}

/** The options of a wheel, with the defaults filled in. */
export type CheckedOptions = { [Name in keyof TimerWheelOptions]-?: NonNullable<TimerWheelOptions[Name]> }

function checkBudget(name: string, budget: unknown): asserts budget is number {
  checkNumber(name, budget)
  if (!(budget > 0)) throw outOfRange(name, 'a number of milliseconds above 0, or Infinity', budget)
}

/** Returns the budget in the options of a page's `configure`, or the present one if they have none. */
export function checkSharedOptions(options: unknown, present: number): number {
  checkOptionNames(options, ['budget'])
  const { budget = present } = options
  checkBudget('budget', budget)
  return budget
}

/** Returns the options of `configure` on Node, or the present ones in their place. */
export function checkConfigured(options: unknown, presentBudget: number, isMeasured: boolean) {
  checkOptionNames(options, ['budget', 'measure'])
  const { budget = presentBudget, measure = isMeasured } = options
  checkBudget('budget', budget)
  checkBoolean('measure', measure)
  return { budget, measure }
}

function checkTick(name: string, tick: unknown): void {
  checkNumber(name, tick)
  if (!(tick >= 0.05 && tick <= MAX_TICK && Math.round(tick * 1000) / 1000 === tick)) {
    throw outOfRange(name, `a multiple of 0.001 ms from 0.05 to ${MAX_TICK}`, tick)
  }
}

/** The default and the check of each option of a wheel. */
const OPTIONS: Record<string, [fallback: unknown, check: (name: string, value: unknown) => void]> = {
  tick: [DEFAULT_TICK, checkTick],
  budget: [DEFAULT_BUDGET, checkBudget],
  asyncContext: [true, checkBoolean],
  driver: [
    'host',
    (name, value) => {
      const drivers: unknown[] = ['host', 'worker', 'manual']
      if (!drivers.includes(value)) throw invalidValue(name, `one of ${drivers.join(', ')}`, value)
    },
  ],
  maxPending: [FOREVER, (name, value) => checkLargest(name, 'timers', value)],
  unref: [false, checkBoolean],
  name: [
    '',
    (name, value) => {
      if (typeof value !== 'string') throw invalidType(name, 'a string', value)
    },
  ],
  measure: [false, checkBoolean],
}

export function checkOptions(options: unknown = {}): CheckedOptions {
  checkOptionNames(options, Object.keys(OPTIONS))
  const checked: Record<string, unknown> = {}
  for (const name in OPTIONS) {
    const [fallback, check] = OPTIONS[name]!
    const { [name]: value = fallback } = options
    check(name, value)
    checked[name] = value
  }
  return checked as unknown as CheckedOptions
}
