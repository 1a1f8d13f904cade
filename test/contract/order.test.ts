/** On the real clock: no callback runs early, and none before that of an earlier call with the same or a shorter delay. */
import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { onEachBackend, type WheelOptions } from './backends.js'
import { busyWait, drained, now, ROUNDING, wholeTurn } from './clock.js'
import { newSeed, randomFrom } from './random.js'

const LONGEST = 200

interface Timer {
  /** The index of the last call that set the timer. */
  call: number
  delay: number
  /** Sets the timer again, if it can. Returns whether it did. */
  touch(delay: number): boolean
}

onEachBackend(({ TimerWheel, setInterval, clearInterval }) => {
  it.each<[string, WheelOptions, number]>([
    // Many blocks of records, and more than a turn runs.
    ['ticks of 1 ms', {}, scaled(20_000, 1_000_000)],
    ['ticks of 10 ms', { tick: 10 }, scaled(3_000, 6_000)],
    ['ticks of 0.05 ms', { tick: 0.05 }, scaled(3_000, 6_000)],
    ['slack', { slack: 5 }, scaled(3_000, 6_000)],
  ])('runs random timers in order and none early: %s', async (_, options, count) => {
    const seed = newSeed()
    const random = randomFrom(seed)
    const wheel = new TimerWheel(options)
    const timers: Timer[] = []
    /** Of each call that set a timer: its delay, the earliest time to run, and the place at which it ran; -1 if a later call replaced it. */
    const delays: number[] = []
    const dues: number[] = []
    const places: number[] = []
    let ran = 0
    let early = 0
    const note = (timer: Timer, delay: number, calledAt: number): void => {
      timer.call = delays.push(delay) - 1
      timer.delay = delay
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
    const operate = (): void => {
      const delay = random.below(LONGEST)
      const calledAt = now()
      const n = random.below(3 * timers.length)
      const timer = timers[n]
      if (timer !== undefined) {
        const isHandle = n % 2 === 0
        if (timer.touch(delay)) note(timer, isHandle ? timer.delay : delay, calledAt)
      } else if (timers.length % 2 === 0) {
        const timeout = wheel.setTimeout(run, delay + 1, timers.length)
        timers.push({ call: 0, delay, touch: () => timeout.refresh() === timeout })
        note(timers.at(-1)!, delay + 1, calledAt)
      } else {
        const id = wheel.schedule(run, delay, timers.length)
        timers.push({ call: 0, delay, touch: (another) => wheel.reschedule(id, another) })
        note(timers.at(-1)!, delay, calledAt)
      }
    }
    for (let i = 0; i < count / 2; i++) wheel.schedule(Object, LONGEST)
    wheel.clear()
    wheel.trim()
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
      if (place === -1) continue
      // Slack changes the order of deadlines.
      const upTo = lastPlaces.subarray(0, delays[i]! + 1)
      if (options.slack === undefined && Math.max(...upTo) > place) overtaken++
      lastPlaces[delays[i]!] = Math.max(upTo.at(-1)!, place)
    }
    const pendingCalls = timers.filter(({ call }) => places[call] === -1).length
    const found = { early, overtaken, pendingCalls }
    expect({ seed, ...found }).toEqual({ seed, early: 0, overtaken: 0, pendingCalls: 0 })
    wheel.stop()
  })

  it('runs an interval for the nth time no earlier than after n delays', async () => {
    const left: number[] = []
    const started = now()
    await new Promise<void>((resolve) => {
      const interval = setInterval(() => {
        left.push(started + 3 * (left.length + 1) - now())
        busyWait(left.length % 3)
        if (left.length < 30) return
        clearInterval(interval)
        resolve()
      }, 3)
    })
    expect(Math.max(...left)).toBeLessThanOrEqual(ROUNDING)
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

  it('serves 200 wheels at once, each with its own ticks', async () => {
    const wheels = Array.from({ length: 200 }, (_, i) => new TimerWheel({ tick: 1 + (i % 7) }))
    const left: number[] = []
    let ran = 0
    for (let round = 0; round < 10; round++) {
      for (const [i, wheel] of wheels.entries()) {
        const delay = (i * 31 + round * 17) % 100
        const due = now() + delay
        wheel.schedule(() => {
          ran++
          if (now() < due - ROUNDING) left.push(due - now())
        }, delay)
      }
    }
    for (const wheel of wheels) await drained(wheel)
    expect([ran, left]).toEqual([2_000, []])
  })
})
