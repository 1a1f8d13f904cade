/** The errors of the package, and tests for errors that it has to recognize. checks.ts throws the errors about arguments. */

/** The `code` of an error, as in Node's own errors. */
type ErrorCode =
  | 'ERR_INVALID_ARG_TYPE'
  | 'ERR_INVALID_ARG_VALUE'
  | 'ERR_OUT_OF_RANGE'
  | 'ERR_INVALID_THIS'
  | 'ERR_WHEEL_STOPPED'
  | 'ERR_WHEEL_FULL'
  | 'ERR_WHEEL_LIMIT'
  | 'ERR_WHEEL_DRIVER'
  | 'ERR_WHEEL_ENDLESS'

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

export function invalidValue(name: string, what: string, value: unknown): TypeError {
  return coded(TypeError, 'ERR_INVALID_ARG_VALUE', mustBe(name, what, value))
}

export function outOfRange(name: string, what: string, value: unknown): RangeError {
  return coded(RangeError, 'ERR_OUT_OF_RANGE', mustBe(name, what, value))
}

export function unknownOption(name: string, known: readonly string[]): TypeError {
  return coded(TypeError, 'ERR_INVALID_ARG_VALUE', `unknown option ${show(name)}, known: ${known.join(', ')}`)
}

export function invalidCallback(callback: unknown): TypeError {
  return invalidType('callback', 'a function', callback)
}

/** The error of a signal or of `withTimeout` whose time is over. It is that of `AbortSignal.timeout`, and tells the delay. */
export const timedOut = (ms: number): DOMException =>
  new DOMException(`timed out after ${ms} ms`, 'TimeoutError')

/** The error of a promise whose signal was aborted; undefined: whose wheel was cleared. */
export function aborted(signal?: AbortSignal): Error {
  const error = new Error('The operation was aborted', signal && { cause: signal.reason })
  return Object.assign(error, { code: 'ABORT_ERR', name: 'AbortError' })
}

/** @param name the name of the wheel; empty: it has none */
const wheelCalled = (name: string): string => `the wheel${name && ` ${show(name)}`}`

export function wheelStopped(name: string): Error {
  return coded(Error, 'ERR_WHEEL_STOPPED', `${wheelCalled(name)} was stopped: it takes no more timers`)
}

export function groupStopped(): Error {
  return coded(Error, 'ERR_WHEEL_STOPPED', 'the group or its wheel was stopped: it takes no more members')
}

export function wheelFull(pending: number): RangeError {
  return coded(RangeError, 'ERR_WHEEL_FULL', `no memory for a timer: the wheel has ${pending} timers`)
}

export function wheelLimit(maxPending: number, name: string): RangeError {
  const message = `${wheelCalled(name)} takes no more timers: maxPending is ${maxPending}`
  return coded(RangeError, 'ERR_WHEEL_LIMIT', message)
}

/** Whether an error says that a wheel or a group was stopped. */
export function isStopped(error: unknown): boolean {
  return (error as { code?: ErrorCode }).code === 'ERR_WHEEL_STOPPED'
}

/** @param cause the engine's error */
export function noMoreWheels(cause: unknown): RangeError {
  return coded(RangeError, 'ERR_WHEEL_FULL', `no more wheels (${cause}): stop() unused wheels, or share one`)
}

export function notManual(method: string): Error {
  return coded(Error, 'ERR_WHEEL_DRIVER', `${method}() needs a wheel made with { driver: 'manual' }`)
}

export function openedBeforeTesting(): Error {
  const message =
    'a wheel was opened before timeout-wheel/testing was imported: import it first, as a setup file'
  return coded(Error, 'ERR_WHEEL_DRIVER', message)
}

export function insideCallback(): Error {
  return coded(Error, 'ERR_WHEEL_DRIVER', 'a callback that advance() or runAll() runs cannot call them')
}

export function endless(limit: number, pending: number): Error {
  const message = `runAll() ended after ${limit} callbacks with ${pending} pending: raise the limit`
  return coded(Error, 'ERR_WHEEL_ENDLESS', message)
}

/** Thrown by a method of a handle that is called on another object. */
export function notAHandle(): TypeError {
  return coded(TypeError, 'ERR_INVALID_THIS', 'a method of a timer was called on another object')
}

export function notAWheel(wheel: unknown): TypeError {
  return invalidType('wheel', 'a TimerWheel of this entry of the package', wheel)
}
