/**
 * The base classes of handles: Node's AsyncResource, or a class without an async context. A handle is an async resource by
 * inheritance, because a second object for each timer would cost more than the timer.
 */

import { CLEARED, UNREFERENCED } from '../../common/constants.js'
import type { AsyncContext, AsyncContextConstructor } from '../host/node-host.js'
import { DESTROYED } from './state.js'

export const ASYNC_OPTIONS = { requireManualDestroy: true }

/** The last number that stands for an async id. They are greater than those of any host's timers. */
let lastId = 2 ** 40

/** The base of handles without an async context. */
export class NoContext implements AsyncContext {
  runInAsyncScope<R>(fn: (...args: unknown[]) => R, self?: unknown): R {
    return fn.call(self)
  }
  asyncId(): number {
    return ++lastId
  }
  emitDestroy(): void {}
}

/** One sample object of each class. */
const samples: object[] = []

/**
 * Settles the layout that V8 gives to the handles of a class.
 *
 * The host writes async ids into each handle. V8 has seen that they come from a Float64Array, and would box each in 16 bytes.
 * A field that once held another kind of value holds small integers directly. V8 drops unused layouts, so one sample is kept.
 */
export function settleLayout(Class: new (...args: never[]) => object, Base: AsyncContextConstructor): void {
  // Only a constructor makes an async resource. Async hooks can see it.
  const made: object = Reflect.construct(Base, ['timeout-wheel', ASYNC_OPTIONS], Class)
  const sample = made as Record<string | symbol, unknown>
  for (const key of Object.getOwnPropertySymbols(sample)) {
    const value = sample[key]
    if (typeof value !== 'number') continue
    sample[key] = undefined
    sample[key] = value
  }
  // Hooks keep the sample too. It says that it is over, and that it keeps nothing alive.
  sample._state = DESTROYED | CLEARED | UNREFERENCED
  ;(made as AsyncContext).emitDestroy()
  samples.push(sample)
}
