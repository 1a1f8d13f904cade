/** The counts of slices, which only Node has, and those of the shared wheel. */
import { describe } from '@jest/globals'
import { fineClock } from '../differential/clock.js'
import { ENTRIES } from './backends.js'
import { printsInOneProcess } from './prints.js'

describe.each(ENTRIES)('%s', (entry) => {
  // In virtual time: a wheel that a busy machine makes late by 50 ms may run longer slices.
  printsInOneProcess({
    prelude: `
      import { clearTimeout, promises, setInterval, setTimeout, stats, TimerWheel } from '${entry}'
      const busyWait = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); }`,
    env: fineClock(),
  })(`
    # counts as many slices as wake-ups, if each takes no longer than the budget -> true true 0
    const wheel = new TimerWheel({ budget: 60_000 })
    for (let i = 0; i < 5; i++) await new Promise((resolve) => wheel.schedule(() => setImmediate(resolve), 2))
    const { slices, wakeUps, overruns } = wheel.stats()
    console.log(slices === wakeUps, slices >= 5, overruns)
    # counts more slices than wake-ups, if timers take longer than the budget -> true
    const wheel = new TimerWheel({ budget: 1 })
    for (let i = 0; i < 5; i++) wheel.schedule(() => busyWait(1), 2)
    process.once('beforeExit', () => console.log(wheel.stats().slices > wheel.stats().wakeUps))
    # counts callbacks that take twice the budget, but none without a budget -> 1 | 0 | 0
    const wheels = [{ budget: 20 }, { budget: Infinity }, { driver: 'manual' }].map((options) => new TimerWheel(options))
    for (const wheel of wheels) wheel.schedule(() => busyWait(40), 2)
    wheels[2].advance(2)
    process.once('beforeExit', () => { for (const wheel of wheels) console.log(wheel.stats().overruns) })
    # counts the timers of the shared wheel, without opening it -> 0,0,0,0,0,false | 2,3,0,1,1,true | 0,4,5,2,1,true
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
    show()`)
})
