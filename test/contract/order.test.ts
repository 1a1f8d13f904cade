/**
 * On the real clock: none runs early, and none before an earlier call with the same or a shorter delay. For
 * many wheels on one event loop see test/node/slices.
 */
import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { onEachBackend, type WheelOptions } from './backends.js'
import { busyWait, drained, now, ROUNDING, turn, wholeTurn } from './clock.js'
import { newSeed, randomFrom } from './random.js'

const LONGEST = 200
/** In a page, each slice of the burst may run a single callback. */
const TENTH = scaled(100, 500)

interface Timer {
  /** The index of the last call that set the timer. */
  call: number
  /** Sets the timer again, if it can. Returns the delay if it did. */
  touch(delay: number): number | undefined
  isMember?: boolean
}

onEachBackend(({ TimerWheel }) => {
  it.each<[string, WheelOptions, number]>([
    // Many blocks of records, and more than a turn runs.
    ['ticks of 1 ms', {}, scaled(20_000, 1_000_000)],
    ['ticks of 10 ms', { tick: 10 }, scaled(3_000, 6_000)],
    ['ticks of 0.05 ms', { tick: 0.05 }, scaled(3_000, 6_000)],
  ])('runs random timers in order and none early: %s', async (_, options, count) => {
    const seed = newSeed()
    const random = randomFrom(seed)
    const wheel = new TimerWheel(options)
    const timers: Timer[] = []
    /** Of each call: its delay, or -1; the earliest time to run; and the place at which it ran, or -1 if a later call replaced it. */
    const delays: number[] = []
    const dues: number[] = []
    const places: number[] = []
    let [ran, early] = [0, 0]
    const note = (timer: Timer, delay: number, calledAt: number): void => {
      // Members have an order only among those of their group: see group-program.ts.
      timer.call = delays.push(timer.isMember ? -1 : delay) - 1
      dues.push(calledAt + delay)
      places.push(-1)
    }
    const run = (n: number): void => {
      const { call } = timers[n]!
      if (places[call] !== -1 || now() < dues[call]! - ROUNDING) early++
      places[call] = ran++
      // A slow callback sets timers, also those that are due already.
      if (random.below(500) !== 0 || delays.length > 1.5 * count) return
      busyWait(random.below(3))
      for (let i = 0; i < 5; i++) operate()
    }
    const groups = [7, 30, LONGEST].map((delay) => wheel.group(run, delay))
    const operate = (): void => {
      const delay = random.below(LONGEST)
      const calledAt = now()
      const name = timers.length
      const touched = timers[random.below(3 * name)]
      if (touched !== undefined) {
        const another = touched.touch(delay)
        if (another !== undefined) note(touched, another, calledAt)
      } else if (name % 3 === 0) {
        const timeout = wheel.setTimeout(run, delay + 1, name)
        timers.push({ call: 0, touch: () => timeout.refresh() && delay + 1 })
        note(timers[name]!, delay + 1, calledAt)
      } else if (name % 3 === 1) {
        const id = wheel.schedule(run, delay, name)
        timers.push({ call: 0, touch: (next) => (wheel.reschedule(id, next) ? next : undefined) })
        note(timers[name]!, delay, calledAt)
      } else {
        const group = random.pick(groups)
        const member = group.add(name)
        const touch = () => (group.touch(member) ? group.delay : undefined)
        timers.push({ call: 0, touch, isMember: true })
        note(timers[name]!, group.delay, calledAt)
      }
    }
    for (let i = 0; i < count / 2; i++) wheel.schedule(Object, LONGEST)
    wheel.clear()
    for (let i = 0; i < count; i++) {
      if (i % 500 === 0) busyWait(random() * 3)
      if (i % 5_000 === 0) await wholeTurn()
      operate()
    }
    await wholeTurn()
    // All are overdue at once.
    busyWait(LONGEST + 10)
    await drained(wheel)

    let overtaken = 0
    /** Of all calls with the same delay so far. */
    const lastPlaces = new Int32Array(LONGEST + 2).fill(-1)
    for (const [i, place] of places.entries()) {
      if (place === -1 || delays[i] === -1) continue
      const upTo = lastPlaces.subarray(0, delays[i]! + 1)
      if (Math.max(...upTo) > place) overtaken++
      lastPlaces[delays[i]!] = Math.max(upTo.at(-1)!, place)
    }
    const pendingCalls = timers.filter(({ call }) => places[call] === -1).length
    const found = [early, overtaken, pendingCalls]
    expect([seed, ...found]).toEqual([seed, 0, 0, 0])
    wheel.stop()
  })

  it.each(['set', 'rescheduled'])('wakes up for a short timer that is %s while it sleeps', async (how) => {
    const wheel = new TimerWheel()
    const ran = new Promise((resolve) => {
      const id = wheel.schedule(resolve, 3_600_000, 'in time')
      void wholeTurn().then(() =>
        how === 'set' ? wheel.schedule(resolve, 5, 'in time') : wheel.reschedule(id, 5),
      )
      // Later than any delay on a busy machine. If the process was suspended for so long, the wheel gets its turn first.
      setTimeout(() => void wholeTurn().then(() => resolve('too late')), 10_000).unref?.()
    })
    expect(await ran).toBe('in time')
    wheel.stop()
  })

  it('runs timers that are set or rescheduled between two slices at their own time, and no cancelled one', async () => {
    const wheel = new TimerWheel({ budget: 0.2 })
    const ran = new Set<number>()
    const run = (i: number): void => {
      ran.add(i)
      busyWait(0.005)
    }
    const ids = Array.from({ length: 10 * TENTH }, (_, i) => wheel.schedule(run, 1, i))
    busyWait(3)
    while (ran.size === 0) await turn()
    expect(ran.size).toBeLessThan(8 * TENTH)
    // All are due and wait for their slice. Half are cancelled and new timers take their records; the rest is put off.
    let others = 0
    for (const id of ids.slice(8 * TENTH, 9 * TENTH)) expect(wheel.cancel(id)).toBe(true)
    for (let i = 0; i < TENTH; i++) wheel.schedule(() => others++, 20)
    for (const id of ids.slice(9 * TENTH)) expect(wheel.reschedule(id, 60_000)).toBe(true)
    while (wheel.pending > TENTH) await turn()
    expect([others, ran.size]).toEqual([TENTH, 8 * TENTH])
    expect(wheel.stop()).toHaveLength(TENTH)
  })
})
