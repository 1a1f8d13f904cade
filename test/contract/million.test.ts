/** Very many timers with random delays: none is lost, none is early, all run in the promised order. */

import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { manualWheel, onEachBackend } from './backends.js'
import { drained, now, ROUNDING } from './clock.js'
import { PrefixMaximum } from './prefix-maximum.js'
import { newSeed, randomFrom } from './random.js'

/** Twenty blocks of records, and more than a turn runs. */
const COUNT = scaled(100_000, 1_000_000)

onEachBackend((backend) => {
  it('runs very many timers, none early, and none before an earlier timer with the same or a shorter delay', async () => {
    const longest = 600
    const seed = newSeed()
    const random = randomFrom(seed)
    const wheel = new backend.TimerWheel()
    const delays = Int32Array.from({ length: COUNT }, () => random.below(longest + 1))
    const due = new Float64Array(COUNT)
    const places = new Int32Array(COUNT).fill(-1)
    let ran = 0
    let early = 0
    let repeated = 0
    const run = (i: number): void => {
      if (now() < due[i]! - ROUNDING) early++
      if (places[i] !== -1) repeated++
      places[i] = ran++
    }
    for (let i = 0; i < COUNT; i++) {
      due[i] = now() + delays[i]!
      wheel.schedule(run, delays[i]!, i)
    }
    await drained(wheel)

    let overtaken = 0
    const lastPlace = new PrefixMaximum(longest + 1)
    for (let i = 0; i < COUNT; i++) {
      if (lastPlace.upTo(delays[i]!) > places[i]!) overtaken++
      lastPlace.note(delays[i]!, places[i]!)
    }
    expect({ seed, ran, early, repeated, overtaken }).toEqual({
      seed,
      ran: COUNT,
      early: 0,
      repeated: 0,
      overtaken: 0,
    })
  })

  it('runs very many timers by tick, and those of one tick in scheduling order', () => {
    const seed = newSeed()
    const random = randomFrom(seed)
    const wheel = manualWheel(backend)
    const delays = Float64Array.from({ length: COUNT }, () => 0.5 + random() * 2 ** random.below(25))
    const order = new Int32Array(COUNT)
    let ran = 0
    const run = (i: number): void => {
      order[ran++] = i
    }
    for (let i = 0; i < COUNT; i++) wheel.schedule(run, delays[i]!, i)
    wheel.advance(2 ** 25)

    const ticks = delays.map(Math.ceil)
    const expected = Int32Array.from(delays.keys()).sort((a, b) => ticks[a]! - ticks[b]! || a - b)
    const wrong = order.findIndex((timer, place) => timer !== expected[place])
    expect({ seed, ran, pending: wheel.pending, wrong }).toEqual({ seed, ran: COUNT, pending: 0, wrong: -1 })
  })
})
