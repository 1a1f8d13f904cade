/** The package refuses callbacks as Node does. For all other arguments see bad-options.test.ts. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend, TYPE, thrownBy } from './backends.js'

onEachBackend((backend) => {
  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['text', '"text"'],
    [5, '5'],
    [{}, 'an object'],
    [[], 'an array'],
    [7n, '7n'],
    [Symbol('s'), 'Symbol(s)'],
  ])('refuses a callback that is not a function: %p', (given, shown) => {
    const callback = given as never
    const wheel = manualWheel(backend)
    const refused = (set: () => unknown): object => {
      const { name, message, code } = thrownBy(set) as Error & { code: unknown }
      return { name, message, code }
    }
    // Node's own function says what to expect, so that the test fits every version.
    const native = refused(() => setTimeout(callback, 1))
    expect(native).toMatchObject({ name: 'TypeError', code: TYPE })
    for (const owner of [wheel, backend]) {
      expect(refused(() => owner.setTimeout(callback, 1))).toEqual(native)
      expect(refused(() => owner.setInterval(callback, 1))).toEqual(native)
    }
    const message = `callback must be a function, got ${shown}`
    expect(refused(() => wheel.schedule(callback, 1))).toEqual({ name: 'TypeError', message, code: TYPE })
    expect(wheel.pending).toBe(0)
  })
})
