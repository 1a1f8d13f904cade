/** The implementations of `timers/promises` that the tests compare, and how they look at an outcome. */
import { getEventListeners } from 'node:events'
import * as nativeTimers from 'node:timers'
import * as native from 'node:timers/promises'
import * as addon from 'timeout-wheel/native'
import * as wasm from 'timeout-wheel/wasm'

export type Promises = addon.TimersPromises

interface Implementation {
  name: string
  promises: Promises
  setTimeout: (callback: () => void, delay: number) => unknown
}

export const IMPLEMENTATIONS: Implementation[] = [
  { name: 'node:timers', promises: native, setTimeout: nativeTimers.setTimeout },
  { name: 'the addon', promises: addon.promises, setTimeout: addon.setTimeout },
  { name: 'wasm', promises: wasm.promises, setTimeout: wasm.setTimeout },
]

/** The longest delay, for timers that no test waits for. */
export const LONG = 2 ** 31 - 1

/** Describes a value. An error is shown without its stack, which Jest changes: see promises-process.test.ts. */
function seen(value: unknown): unknown {
  if (Object.prototype.toString.call(value) !== '[object Error]') return value
  const error = value as Error
  const own = Object.fromEntries(
    Object.getOwnPropertyNames(error)
      .filter((name) => name !== 'stack')
      .map((name) => [name, Object.getOwnPropertyDescriptor(error, name)]),
  )
  return { name: error.name, own, text: String(error), type: error.constructor.name }
}

/** Returns the outcome of a call: the error that it throws, or the result of its promise. */
export async function outcome(call: () => unknown): Promise<unknown> {
  let promise: unknown
  try {
    promise = call()
  } catch (error) {
    return { threw: seen(error) }
  }
  try {
    return { fulfilled: seen(await promise) }
  } catch (error) {
    return { rejected: seen(error) }
  }
}

export async function rejection(promise: Promise<unknown>): Promise<NodeJS.ErrnoException> {
  try {
    await promise
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
  throw new Error('it was not rejected')
}

/** Counts the microtasks until a promise settles. */
export async function microtasksUntilSettled(promise: Promise<unknown>): Promise<number> {
  let settled = false
  const settle = () => {
    settled = true
  }
  promise.then(settle, settle)
  let count = 0
  for (; !settled && count < 100; count++) await undefined
  return count
}

export const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

export const BAD_VALUES: [string, unknown][] = [
  ['null', null],
  ['a boolean', true],
  ['a text', "it's"],
  ['a long text', 'a text of more than twenty-eight characters'],
  ['a number', -0],
  ['not a number', Number.NaN],
  ['a bigint', 5n],
  ['a symbol', Symbol('s')],
  ['an array', []],
  ['a function', function named() {}],
  ['a function without a name', (() => () => {})()],
  ['a class', class Named {}],
  ['an object', { signal: 1 }],
  ['an object of a class', new Map()],
  ['an object without a prototype', Object.create(null)],
  ['an object with a field and no prototype', Object.assign(Object.create(null), { signal: 1 })],
]

/** Calls next() until an error ends the loop. */
export async function endless(iterator: AsyncIterable<unknown>): Promise<never> {
  let values = 0
  for await (const _ of iterator) if (++values === 3) throw new Error('three values')
  throw new Error('it ended')
}
