/** refresh() stores only an order number in the handle. The wheel computes the new deadline from it much later. */
import { expect, it } from '@jest/globals'
import { onEachBackend } from './backends.js'

// Delays on both sides of 2^29 ms, the length of a stage of far deadlines.
const DELAYS = [1, 20, 60_000, 131_072, 3_600_000, 2 ** 29 - 1, 2 ** 29, 2 ** 29 + 1, 2 ** 31 - 1]

onEachBackend(({ TimerWheel }) => {
  it.each(DELAYS)('runs a timer of %d ms that was refreshed once exactly on time', (delay) => {
    const wheel = new TimerWheel({ driver: 'manual' })
    const ran: string[] = []
    const timer = wheel.setTimeout(() => ran.push('timer'), delay)
    const half = delay >> 1
    wheel.advance(half)
    timer.refresh()
    wheel.setTimeout(() => ran.push('after'), delay)
    wheel.advance(delay - 1)
    expect(ran).toEqual([])
    wheel.advance(1)
    expect(ran).toEqual(['timer', 'after'])
  })

  it('keeps the time of a refresh through many later refreshes', () => {
    const wheel = new TimerWheel({ driver: 'manual' })
    const ran: number[] = []
    let time = 0
    const delay = 131_072
    const longest = wheel.setTimeout(() => ran.push(time), delay)
    const busy = wheel.setTimeout(() => ran.push(-time), 50)
    wheel.advance(1000 - 951)
    time = 49
    longest.refresh()
    // A timer is refreshed in every tick; the refresh above is the oldest.
    for (; ran.length === 0; time++) {
      busy.refresh()
      wheel.advance(1)
    }
    expect(ran[0]).toBeGreaterThanOrEqual(49 + delay - 1)
    expect(ran[0]).toBeLessThanOrEqual(49 + delay - 1 + delay / 32_768)
    wheel.advance(48)
    expect(ran.length).toBe(1)
    wheel.advance(1)
    expect(ran.length).toBe(2)
  })

  it('returns the remaining time of a refreshed timer from stop()', () => {
    const wheel = new TimerWheel({ driver: 'manual' })
    const early = wheel.setTimeout(() => {}, 100)
    const late = wheel.setTimeout(() => {}, 90)
    wheel.advance(40)
    early.refresh()
    wheel.advance(20)
    late.refresh()
    wheel.advance(5)
    const left = wheel
      .stop()
      .map(({ timeout, remaining }) => [timeout === early ? 'early' : 'late', remaining])
    expect(left).toEqual([
      ['early', 75],
      ['late', 85],
    ])
  })
})
