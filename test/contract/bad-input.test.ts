/** The package refuses callbacks as Node does, in pages also text. For all other arguments see bad-options.test.ts. */
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
    const ours = { name: 'TypeError', message: `callback must be a function, got ${shown}`, code: TYPE }
    // Node's own function says what to expect, so that the test fits every version. A page, which has no immediates, takes text.
    const native = 'setImmediate' in backend ? refused(() => setTimeout(callback, 1)) : ours
    expect(native).toMatchObject({ name: 'TypeError', code: TYPE })
    for (const owner of [wheel, backend]) {
      expect(refused(() => owner.setTimeout(callback, 1))).toEqual(native)
      expect(refused(() => owner.setInterval(callback, 1))).toEqual(native)
    }
    for (const take of [wheel.schedule, wheel.group, backend.timerGroup])
      expect(refused(() => Reflect.apply(take, wheel, [callback, 1]))).toEqual(ours)
    // Whatever the delay.
    for (const ms of [1, 2 ** 40, 2 ** 60])
      expect(refused(() => backend.setLongTimeout(callback, ms))).toMatchObject({
        name: 'TypeError',
        code: TYPE,
      })
    expect(wheel.pending).toBe(0)
  })
})
