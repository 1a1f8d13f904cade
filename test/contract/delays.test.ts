/** `setTimeout` and `setInterval` coerce their delay as Node does. */
import { manualWheel, onEachBackend, type Wheel } from './backends.js'

/** The warnings of coerced delays, each at most once in a process: from Node 24 on, and not in a page. */
const MAY_WARN =
  Number.parseInt(process.versions?.node ?? '0', 10) >= 24
    ? ['TimeoutNegativeWarning', 'TimeoutNaNWarning']
    : []

/** Returns after how many milliseconds all timers have run. */
function timeToEnd(wheel: Wheel): number {
  let passed = 0
  for (; wheel.pending > 0 && passed < 50; passed++) wheel.advance(1)
  return passed
}

/** Runs code, and returns the warnings that it emits. */
function warningsOf(code: () => void): unknown[][] {
  const { emitWarning } = process
  const warnings: unknown[][] = []
  process.emitWarning = (...args: unknown[]) => void warnings.push(args)
  try {
    code()
  } finally {
    process.emitWarning = emitWarning
  }
  return warnings
}

onEachBackend((backend) => {
  it.each<[expected: number, given: unknown[]]>([
    [1, [undefined, null, 0, -0, -5, Number.NaN, Number.NEGATIVE_INFINITY, 0.9, 1.9, true, '', 'soon']],
    [3, [3, ' 3.7 ']],
    [7, [7.999]],
    [8, [[8]]],
    [9, [new Date(9)]],
    [12, ['12']],
  ])('coerces some delays to %d, for timeouts, intervals and refreshes', (expected, given) => {
    const warnings = warningsOf(() => {
      for (const delay of given as number[]) {
        const wheel = manualWheel(backend)
        const timeout = wheel.setTimeout(() => {}, delay)
        expect([delay, timeToEnd(wheel)]).toEqual([delay, expected])
        timeout.refresh(40).refresh(delay)
        // Without a delay, the last one stays.
        expect(timeToEnd(wheel)).toBe(delay === undefined ? 40 : expected)
        timeout.refresh()
        expect(timeToEnd(wheel)).toBe(delay === undefined ? 40 : expected)
        const interval = wheel.setInterval(() => {}, delay)
        expect(interval.remaining).toBe(expected)
      }
    })
    const types = warnings.map(([, type]) => type)
    expect(MAY_WARN).toEqual(expect.arrayContaining([...new Set(types)]))
    expect(new Set(types).size).toBe(types.length)
  })

  it.each([2 ** 31, 2 ** 32 + 5, 1e20, Number.POSITIVE_INFINITY])(
    'coerces %d, which does not fit into 32 bits, to 1 and warns',
    (delay) => {
      const wheel = manualWheel(backend)
      const warnings = warningsOf(() => wheel.setTimeout(() => {}, delay))
      expect(timeToEnd(wheel)).toBe(1)
      const message = `${delay} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`
      expect(warnings).toEqual([[message, 'TimeoutOverflowWarning']])
    },
  )

  it('keeps the delay 2^31 - 1', () => {
    const wheel = manualWheel(backend)
    const warnings = warningsOf(() => wheel.setTimeout(() => {}, 2 ** 31 - 1))
    wheel.advance(2 ** 31 - 2)
    expect([wheel.pending, timeToEnd(wheel), warnings]).toEqual([1, 1, []])
  })

  it.each([1n, Symbol('delay')])('throws if the delay cannot be converted to a number: %p', (delay) => {
    const wheel = manualWheel(backend)
    for (const set of [wheel.setTimeout.bind(wheel), backend.setLongTimeout])
      expect(() => set(() => {}, delay as never)).toThrow(TypeError)
    expect(wheel.pending).toBe(0)
  })
})
