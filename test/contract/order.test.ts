/**
 * On the real clock: none runs early, and none before an earlier call with the same or a shorter delay. For
 * many wheels on one event loop see test/node/slices.
 */
import type { Timeout } from 'timeout-wheel'
import { scaled } from '../scale.js'
import { onEachBackend, type WheelOptions } from './backends.js'
import { busyWait, drained, now, ROUNDING, turn, wholeTurn } from './clock.js'
import { newSeed, randomFrom } from './random.js'

/** Milliseconds. 0 stands for one of them, or for a shorter tick. */
const DELAYS = [0, 0.05, 0.25, 0.3, 1, 1.5, 2, 3.7, 5, 7.25, 10, 16.625, 20, 31, 50, 64.1, 100, 150.2, 200]
const LONGEST = 200
const INTERVAL_RUNS = 3
const TIME_LIMIT = scaled(180_000, 900_000)
/** In a page, each slice of the burst may run a single callback. */
const TENTH = scaled(100, 500)

interface Timer {
  /** Sets the timer again. Returns its delay; undefined: it was over. */
  touch(delay: number): number | undefined
  /** The index of the last call that set the timer. */
  call: number
  readonly interval: { readonly handle: Timeout; readonly delay: number; left: number } | undefined
}

onEachBackend(({ TimerWheel }) => {
  it.each<[string, WheelOptions, count: number, rounds: number]>([
    // More than a turn runs.
    ['ticks of 1 ms', {}, scaled(12_000, 1_000_000), scaled(1, 4)],
    ['ticks of 10 ms', { tick: 10 }, scaled(3_000, 500_000), 1],
    ['ticks of 0.05 ms', { tick: 0.05 }, scaled(3_000, 500_000), 1],
  ])(
    'runs random timers in order and none early: %s',
    async (_, options, count, rounds) => {
      const seed = newSeed()
      const random = randomFrom(seed)
      const wheel = new TimerWheel(options)
      const soonest = Math.min(options.tick ?? 1, 1)
      let timers: Timer[] = []
      /** Of each call: its delay, or -1; the earliest time to run; and the place at which it ran, or -1 if a later call replaced it. */
      let [delays, dues, places]: number[][] = [[], [], []]
      let [ran, early] = [0, 0]
      /** The last reading of the clock, and the timer whose callback runs. */
      let seen = 0
      let running: Timer | undefined
      const read = (): number => (seen = now())

      const note = (timer: Timer, delay: number, from: number): void => {
        // The order of intervals depends on their runs, not on calls.
        timer.call = delays!.push(timer.interval ? -1 : delay || soonest) - 1
        dues!.push(from + (delay || soonest))
        places!.push(-1)
      }
      const run = (n: number): void => {
        running = timers[n]!
        const { call, interval } = running
        const before = seen
        if (places![call] !== -1 || read() < dues![call]! - ROUNDING) early++
        places![call] = ran++
        if (interval && --interval.left === 0) interval.handle.close()
        // Its next run counts from the start of this one.
        else if (interval) note(running, interval.delay, before)
        // A slow callback sets timers, also those that are due already.
        if (random.below(500) === 0 && delays!.length < 1.5 * count) {
          busyWait(random.below(3))
          for (let i = 0; i < 5; i++) operate()
        }
        running = undefined
      }
      const groups = [7.25, 31, LONGEST].map((delay) => wheel.group(run, delay))
      /** Sets a timer of any kind. Returns its delay. */
      const set = (name: number, delay: number): number => {
        const kind = random.below(5)
        const add = (touch: Timer['touch'], interval?: Timer['interval']) =>
          timers.push({ touch, call: 0, interval })
        if (kind === 0) {
          const whole = Math.max(1, Math.trunc(delay))
          const timeout = wheel.setTimeout(run, whole, name)
          add(() => timeout.refresh() && whole)
          return whole
        }
        if (kind === 1) {
          const timeout = wheel.setTimeout(run, { delay }, name)
          add(() => timeout.refresh() && delay)
        } else if (kind === 2) {
          const id = wheel.schedule(run, delay, name)
          add((next) => (wheel.reschedule(id, next) ? next : undefined))
        } else if (kind === 3) {
          const handle = wheel.setInterval(run, { delay }, name)
          const interval = { handle, delay, left: INTERVAL_RUNS }
          // A refresh by its own callback does not count.
          add(
            () =>
              interval.left > 0 && running?.interval !== interval && handle.refresh() ? delay : undefined,
            interval,
          )
        } else {
          const group = random.pick(groups)
          const member = group.add(name)
          add(() => (group.touch(member) ? group.delay : undefined))
          return group.delay
        }
        return delay
      }
      const operate = (): void => {
        const delay = random.pick(DELAYS)
        const name = random.below(3 * timers.length)
        const from = read()
        const used = timers[name] ? timers[name].touch(delay) : set(timers.length, delay)
        if (used !== undefined) note(timers[name] ?? timers.at(-1)!, used, from)
      }

      // Timers in a second block of records come first.
      for (let i = 0; i < 40_000; i++) wheel.schedule(Object, LONGEST)
      wheel.clear()
      for (let round = 0; round < rounds; round++) {
        ;[timers, delays, dues, places] = [[], [], [], []]
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
        /** The last place of all calls so far, by delay. */
        const lastPlaces = new Map<number, number>()
        for (const [i, place] of places.entries()) {
          const delay = delays[i]!
          if (place === -1 || delay === -1) continue
          for (const [other, last] of lastPlaces) if (other <= delay && last > place) overtaken++
          lastPlaces.set(delay, Math.max(place, lastPlaces.get(delay) ?? 0))
        }
        const pendingCalls = timers.filter(({ call }) => places![call] === -1).length
        expect([seed, early, overtaken, pendingCalls]).toEqual([seed, 0, 0, 0])
      }
      wheel.stop()
    },
    TIME_LIMIT,
  )

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
    // All are due and wait for their slice. Half are cancelled and new timers take their units; the rest is put off.
    let others = 0
    for (const id of ids.slice(8 * TENTH, 9 * TENTH)) expect(wheel.cancel(id)).toBe(true)
    for (let i = 0; i < TENTH; i++) wheel.schedule(() => others++, 20)
    for (const id of ids.slice(9 * TENTH)) expect(wheel.reschedule(id, 60_000)).toBe(true)
    while (wheel.pending > TENTH) await turn()
    expect([others, ran.size]).toEqual([TENTH, 8 * TENTH])
    expect(wheel.stop()).toHaveLength(TENTH)
  })
})
