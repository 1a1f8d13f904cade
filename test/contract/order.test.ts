/** Timers run by deadline tick, then in scheduling order, whatever their delays are. */

import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { manualWheel, onEachBackend } from './backends.js'
import { busyWait, drained, wholeTurn } from './clock.js'
import { PrefixMaximum } from './prefix-maximum.js'
import { newSeed, randomFrom } from './random.js'

onEachBackend((backend) => {
  const setUp = (): {
    wheel: ReturnType<typeof manualWheel>
    ran: unknown[]
    note: (name: unknown) => void
  } => {
    const ran: unknown[] = []
    return { wheel: manualWheel(backend), ran, note: (name) => void ran.push(name) }
  }

  it('runs timers by deadline, not in the order of the calls', () => {
    const { wheel, ran, note } = setUp()
    for (const delay of [20, 35, 22, 1, 300, 70_000, 5]) wheel.schedule(note, delay, delay)
    wheel.advance(70_000)
    expect(ran).toEqual([1, 5, 20, 22, 35, 300, 70_000])
  })

  it('runs timers by deadline after a blocked event loop made all of them overdue', async () => {
    const { TimerWheel } = backend
    const wheel = new TimerWheel()
    const ran: string[] = []
    wheel.setTimeout(() => ran.push('due at 20'), 20)
    wheel.setTimeout(() => ran.push('due at 22'), 22)
    await wholeTurn()
    busyWait(15)
    await wholeTurn()
    wheel.setTimeout(() => ran.push('due at 35'), 20)
    await wholeTurn()
    busyWait(60)
    await drained(wheel)
    expect(ran).toEqual(['due at 20', 'due at 22', 'due at 35'])
  })

  it('runs timers of the same tick in scheduling order, whenever they were scheduled', () => {
    const { wheel, ran, note } = setUp()
    wheel.schedule(note, 100_000, 'first')
    wheel.setTimeout(note, 100_000, 'second')
    wheel.advance(30_000)
    wheel.schedule(note, 70_000, 'third')
    wheel.advance(69_700)
    wheel.setTimeout(note, 300, 'fourth')
    wheel.advance(299)
    wheel.schedule(note, 1, 'fifth')
    wheel.schedule(note, 0.25, 'sixth')
    expect(ran).toEqual([])
    wheel.advance(1)
    expect(ran).toEqual(['first', 'second', 'third', 'fourth', 'fifth', 'sixth'])
  })

  it('moves a refreshed or rescheduled timer to the back of its tick', () => {
    const { wheel, ran, note } = setUp()
    const timeout = wheel.setTimeout(note, 10, 'refreshed')
    const id = wheel.schedule(note, 10, 'rescheduled')
    wheel.schedule(note, 10, 'untouched')
    timeout.refresh()
    wheel.reschedule(id, 10)
    wheel.schedule(note, 10, 'set later')
    wheel.advance(10)
    expect(ran).toEqual(['untouched', 'refreshed', 'rescheduled', 'set later'])
  })

  it('keeps the order of a tick with more timers than one batch holds', () => {
    const seed = newSeed()
    const random = randomFrom(seed)
    const { wheel, ran, note } = setUp()
    const ids = Array.from({ length: 20_000 }, (_, i) => wheel.schedule(note, 10 + random.below(500), i))
    const expected: number[] = []
    for (let n = 0; n < 20_000; n++) {
      const i = (n * 7_919) % 20_000
      wheel.reschedule(ids[i]!, 400)
      expected.push(i)
    }
    wheel.advance(399)
    expect(ran).toEqual([])
    wheel.advance(1)
    expect({ seed, ran }).toEqual({ seed, ran: expected })
  })

  it('runs no timer before one that was set, refreshed or rescheduled earlier with the same or a shorter delay', async () => {
    const seed = newSeed()
    const random = randomFrom(seed)
    const wheel = new backend.TimerWheel()
    const longest = 160
    /** All requests in order, and the place at which each ran; -1 if a later request replaced it. */
    const asked: { delay: number; place: number }[] = []
    const timers: { delay: number; asked: number; touch: (delay: number) => boolean }[] = []
    let ran = 0
    const ask = (timer: number, delay: number): void => {
      timers[timer]!.asked = asked.push({ delay, place: -1 }) - 1
    }
    const run = (timer: number): void => {
      asked[timers[timer]!.asked]!.place = ran++
    }
    for (let i = 0; i < scaled(20_000, 60_000); i++) {
      if (i % 5_000 === 4_999) await wholeTurn()
      const delay = 100 + random.below(longest - 100)
      const n = random.below(2) === 0 ? timers.length : random.below(timers.length)
      const timer = timers[n]
      if (timer !== undefined) {
        if (timer.touch(delay)) ask(n, timer.delay)
      } else if (i % 2 === 0) {
        const timeout = wheel.setTimeout(run, delay, n)
        timers.push({ delay, asked: -1, touch: () => timeout.refresh().hasRef() })
        ask(n, delay)
      } else {
        const id = wheel.schedule(run, delay, n)
        const added = {
          delay,
          asked: -1,
          touch: (another: number) => {
            added.delay = another
            return wheel.reschedule(id, another)
          },
        }
        timers.push(added)
        ask(n, delay)
      }
    }
    await wholeTurn()
    // All timers are overdue at once.
    busyWait(longest + 10)
    await drained(wheel)

    let overtaken = 0
    const lastPlace = new PrefixMaximum(longest + 1)
    for (const { delay, place } of asked) {
      if (place === -1) continue
      if (lastPlace.upTo(delay) > place) overtaken++
      lastPlace.note(delay, place)
    }
    expect({ seed, overtaken }).toEqual({ seed, overtaken: 0 })
    expect(ran).toBeGreaterThanOrEqual(timers.length)
  })

  it('never runs a timer in the pass in which a callback sets it', () => {
    const { wheel, ran, note } = setUp()
    wheel.schedule(() => {
      note('first')
      wheel.schedule(note, 0, 'set by the first')
      wheel.setTimeout(note, 0, 'set by the first, too')
    }, 5)
    wheel.schedule(note, 5, 'second')
    wheel.advance(5)
    expect(ran).toEqual(['first', 'second'])
    wheel.advance(1)
    expect(ran).toEqual(['first', 'second', 'set by the first', 'set by the first, too'])
  })
})
