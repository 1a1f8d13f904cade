/** The counts that only Node has, on the real clock, and those of the shared wheel. */
import { expect, it } from '@jest/globals'
import type { WheelStats } from 'timeout-wheel'
import { onEachBackend } from '../contract/backends.js'
import { busyWait, wholeTurn } from '../contract/clock.js'
import { fineClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

onEachBackend(({ TimerWheel }) => {
  /** Runs callbacks that take `ms` one after the other, and returns the counts after the slice of the last one. */
  const statsOf = async (budget: number, ms: number, count = 1): Promise<WheelStats> => {
    const wheel = new TimerWheel({ budget })
    for (let i = 0; i < count; i++) {
      await new Promise<void>((resolve) => wheel.setTimeout(() => resolve(busyWait(ms)), 2))
      await wholeTurn()
    }
    return wheel.stats()
  }

  it('counts as many slices as wake-ups, if each takes no longer than the budget', async () => {
    const { slices, wakeUps, overruns } = await statsOf(60_000, 0, 5)
    expect(wakeUps).toBeGreaterThanOrEqual(5)
    expect([slices, overruns]).toEqual([wakeUps, 0])
  })

  it('counts callbacks that take twice the budget, but none without a budget', async () => {
    expect((await statsOf(20, 40)).overruns).toBe(1)
    expect((await statsOf(Number.POSITIVE_INFINITY, 40)).overruns).toBe(0)
    const wheel = new TimerWheel({ driver: 'manual' })
    wheel.schedule(() => busyWait(20), 5)
    wheel.advance(5)
    expect(wheel.stats()).toMatchObject({ overruns: 0, fired: 1 })
  })
})

it.each(ENTRIES)('counts the timers of the shared wheel of %s, without opening it', async (entry) => {
  const outcome = await run(`
    import { setTimeout, setInterval, clearTimeout, promises, stats } from '${entry}'
    const show = () => {
      const { pending, scheduled, fired, cancelled, refreshed, bytes } = stats()
      console.log([pending, scheduled, fired, cancelled, refreshed, bytes > 0].join())
    }
    show()
    clearTimeout(setTimeout(() => {}, 1000))
    setTimeout(() => {}, 1).refresh()
    let runs = 0
    const ended = new Promise((resolve) => {
      const interval = setInterval(() => {
        if (++runs < 3) return
        clearTimeout(interval)
        resolve()
      }, 1)
    })
    show()
    await ended
    await promises.setTimeout(5)
    show()
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: ['0,0,0,0,0,false', '2,3,0,1,1,true', '0,4,5,2,1,true'] })
})

// In virtual time: a wheel that a busy machine makes late by 50 ms may run longer slices. Each reading of that clock takes 20
// microseconds, so with the default tick of a millisecond the timers could be due at two ticks.
it.each(ENTRIES)(
  'counts more slices than wake-ups, if timers take longer than the budget: %s',
  async (entry) => {
    const program = `
    import { TimerWheel } from '${entry}'
    const busyWait = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); }
    const wheel = new TimerWheel({ budget: 1, tick: 20 })
    for (let i = 0; i < 5; i++) wheel.schedule(() => busyWait(1), 2)
    process.on('exit', () => console.log(wheel.stats().slices, wheel.stats().wakeUps))`
    expect(await run(program, [], fineClock())).toEqual({ ...CLEAN, lines: ['5 1'] })
  },
)
