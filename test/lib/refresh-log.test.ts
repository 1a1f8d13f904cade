/** White-box: tests cannot reach the limits of the log through refresh(). */
import { describe, expect, it } from '@jest/globals'
import { RefreshLog } from '../../lib/node/scheduler/refresh-log.js'
import { newSeed, randomFrom } from '../contract/random.js'
import { scaled } from '../scale.js'

it('returns the time of each refresh', () => {
  const log = new RefreshLog()
  log.append(0, 1000)
  log.append(64, 1001)
  log.append(140, 1005)
  const orders = [0, 1, 63, 64, 139, 140, 999, 70, 3, 141]
  expect(orders.map((order) => log.timeOf(order))).toEqual([
    1000, 1000, 1000, 1001, 1001, 1005, 1005, 1001, 1000, 1005,
  ])
})

it('keeps one entry for all refreshes of one millisecond', () => {
  const log = new RefreshLog()
  for (let order = 0; order < 6400; order += 64) log.append(order, order < 3200 ? 7 : 8)
  expect(log.timeOf(3199)).toBe(7)
  expect(log.timeOf(3200)).toBe(8)
  expect(log.length).toBe(2)
})

it('replaces a time before the newest one by the newest one', () => {
  const log = new RefreshLog()
  log.append(0, 10)
  log.append(1, 9)
  expect([log.timeOf(0), log.timeOf(1), log.length]).toEqual([10, 10, 1])
})

/** Appends refreshes one at a time. Returns the logged time of each, and its age at the end. */
function checkRounding(times: readonly number[], log: RefreshLog): void {
  const now = times.at(-1)!
  times.forEach((time, order) => {
    const logged = log.timeOf(order)
    const allowed = (now - time) / 32_768
    if (logged < time || logged - time > allowed) {
      throw new Error(`refresh ${order} at ${time} is logged at ${logged}, ${now - time} ms later`)
    }
  })
}

describe('rounds refresh times up only, and by at most 1/32,768 of their age', () => {
  it.each([1, 2, 3, 7, 100, 12_345])('with one in %d milliseconds', (step) => {
    const log = new RefreshLog()
    // Ages of more than 32,768 ms are rounded.
    const count = scaled(step < 7 ? 60_000 : 20_000, 200_000)
    const times = Array.from({ length: count }, (_, n) => 5_000_000_003 + n * step)
    for (const [order, time] of times.entries()) log.append(order, time)
    checkRounding(times, log)
  })

  const seed = newSeed()
  it(`at random, with pauses (seed ${seed})`, () => {
    const random = randomFrom(seed)
    const log = new RefreshLog()
    const times: number[] = []
    let now = 2 ** 32 - 100_000
    for (let n = 0; n < scaled(40_000, 300_000); n++) {
      const pause = random() < 0.0001 ? 2 ** (31 * random()) / 50 : 3 * random()
      now += Math.ceil(pause)
      times.push(now)
      log.append(n, now)
    }
    // Only the last 24 days: no timer needs older entries.
    const oldest = times.findIndex((time) => now - time < 2 ** 31)
    checkRounding(times.map((time, n) => (n < oldest ? times[oldest]! : time)).slice(oldest), {
      timeOf: (order: number) => log.timeOf(order + oldest),
    } as RefreshLog)
  })
})

it('takes at most 6 MB, however many refreshes there are in 24 days', () => {
  const log = new RefreshLog()
  let order = 0
  let time = 0
  // Each level fills at the rate of a program that refreshes in every millisecond. A level holds 2^15 ages, and 2^12 entries of any age.
  const entries = scaled(2 ** 15 + 2 ** 12, 2 ** 16)
  const lowest = scaled(12, 0)
  for (let level = 15; level >= lowest; level--) {
    for (let n = 0; n < entries; n++) {
      time += 2 ** level
      log.append(order++, time)
    }
  }
  expect(time).toBeGreaterThan(2 ** 31)
  log.forget(time - 2 ** 31)
  // Of the four highest levels, and the rest of the others.
  expect(log.length).toBeGreaterThan(scaled(100_000, 400_000))
  expect(log.bytes).toBeLessThan(scaled(1.8e6, 6e6))
})

it('keeps every entry that a pending timer may need, and the newest entry', () => {
  const log = new RefreshLog()
  log.append(0, 1_000_000)
  log.forget(2_000_000)
  expect(log.timeOf(0)).toBe(1_000_000)
  log.append(64, 1_000_001)
  log.forget(1_000_001)
  expect(log.timeOf(63)).toBe(1_000_000)
  log.forget(1_000_002)
  expect(log.timeOf(64)).toBe(1_000_001)
  expect(log.length).toBe(1)
})

it('is short if the delays of the timers are short', () => {
  const log = new RefreshLog()
  const refreshes = scaled(50_000, 500_000)
  for (let n = 0; n < refreshes; n++) {
    log.append(n, 5 * n)
    log.forget(5 * n - 60_000)
  }
  expect(log.length).toBeLessThanOrEqual(60_000 / 5 + 3)
  expect(log.timeOf(refreshes - 12_000)).toBe(5 * (refreshes - 12_000))
})

it('starts again after it is cleared', () => {
  const log = new RefreshLog()
  for (let n = 0; n < 100; n++) log.append(n, n)
  log.timeOf(99)
  log.clear()
  expect(log.length).toBe(0)
  log.append(0, 50)
  expect([log.timeOf(0), log.timeOf(1)]).toEqual([50, 50])
})

describe('keeps the times of refreshes over any pause', () => {
  it.each([2 ** 30, 2 ** 31, 2 ** 32, 2 ** 33 + 12_345, 2 ** 45, 2 ** 52])('of %d milliseconds', (pause) => {
    const log = new RefreshLog()
    const times: number[] = []
    for (let n = 0; n < 5_000; n++) times.push(1_000_003 + 7 * n)
    for (let n = 0; n < 5_000; n++) times.push(1_040_000 + pause + 7 * n)
    for (const [order, time] of times.entries()) log.append(order, time)
    checkRounding(times, log)
  })

  const seed = newSeed()
  it(`at random (seed ${seed})`, () => {
    const random = randomFrom(seed)
    const log = new RefreshLog()
    const times: number[] = []
    let now = 0
    for (let n = 0; n < 20_000; n++) {
      now += random() < 0.002 ? Math.ceil(2 ** (45 * random())) : Math.ceil(100 * random())
      times.push(now)
      log.append(n, now)
    }
    checkRounding(times, log)
  })
})

describe('finds the first refresh after a time', () => {
  const seed = newSeed()
  it(`at random (seed ${seed})`, () => {
    const random = randomFrom(seed)
    const log = new RefreshLog()
    expect(log.orderAfter(0)).toBeUndefined()
    let now = 0
    for (let n = 0; n < 50_000; n++) {
      now += random() < 0.001 ? Math.ceil(2 ** (30 * random())) : Math.ceil(100 * random())
      log.append(n, now)
      if (n % 97 !== 0) continue
      const time = Math.floor(now * random())
      const order = log.orderAfter(time) ?? n + 1
      if (order <= n) expect(log.timeOf(order)).toBeGreaterThan(time)
      if (order > 0) expect(log.timeOf(order - 1)).toBeLessThanOrEqual(time)
    }
  })
})
