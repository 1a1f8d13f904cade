/** `setTimeout` and `setInterval` coerce their delay as Node does. */
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { type Backend, manualWheel, onEachBackend, type Wheel } from './backends.js'

/** Advances in steps and returns after how many milliseconds all timers had run. */
function advanceUntilEmpty(wheel: Wheel): number {
  let passed = 0
  while (wheel.pending > 0 && passed < 50) {
    wheel.advance(1)
    passed++
  }
  return passed
}

function delayOf(backend: Backend, delay: unknown): number {
  const wheel = manualWheel(backend)
  wheel.setTimeout(() => {}, delay as number)
  return advanceUntilEmpty(wheel)
}

onEachBackend((backend) => {
  let warnings: unknown[][] = []
  beforeEach(() => {
    warnings = []
    jest.spyOn(process, 'emitWarning').mockImplementation((...args: unknown[]) => void warnings.push(args))
  })
  afterEach(() => {
    jest.restoreAllMocks()
  })

  it.each([
    ['nothing', undefined, 1],
    ['null', null, 1],
    ['0', 0, 1],
    ['-0', -0, 1],
    ['-5', -5, 1],
    ['NaN', Number.NaN, 1],
    ['-Infinity', Number.NEGATIVE_INFINITY, 1],
    ['0.9', 0.9, 1],
    ['1.9', 1.9, 1],
    ['7.999', 7.999, 7],
    ['true', true, 1],
    ["'12'", '12', 12],
    ["' 3.7 '", ' 3.7 ', 3],
    ["''", '', 1],
    ["'soon'", 'soon', 1],
    ['an object', {}, 1],
    ['[8]', [8], 8],
    ['a date', new Date(9), 9],
  ])('coerces the delay %s', (_name, delay, expected) => {
    expect(delayOf(backend, delay)).toBe(expected)
  })

  it.each([2 ** 31, 2 ** 32 + 5, 1e20, Number.POSITIVE_INFINITY])(
    'coerces %d, which does not fit into 32 bits, to 1 and warns',
    (delay) => {
      expect(delayOf(backend, delay)).toBe(1)
      expect(warnings).toEqual([
        [
          `${delay} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`,
          'TimeoutOverflowWarning',
        ],
      ])
    },
  )

  it('keeps the delay 2^31 - 1', () => {
    const wheel = manualWheel(backend)
    wheel.setTimeout(() => {}, 2 ** 31 - 1)
    wheel.advance(2 ** 31 - 2)
    expect(wheel.pending).toBe(1)
    wheel.advance(1)
    expect(wheel.pending).toBe(0)
    expect(warnings).toEqual([])
  })

  it.each([1n, Symbol('delay')])('throws if the delay cannot be converted to a number: %p', (delay) => {
    const wheel = manualWheel(backend)
    expect(() => wheel.setTimeout(() => {}, delay as never)).toThrow(TypeError)
    expect(wheel.pending).toBe(0)
  })

  it('coerces the delay of an interval and of refresh() in the same way', () => {
    const wheel = manualWheel(backend)
    let runs = 0
    const interval = wheel.setInterval(() => runs++, '4.5' as never)
    wheel.advance(9)
    expect(runs).toBe(2)
    interval.close()
    const timeout = wheel.setTimeout(() => {}, 40)
    timeout.refresh('6.5' as never)
    expect(advanceUntilEmpty(wheel)).toBe(6)
    timeout.refresh()
    expect(advanceUntilEmpty(wheel)).toBe(6)
    timeout.refresh(-1)
    expect(advanceUntilEmpty(wheel)).toBe(1)
  })

  it('does not coerce the delays of schedule(), but rounds them up to the tick', () => {
    const wheel = manualWheel(backend)
    for (const [delay, expected] of [
      [0, 1],
      [0.001, 1],
      [1, 1],
      [1.001, 2],
      [19.5, 20],
    ] as const) {
      wheel.schedule(() => {}, delay)
      expect(advanceUntilEmpty(wheel)).toBe(expected)
    }
  })

  it('rounds delays up to a longer tick', () => {
    const wheel = manualWheel(backend, { tick: 10 })
    for (const [delay, expected] of [
      [1, 10],
      [10, 10],
      [11, 20],
      [20, 20],
    ] as const) {
      wheel.setTimeout(() => {}, delay)
      expect(advanceUntilEmpty(wheel)).toBe(expected)
    }
  })
})
