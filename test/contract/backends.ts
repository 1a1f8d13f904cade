/** Each specification of this folder describes one behaviour and runs on both builds of the core. */
import type * as native from 'timeout-wheel/native'
import { builds } from './builds.js'

export type Backend = Omit<typeof native, 'backend'> & { readonly backend: 'native' | 'wasm' }
export type Wheel = native.TimerWheel
export type WheelOptions = native.TimerWheelOptions

export function onEachBackend(specify: (backend: Backend) => void): void {
  for (const backend of builds) describe(backend.backend, () => specify(backend))
}

/** Older runtimes and the sandbox of Jest lack this symbol. */
export const dispose: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose')

/** Makes a wheel whose time passes only in `advance()`. */
export function manualWheel({ TimerWheel }: Backend, options: Omit<WheelOptions, 'driver'> = {}): Wheel {
  return new TimerWheel({ ...options, driver: 'manual' })
}

/** A callback, a listener, or a use of a value, that does nothing. */
export const ignore = (_argument?: unknown): void => {}

/** Returns a function that throws: a getter, or a method of a user. */
export const throwerOf = (error: unknown) => (): never => {
  throw error
}

/** Returns the value that `code` throws. */
export function thrownBy(code: () => unknown): unknown {
  try {
    code()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

export const TYPE = 'ERR_INVALID_ARG_TYPE'
export const RANGE = 'ERR_OUT_OF_RANGE'
export const VALUE = 'ERR_INVALID_ARG_VALUE'

/** The error of a promise that was aborted. */
export const ABORTED = { name: 'AbortError', code: 'ABORT_ERR', message: 'The operation was aborted' }

/** Checks that `code` throws an error with exactly this code and message. */
export function expectRefusal(code: () => unknown, expected: string, message: string): void {
  const error = thrownBy(code)
  expect(error).toBeInstanceOf(expected === RANGE ? RangeError : TypeError)
  expect(error).toMatchObject({ code: expected, message })
}

/** Whether a build is one for Node: its handles have the fields of Node's. */
export function isForNode({ setTimeout, clearTimeout }: Backend): boolean {
  const probe = setTimeout(() => {})
  clearTimeout(probe)
  return '_idleTimeout' in probe
}
