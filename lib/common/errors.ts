/** Checks of all arguments and options, and the errors thrown to callers. A check runs before anything changes. */
import type { IdleTimeoutOptions } from '../api/idle-timeout.js'
import { DEFAULT_BUDGET, DEFAULT_TICK } from './defaults.js'
import { FOREVER } from './forever.js'

/** The largest delay of `schedule` and `reschedule`, in milliseconds: 2^53 - 1. */
const MAX_DELAY = Number.MAX_SAFE_INTEGER
/** The longest tick, and the most slack, in milliseconds. */
const MAX_TICK = 2 ** 31 - 1

/** The `code` of an error, as in Node's own errors. */
export type ErrorCode =
  | 'ERR_INVALID_ARG_TYPE'
  | 'ERR_INVALID_ARG_VALUE'
  | 'ERR_OUT_OF_RANGE'
  | 'ERR_INVALID_THIS'
  | 'ERR_WHEEL_STOPPED'
  | 'ERR_WHEEL_FULL'
  | 'ERR_WHEEL_LIMIT'
  | 'ERR_WHEEL_DRIVER'
  | 'ERR_WHEEL_ENDLESS'
  | 'ABORT_ERR'

function coded<E extends Error>(Class: new (message: string) => E, code: ErrorCode, message: string): E {
  return Object.assign(new Class(message), { code })
}

/** Describes a value for an error message: short, and without a call of the value's methods. */
function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 28 ? `${value.slice(0, 25)}...` : value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function') return value.name ? `function ${value.name}` : 'function'
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? 'an array' : 'an object'
}

function mustBe(name: string, what: string, value: unknown): string {
  return `${name} must be ${what}, got ${show(value)}`
}

export function invalidType(name: string, what: string, value: unknown): TypeError {
  return coded(TypeError, 'ERR_INVALID_ARG_TYPE', mustBe(name, what, value))
}

function invalidValue(name: string, what: string, value: unknown): TypeError {
  return coded(TypeError, 'ERR_INVALID_ARG_VALUE', mustBe(name, what, value))
}

export function outOfRange(name: string, what: string, value: unknown): RangeError {
  return coded(RangeError, 'ERR_OUT_OF_RANGE', mustBe(name, what, value))
}

function checkOneOf(name: string, values: readonly string[], value: unknown): void {
  if (!values.includes(value as string)) throw invalidValue(name, `one of ${values.join(', ')}`, value)
}

const MILLISECONDS = 'number of milliseconds'

function checkNumber(name: string, value: unknown, what = `a ${MILLISECONDS}`): asserts value is number {
  if (typeof value !== 'number') throw invalidType(name, what, value)
}

export function checkBoolean(name: string, value: unknown): asserts value is boolean {
  if (typeof value !== 'boolean') throw invalidType(name, 'a boolean', value)
}

export function checkObject(name: string, value: unknown): asserts value is object {
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

/** Checks that all options have one of these names. */
export function checkOptionNames(options: object, names: readonly string[]): void {
  for (const name of Object.keys(options)) checkOneOf('every option', names, name)
}

export function checkCallback(callback: unknown): void {
  if (typeof callback !== 'function') throw invalidCallback(callback)
}

export function invalidCallback(callback: unknown): TypeError {
  return invalidType('callback', 'a function', callback)
}

// Two functions, so that engines inline the first: every `schedule` checks its delay.
const isMilliseconds = (value: unknown): boolean =>
  typeof value === 'number' && value >= 0 && value <= MAX_DELAY

function noMilliseconds(name: string, value: unknown): Error {
  checkNumber(name, value)
  return outOfRange(name, `a finite ${MILLISECONDS} from 0 to ${MAX_DELAY}`, value)
}

export function checkDelay(delay: unknown): void {
  if (!isMilliseconds(delay)) throw noMilliseconds('delay', delay)
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

/** Returns the options of a group, with the defaults filled in. */
export function checkGroupOptions(options: unknown = {}): { unref: boolean } {
  checkObject('options', options)
  checkOptionNames(options, ['unref'])
  const { unref = false } = options as { unref?: unknown }
  checkBoolean('unref', unref)
  return { unref }
}

export function checkServer(server: unknown): void {
  const { on, off } = Object(server) as { on?: unknown; off?: unknown }
  if (typeof on !== 'function' || typeof off !== 'function') {
    throw invalidType('server', 'a server of node:http, node:https, node:net or node:tls', server)
  }
}

/** Checks the time of an idle timeout. 0 is refused: in `server.setTimeout` it means no timeout. */
export function checkIdleTime(ms: unknown): void {
  checkNumber('ms', ms)
  if (!(ms > 0 && ms <= MAX_DELAY)) {
    throw outOfRange('ms', `a ${MILLISECONDS} above 0, at most ${MAX_DELAY}`, ms)
  }
}

/** Returns the options of an idle timeout. */
export function checkIdleTimeoutOptions(options: unknown = {}): IdleTimeoutOptions {
  checkObject('options', options)
  checkOptionNames(options, ['wheel'])
  const { wheel } = options as IdleTimeoutOptions
  if (wheel !== undefined && typeof Object(wheel).group !== 'function') {
    throw invalidType('wheel', 'a TimerWheel', wheel)
  }
  return { wheel }
}

/** Checks the delay of a promise: any number, or undefined. */
export function checkPromisedDelay(delay: unknown): void {
  if (delay !== undefined) checkNumber('delay', delay)
}

function checkSignal(signal: unknown): asserts signal is AbortSignal | undefined {
  if (signal !== undefined && !(typeof signal === 'object' && signal !== null && 'aborted' in signal)) {
    throw invalidType('signal', 'an AbortSignal', signal)
  }
}

/** Returns the option `unref` of a signal with a timer. */
export function checkSignalOptions(options: unknown = {}): boolean {
  checkObject('options', options)
  checkOptionNames(options, ['unref'])
  const { unref = true } = options as { unref?: unknown }
  checkBoolean('unref', unref)
  return unref
}

/** Returns the options of `withTimeout`. */
export function checkWithTimeoutOptions(options: unknown = {}): {
  signal: AbortSignal | undefined
  unref: boolean
} {
  checkObject('options', options)
  checkOptionNames(options, ['signal', 'unref'])
  const { signal, unref = false } = options as { signal?: unknown; unref?: unknown }
  checkSignal(signal)
  checkBoolean('unref', unref)
  return { signal, unref }
}

/** Checks the options of a promise. */
export function checkTimerOptions(options: unknown): void {
  checkObject('options', options)
  const { signal, ref = true } = options as { signal?: unknown; ref?: unknown }
  checkBoolean('ref', ref)
  checkSignal(signal)
}

/** Returns the options that a timer has in place of its delay; undefined: it has a delay. */
export function checkSetOptions(
  options: unknown,
): { delay: number; signal: AbortSignal | undefined } | undefined {
  const isOptions =
    typeof options === 'object' && options !== null && ('delay' in options || 'signal' in options)
  if (!isOptions) return undefined
  checkOptionNames(options, ['delay', 'signal'])
  const { delay, signal } = options as { delay?: unknown; signal?: unknown }
  checkDelay(delay)
  checkSignal(signal)
  return { delay: delay as number, signal }
}

/** The error of a promise whose signal was aborted; undefined: whose wheel was cleared. */
export function aborted(signal?: AbortSignal): Error {
  const error = coded(Error, 'ABORT_ERR', 'The operation was aborted')
  return Object.assign(error, { name: 'AbortError' }, signal && { cause: signal.reason })
}

/** The options of a wheel, with the defaults filled in. */
export interface CheckedOptions {
  tick: number
  budget: number
  asyncContext: boolean
  maxPending: number
  unref: boolean
  name: string
  measure: boolean
  slack: number
  driver: 'host' | 'worker' | 'animation-frame' | 'manual'
}

function checkBudget(budget: unknown): asserts budget is number {
  checkNumber('budget', budget)
  // The text is not a constant, because bundlers keep an unused template.
  if (!(budget > 0)) throw outOfRange('budget', `a ${MILLISECONDS} above 0, or Infinity`, budget)
}

function checkSlack(slack: unknown): asserts slack is number {
  checkNumber('slack', slack)
  if (!(slack >= 0 && slack <= MAX_TICK)) {
    throw outOfRange('slack', `a ${MILLISECONDS} from 0 to ${MAX_TICK}`, slack)
  }
}

/** Returns the slack in the options of `schedule`; undefined if they have none. */
export function checkScheduleOptions(options: unknown): number | undefined {
  checkObject('options', options)
  checkOptionNames(options, ['slack'])
  const { slack } = options as { slack?: unknown }
  if (slack !== undefined) checkSlack(slack)
  return slack
}

/** Returns the budget in the options of a page's `configure`, or the present one if they have none. */
export function checkSharedOptions(options: unknown, present: number): number {
  checkObject('options', options)
  checkOptionNames(options, ['budget'])
  const { budget = present } = options as Record<string, unknown>
  checkBudget(budget)
  return budget
}

/** The options of `configure` on Node. @returns the budget as above, and whether to measure, if they say so */
export function checkConfigured(
  options: unknown,
  present: number,
): { budget: number; measure: boolean | undefined } {
  checkObject('options', options)
  checkOptionNames(options, ['budget', 'measure'])
  const { budget = present, measure } = options as Record<string, unknown>
  checkBudget(budget)
  if (measure !== undefined) checkBoolean('measure', measure)
  return { budget, measure }
}

const DRIVERS = ['host', 'worker', 'animation-frame', 'manual']
const OPTIONS = [
  'tick',
  'budget',
  'asyncContext',
  'driver',
  'maxPending',
  'unref',
  'name',
  'measure',
  'slack',
]

export function checkOptions(options: unknown = {}): CheckedOptions {
  checkObject('options', options)
  checkOptionNames(options, OPTIONS)
  const {
    tick = DEFAULT_TICK,
    budget = DEFAULT_BUDGET,
    asyncContext = true,
    driver = 'host',
    maxPending = FOREVER,
    unref = false,
    name = '',
    measure = false,
    slack = 0,
  } = options as Record<string, unknown>
  checkNumber('tick', tick)
  if (!(tick >= 0.05 && tick <= MAX_TICK && Math.round(tick * 1000) / 1000 === tick)) {
    throw outOfRange('tick', `a multiple of 0.001 ms from 0.05 to ${MAX_TICK}`, tick)
  }
  checkBudget(budget)
  checkBoolean('asyncContext', asyncContext)
  checkOneOf('driver', DRIVERS, driver)
  checkLargest('maxPending', 'timers', maxPending)
  checkSlack(slack)
  checkBoolean('unref', unref)
  if (typeof name !== 'string') throw invalidType('name', 'a string', name)
  checkBoolean('measure', measure)
  return {
    tick,
    budget,
    asyncContext,
    driver: driver as CheckedOptions['driver'],
    maxPending,
    unref,
    name,
    measure,
    slack,
  }
}

/** Throws the error of a method of a wheel that was called without the wheel. */
export function withoutWheel(method: string): never {
  throw coded(TypeError, 'ERR_INVALID_THIS', `${method} was called without its wheel`)
}

export function wheelStopped(): Error {
  return coded(Error, 'ERR_WHEEL_STOPPED', 'the wheel was stopped: it takes no more timers')
}

export function groupStopped(): Error {
  return coded(Error, 'ERR_WHEEL_STOPPED', 'the group or its wheel was stopped: it takes no more members')
}

export function wheelFull(pending: number): RangeError {
  return coded(RangeError, 'ERR_WHEEL_FULL', `no memory for more timers than ${pending} on this wheel`)
}

/** @param name the name of the wheel; empty: it has none */
export function wheelLimit(maxPending: number, name: string): RangeError {
  const wheel = name && ` ${show(name)}`
  return coded(
    RangeError,
    'ERR_WHEEL_LIMIT',
    `the wheel${wheel} takes no more timers: maxPending is ${maxPending}`,
  )
}

/** Whether an error says that a wheel takes no more timers: that nothing was scheduled. */
export function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: ErrorCode }
  return code === 'ERR_WHEEL_FULL' || code === 'ERR_WHEEL_LIMIT'
}

/** @param what the resource that is used up: `ids`, or `wheels` followed by the engine's error */
export function exhausted(what: string): RangeError {
  return coded(RangeError, 'ERR_WHEEL_FULL', `no more ${what}: stop() wheels that are not used, or share one`)
}

export function unknownBackend(name: string): RangeError {
  return outOfRange('TIMEOUT_WHEEL_BACKEND', "'native' or 'wasm'", name)
}

/** @param text the value of `TIMEOUT_WHEEL_BUDGET` */
export function budgetOfText(text: string): number {
  const budget = Number(text)
  if (!(budget > 0)) throw outOfRange('TIMEOUT_WHEEL_BUDGET', `a ${MILLISECONDS} above 0, or Infinity`, text)
  return budget
}

/** Whether an error says that a wheel or a group was stopped. */
export function isStopped(error: unknown): boolean {
  return (error as { code?: ErrorCode }).code === 'ERR_WHEEL_STOPPED'
}

export function notManual(method: string): Error {
  return coded(Error, 'ERR_WHEEL_DRIVER', `${method}() needs a wheel made with { driver: 'manual' }`)
}

export function insideCallback(): Error {
  return coded(Error, 'ERR_WHEEL_DRIVER', 'a callback cannot move the virtual time that runs it')
}

export function endless(limit: number, pending: number): Error {
  const message = `runAll() ended after ${limit} callbacks with ${pending} pending: raise the limit`
  return coded(Error, 'ERR_WHEEL_ENDLESS', message)
}

export function checkLimit(limit: unknown): void {
  checkNumber('limit', limit, 'a number of callbacks')
  if (!Number.isSafeInteger(limit) || limit < 0) {
    throw outOfRange('limit', `a whole number from 0 to ${MAX_DELAY}`, limit)
  }
}

/** Beyond 2^53, a number cannot distinguish one unit from the next. @param end in units: see ticks.ts */
export function checkEndOfTime(end: number, perMs: number): void {
  if (end > MAX_DELAY + 1) {
    throw outOfRange('the end of virtual time', `2^53 ${perMs > 1 ? 'us' : 'ms'} at the latest`, end)
  }
}

/** Thrown by a method of a handle if `this` has the fields of a handle but no handle is behind it. */
export function notAHandle(): Error {
  return new TypeError('the object is no timer, and none stands behind it')
}
