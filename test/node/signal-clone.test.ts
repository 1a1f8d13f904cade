/** Clones of signals with a timer. In a page the methods of a signal are its properties, and no clone can be made. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend } from '../contract/backends.js'

onEachBackend((backend) => {
  it('is cloned as a signal of the host, and has no names of its own', () => {
    const wheel = manualWheel(backend)
    const clone = (signal: AbortSignal): unknown => {
      try {
        return structuredClone(signal)
      } catch (error) {
        return (error as Error).name
      }
    }
    const signals = [wheel.signal(10), wheel.signal(10).refresh(5), wheel.signal(1)]
    wheel.advance(1)
    for (const signal of signals) {
      expect([clone(signal), Object.getOwnPropertyNames(signal)]).toEqual([
        clone(AbortSignal.timeout(1)),
        Object.getOwnPropertyNames(AbortSignal.timeout(1)),
      ])
      expect([signal.constructor, Symbol.toStringTag in signal]).toEqual([AbortSignal, true])
    }
  })
})
