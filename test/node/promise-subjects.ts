/** The implementations of `timers/promises` that the tests compare, and how they look at an outcome. */
import { getEventListeners } from 'node:events'
import * as nativeTimers from 'node:timers'
import * as native from 'node:timers/promises'
import { expect } from '@jest/globals'
import * as addon from 'timeout-wheel/native'
import * as wasm from 'timeout-wheel/wasm'

export type Promises = addon.TimersPromises
export type Options = addon.TimerOptions

/** The promises of an implementation, and its function that calls callbacks. */
type Subject = Promises & { setCallback: (callback: () => void, delay: number) => unknown }

const SUBJECTS: Subject[] = [
  { ...(native as Promises), setCallback: nativeTimers.setTimeout },
  { ...addon.promises, setCallback: addon.setTimeout },
  { ...wasm.promises, setCallback: wasm.setTimeout },
]

/**
 * Runs a scenario on Node's functions and on ours on both builds, at the same time, and returns the result. The results must be equal,
 * and as expected. So the tests demand only what Node does.
 */
export async function alike(expected: unknown, scenario: (of: Subject) => unknown): Promise<unknown> {
  const [onNode, ...onOurs] = await Promise.all(SUBJECTS.map(async (of) => scenario(of)))
  expect(onNode).toEqual(expected)
  for (const result of onOurs) expect(result).toEqual(onNode)
  return onNode
}

/** The longest delay, for timers that no test waits for. */
export const LONG = 2 ** 31 - 1

/** Describes a value. An error is shown without its stack, which Jest changes: see promises-process.test.ts. */
function seen(value: unknown): unknown {
  if (Object.prototype.toString.call(value) !== '[object Error]') return value
  const error = value as Error
  const { stack, ...own } = Object.getOwnPropertyDescriptors(error)
  return { name: error.name, own, text: String(error), type: error.constructor.name }
}

/** Returns the outcome of a call: the error that it throws, or the result of its promise. */
export async function outcome(call: () => unknown): Promise<object> {
  let promise: unknown
  try {
    promise = call()
  } catch (error) {
    return { threw: seen(error) }
  }
  return Promise.resolve(promise).then(
    (value) => ({ fulfilled: seen(value) }),
    (error) => ({ rejected: seen(error) }),
  )
}

const { objectContaining, stringContaining } = expect

/** The outcome of a call that refuses an argument. @param text the begin of its message */
export const refusal = (text: string): object => ({
  rejected: objectContaining({ text: stringContaining(`TypeError [ERR_INVALID_ARG_TYPE]: ${text}`) }),
})

/** The outcome of a call that was aborted. @param cause the reason of its signal */
export const aborted = (cause: unknown): object => ({
  rejected: objectContaining({
    text: 'AbortError: The operation was aborted',
    own: objectContaining({
      code: objectContaining({ value: 'ABORT_ERR' }),
      cause: objectContaining({ value: cause, enumerable: false }),
    }),
  }),
})

export const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

/** Values of many kinds. Node's errors show each of them in another way. */
export const VALUES: unknown[] = [
  null,
  true,
  "it's",
  'a text of more than twenty-eight characters',
  -0,
  Number.NaN,
  5n,
  Symbol('s'),
  [],
  function named() {},
  (() => () => {})(),
  class Named {},
  { signal: 1 },
  new Map(),
  Object.create(null),
  Object.assign(Object.create(null), { signal: 1 }),
]
