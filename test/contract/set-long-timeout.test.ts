/** `setLongTimeout(callback, delay)` on the shared wheel, in real time. test/node/stopped.test.ts waits for months with wheels. */
import { expectRefusal, ignore, onEachBackend, RANGE } from './backends.js'

const MOST = Number.MAX_SAFE_INTEGER
const DAY = 24 * 3_600_000
const DELAYS = [2 ** 31 - 1, 2 ** 31, 25 * DAY, 365 * DAY, 2 ** 40, 2 ** 52, MOST]

onEachBackend(({ setLongTimeout, setTimeout }) => {
  it.each<[given: unknown, ms: number]>([
    ...DELAYS.map((ms): [number, number] => [ms, ms]),
    [`${MOST}`, MOST],
    [{ valueOf: () => MOST }, MOST],
    [2 ** 31 - 0.5, 2 ** 31 - 1], // The fraction is cut off.
  ])('waits for %p: %d ms', (given, ms) => {
    const timeout = setLongTimeout(ignore, given as never)
    expect(timeout).toBeInstanceOf(setTimeout(ignore, 1).close().constructor)
    const { pending, remaining } = timeout
    timeout.close()
    expect([pending, timeout.pending]).toEqual([true, false])
    // A busy machine may have taken a minute since.
    expect(remaining).toBeGreaterThan(ms - 60_000)
    expect(remaining).toBeLessThanOrEqual(ms + 1)
  })

  it.each([
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [2 ** 53, '9007199254740992'],
    [1e300, '1e+300'],
    ['Infinity', '"Infinity"'],
  ])('refuses %p', (delay, got) => {
    expectRefusal(
      () => setLongTimeout(ignore, delay as never),
      RANGE,
      `delay must be a number of milliseconds up to ${MOST}, got ${got}`,
    )
  })

  it('runs short delays as setTimeout does, with its arguments', async () => {
    for (const ms of [undefined, 0, 5, '5', 1.5]) {
      const ran = new Promise((resolve) => {
        const run = function (this: unknown, ...args: unknown[]): void {
          resolve([this === timeout, ...args])
        }
        const timeout = setLongTimeout(run, ms as never, 'a', 7)
      })
      expect(await ran).toEqual([true, 'a', 7])
    }
  })
})
