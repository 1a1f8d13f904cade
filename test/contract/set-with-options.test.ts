/** `setTimeout(callback, { delay })` and `setInterval` of a wheel. */
import { ignore, manualWheel, onEachBackend, RANGE, throwerOf, thrownBy } from './backends.js'

const METHODS = ['setTimeout', 'setInterval'] as const

onEachBackend((backend) => {
  // For other exact delays see the programs of model.test.ts.
  it('keeps a fraction of the delay, and takes one of 2^53 - 1', () => {
    const wheel = manualWheel(backend)
    const [fraction, most] = [2.5, Number.MAX_SAFE_INTEGER].map((delay) =>
      wheel.setTimeout(ignore, { delay }),
    )
    expect([fraction!.deadline, most!.deadline]).toEqual([2.5, Number.MAX_SAFE_INTEGER])
    wheel.advance(1)
    expect(fraction!.refresh().refresh().deadline).toBe(3.5)
  })

  it.each<[object, 'TYPE' | 'VALUE', string, (readonly (typeof METHODS)[number][])?]>([
    [{ delay: '5' }, 'TYPE', 'delay must be a number of milliseconds, got "5"'],
    [{ delay: 5, signal: 1 }, 'VALUE', 'unknown option "signal", known: delay(, drift)?'],
    [{ delay: 5, drift: false }, 'VALUE', 'unknown option "drift", known: delay', ['setTimeout']],
    [{ drift: false }, 'TYPE', 'delay must be a number', ['setInterval']],
    [{}, 'TYPE', 'delay must be a number'],
    [{ ms: 5000 }, 'VALUE', 'unknown option "ms", known: delay(, drift)?'],
    [{ delay: 5, drift: 0 }, 'TYPE', 'drift must be a boolean, got 0', ['setInterval']],
    [{ delay: 5, drift: null }, 'TYPE', 'drift must be a boolean, got null', ['setInterval']],
    [{ delay: 5, drift: 'no' }, 'TYPE', 'drift must be a boolean, got "no"', ['setInterval']],
  ])('refuses the options %p', (options, kind, text, methods = METHODS) => {
    const wheel = manualWheel(backend)
    const [code, message] = [`ERR_INVALID_ARG_${kind}`, expect.stringMatching(`^${text}`)]
    for (const method of methods) {
      const error = thrownBy(() => wheel[method](ignore, options as never))
      expect(error).toMatchObject({ name: 'TypeError', code, message })
    }
    expect(thrownBy(() => wheel.setTimeout(ignore, { delay: -1 }))).toMatchObject({ code: RANGE })
    expect(wheel.pending).toBe(0)
  })

  it('leaves no timer behind if an accessor throws', () => {
    const wheel = manualWheel(backend)
    const get = throwerOf(new SyntaxError('expected'))
    const options = Object.defineProperty({}, 'delay', { get, enumerable: true })
    expect(() => wheel.setTimeout(ignore, options as never)).toThrow(SyntaxError)
    expect(wheel.pending).toBe(0)
  })
})
