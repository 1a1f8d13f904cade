/** White-box: tests cannot reach the limits of the log through refresh(). */
import { expect, it } from '@jest/globals'
import { RefreshLog } from '../../lib/node/scheduler/refresh-log.js'
import { newSeed, type Random, randomFrom } from '../contract/random.js'
import { scaled } from '../scale.js'

it('has one entry for all refreshes of a millisecond, none with an earlier time, and starts again after it is cleared', () => {
  const log = new RefreshLog()
  log.append(0, 1000)
  // A time before the newest one is replaced by it.
  log.append(64, 999)
  expect([log.timeOf(64), log.length]).toEqual([1000, 1])
  log.clear()
  expect([log.length, log.orderAfter(0)]).toEqual([0, undefined])
  for (let order = 0; order < 6400; order += 64) log.append(order, order < 3200 ? 7 : 8)
  expect([log.timeOf(0), log.timeOf(3199), log.timeOf(3200), log.length]).toEqual([7, 7, 8, 2])
})

type Step = (n: number, random: Random) => number
type Sequence = readonly [name: string, start: number, count: number, step: Step]

/** Steps of up to `usual` milliseconds, and a part of up to 2^`bits`. */
const pauses = (part: number, bits: number, usual: number) => (_: number, random: Random) =>
  Math.ceil(random() < part ? 2 ** (bits * random()) : usual * random())

const SEQUENCES: Sequence[] = [
  // Ages of more than 32,768 ms are rounded.
  ...[1, 2, 3, 7, 100, 12_345].map((ms): Sequence => {
    return [`one in ${ms} ms`, 5_000_000_003, scaled(ms < 7 ? 60_000 : 20_000, 200_000), () => ms]
  }),
  ...[2 ** 30, 2 ** 31, 2 ** 32, 2 ** 33 + 12_345, 2 ** 45, 2 ** 52].map((pause): Sequence => {
    return [`a pause of ${pause} ms`, 1_000_003, 10_000, (n) => (n === 5_000 ? pause : 7)]
  }),
  ['random pauses of up to 12 hours', 2 ** 32 - 100_000, scaled(40_000, 300_000), pauses(0.0001, 25.4, 3)],
  ['random pauses of any length', 0, 20_000, pauses(0.002, 45, 100)],
]
const seed = newSeed()

it.each(SEQUENCES)(`rounds times up by at most 1/32,768 of their age: %s (seed ${seed})`, (...sequence) => {
  const [, start, count, step] = sequence
  const random = randomFrom(seed)
  const log = new RefreshLog()
  const times = [start]
  while (times.length < count) times.push(times.at(-1)! + step(times.length, random))
  const now = times.at(-1)!
  for (const [order, time] of times.entries()) log.append(order, time)
  for (const [order, time] of times.entries()) {
    const logged = log.timeOf(order)
    if (logged < time || logged - time > (now - time) / 32_768) {
      throw new Error(`refresh ${order} at ${time} is logged at ${logged}, ${now - time} ms later`)
    }
  }
  for (let i = 0; i < 500; i++) {
    const time = start + Math.floor((now - start) * random())
    const order = log.orderAfter(time) ?? count
    if (order < count) expect(log.timeOf(order)).toBeGreaterThan(time)
    if (order > 0) expect(log.timeOf(order - 1)).toBeLessThanOrEqual(time)
  }
})

it('takes at most 8 MB, however many refreshes there are in 24 days', () => {
  const log = new RefreshLog()
  let order = 0
  let time = 0
  // As many entries of each age as a program has that refreshes in every millisecond.
  const [entries, least] = [scaled(38_000, 2 ** 16), scaled(13, 0)]
  for (let bits = 15; bits >= least; bits--) {
    for (let n = 0; n < entries; n++) {
      time += 2 ** bits
      log.append(order++, time)
    }
  }
  expect(time).toBeGreaterThan(2 ** 31)
  log.forget(time - 2 ** 31)
  expect(log.length).toBeGreaterThan(scaled(75_000, 400_000))
  expect(log.bytes).toBeLessThan(scaled(1.5e6, 8e6))
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
  expect([log.timeOf(64), log.length]).toEqual([1_000_001, 1])
})
