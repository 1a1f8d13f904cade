/** A callback never runs before its delay has passed since the call that set it, measured by the monotonic clock. */
import { expect, it } from '@jest/globals'
import { onEachBackend } from './backends.js'
import { busyWait, drained, now, ROUNDING, wholeTurn } from './clock.js'
import { newSeed, randomFrom } from './random.js'

onEachBackend(({ TimerWheel, setInterval, clearInterval }) => {
  it('runs no timer early that is set late in a long turn of the event loop', async () => {
    const seed = newSeed()
    const random = randomFrom(seed)
    const wheel = new TimerWheel()
    let worst = Number.POSITIVE_INFINITY
    const run = (due: number): void => {
      worst = Math.min(worst, now() - due)
    }
    for (let i = 0; i < 20_000; i++) {
      if (i % 400 === 0) busyWait(random() * 3)
      if (i % 2_000 === 0) await wholeTurn()
      const delay = random() * 200
      wheel.schedule(run, delay, now() + delay)
    }
    await drained(wheel)
    expect({ seed, isEarly: worst < -ROUNDING }).toEqual({ seed, isEarly: false })
  })

  it('runs no timer early whose turn lasts longer than its delay', async () => {
    const wheel = new TimerWheel()
    const left: number[] = []
    for (let delay = 1; delay <= 20; delay++) {
      const due = now() + delay
      wheel.setTimeout(() => left.push(due - now()), delay)
      busyWait(2)
    }
    await drained(wheel)
    expect(left).toHaveLength(20)
    expect(Math.max(...left)).toBeLessThanOrEqual(ROUNDING)
  })

  it('runs no timer early that is refreshed or rescheduled late in a turn', async () => {
    // The delays are long enough that no timer is due before it is put off, even on a slow machine.
    const delay = 500
    const wheel = new TimerWheel()
    const left: number[] = []
    let due = 0
    const timeouts = Array.from({ length: 100 }, () => wheel.setTimeout(() => left.push(due - now()), delay))
    const ids = Array.from({ length: 100 }, () => wheel.schedule(() => left.push(due - now()), delay))
    await wholeTurn()
    // This call makes the wheel read the clock for this turn, before the time passes that the delays must include.
    wheel.cancel(wheel.schedule(() => {}, delay))
    busyWait(10)
    due = now() + delay
    for (const timeout of timeouts) timeout.refresh()
    for (const id of ids) wheel.reschedule(id, delay)
    await drained(wheel)
    expect(left).toHaveLength(200)
    expect(Math.max(...left)).toBeLessThanOrEqual(ROUNDING)
  })

  it('runs no timer early on wheels with other ticks or with slack', async () => {
    const seed = newSeed()
    const random = randomFrom(seed)
    const wheels = [{ tick: 10 }, { tick: 0.05 }, { slack: 5 }].map((options) => new TimerWheel(options))
    let worst = Number.POSITIVE_INFINITY
    const run = (due: number): void => {
      worst = Math.min(worst, now() - due)
    }
    for (let i = 0; i < 6_000; i++) {
      const wheel = wheels[i % 3]!
      const delay = random() < 0.5 ? random() * 50 : random.below(1_000) * 0.05
      if (i % 4 === 0) wheel.schedule(run, delay, now() + delay, { slack: random() * 10 })
      else wheel.schedule(run, delay, now() + delay)
      if (i % 100 !== 0) continue
      const timeout = wheel.setTimeout(() => run(due), 2)
      const due = now() + 2
      timeout.refresh()
    }
    for (const wheel of wheels) {
      await drained(wheel)
      wheel.stop()
    }
    expect({ seed, isEarly: worst < -ROUNDING }).toEqual({ seed, isEarly: false })
  })

  it('runs no timer early that a callback sets', async () => {
    const wheel = new TimerWheel()
    const left: number[] = []
    const again = (): void => {
      busyWait(0.3)
      if (left.length === 50) return
      const due = now() + 2
      wheel.schedule(() => {
        left.push(due - now())
        again()
      }, 2)
    }
    again()
    await drained(wheel)
    expect(left).toHaveLength(50)
    expect(Math.max(...left)).toBeLessThanOrEqual(ROUNDING)
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
})
