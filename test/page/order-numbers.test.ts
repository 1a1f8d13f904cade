/** Order numbers start again after a billion operations. The wheels of these tests begin shortly before that. */
import { describe, expect, it } from '@jest/globals'
import { instantiateWasm } from '../../lib/memory/instantiate-wasm.js'
import { EPOCH_LENGTH, ORDER, ORDER_NUMBER } from '../../lib/memory/layout.js'
import { LAST_ORDER } from '../../lib/page/constants.js'
import { pageHostOf } from '../../lib/page/host.js'
import { openScheduler } from '../../lib/page/scheduler.js'
import type { OpenCore } from '../../lib/page/scheduler-types.js'
import { wheelOn } from '../../lib/page/timers.js'
import { randomFrom } from '../contract/random.js'

/** Opens cores whose next order number is `first`. */
const coresFrom =
  (first: number): OpenCore =>
  () => {
    const exports = instantiateWasm()
    return {
      ...exports,
      open(blocks) {
        exports.open(blocks)
        new Int32Array(exports.memory.buffer)[ORDER] = first
      },
    }
  }

/** Performs 2,000 random operations in virtual time. Returns which callbacks ran, and when. */
function logOf(seed: number, firstOrder: number): string[] {
  const { below } = randomFrom(seed)
  const TimerWheel = wheelOn(coresFrom(firstOrder), pageHostOf(globalThis), globalThis)
  const wheel = new TimerWheel({ driver: 'manual' })
  const log: string[] = []
  let time = 0
  const note = (name: string): void => {
    log.push(`${time} ${name}`)
    // Set while other due timers still wait.
    if (below(4) === 0) wheel.schedule(note, below(10), `${name}'`)
  }
  const ids: number[] = []
  const handles: { refresh(): unknown }[] = []
  const operations = [
    (n: number) => ids.push(wheel.schedule(note, below(40), `number ${n}`)),
    (n: number) => handles.push(wheel.setTimeout(note as never, below(40), `handle ${n}` as never)),
    () => wheel.reschedule(ids[below(ids.length)] ?? 0, below(40)),
    () => handles[below(handles.length)]?.refresh(),
    () => wheel.cancel(ids[below(ids.length)] ?? 0),
  ]
  for (let n = 0; n < 2000; n++) {
    operations[below(operations.length)]!(n)
    if (below(8) > 0) continue
    for (let ms = below(4); ms > 0; ms--) {
      time++
      wheel.advance(1)
    }
  }
  log.push(...wheel.stop().map(({ args, remaining }) => `${args} is left with ${remaining}`))
  return log
}

describe('when order numbers start again', () => {
  const seeds = Array.from({ length: 20 }, (_, i) => i + 1)

  it.each(seeds)('runs timers in the same order as without it (program %d)', (seed) => {
    const expected = logOf(seed, 0)
    expect(expected.length).toBeGreaterThan(500)
    expect(logOf(seed, LAST_ORDER - 83 * seed)).toEqual(expected)
  })

  it('gives pending timers the lowest numbers, and new timers the next ones', () => {
    const scheduler = openScheduler(
      coresFrom(LAST_ORDER - 3 * EPOCH_LENGTH),
      1,
      () => 0,
      () => {},
    )
    const units = Array.from({ length: 300 }, () => scheduler._schedule(0, () => {}, 50))
    const numbers = units.map((unit) => scheduler._words()[(unit << 2) | ORDER_NUMBER]!)
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    // The timer that is being set at that moment may already have a number of its own.
    expect(numbers.at(-1)).toBeLessThanOrEqual(units.length)
    expect(new Set(numbers).size).toBe(units.length)
  })

  it('runs no timer early that was set since the last reading of the clock', () => {
    let now = 0
    const scheduler = openScheduler(
      coresFrom(LAST_ORDER - 2 * EPOCH_LENGTH - 30),
      1,
      () => now,
      () => {},
    )
    const waited: number[] = []
    for (let n = 0; n < 300; n++) {
      const set = now
      // Due after all are set, because running a timer reads the clock.
      scheduler._schedule(0, () => waited.push(now - set), 100)
      // So short that 64 operations share a reading. A tick ends in the epoch before the renumbering.
      now += 0.007
    }
    while (scheduler._pending() > 0) {
      now = Math.max(now, scheduler._nextWake())
      while (scheduler._step());
    }
    expect(waited.length).toBe(300)
    expect(Math.min(...waited)).toBeGreaterThanOrEqual(100)
  })
})
