/** The counts that only Node has, on the real clock, and those of the shared wheel. */
import { describe, expect, it } from '@jest/globals'
import { onEachBackend } from '../contract/backends.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

/** Keeps the thread busy. */
function work(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

onEachBackend(({ TimerWheel }) => {
  const at = (wheel: InstanceType<typeof TimerWheel>, callback: () => void): Promise<void> =>
    new Promise((resolve) => {
      wheel.setTimeout(() => {
        callback()
        // The slice has ended.
        setImmediate(() => setImmediate(resolve))
      }, 2)
    })

  describe('slices', () => {
    it('are as many as the wake-ups, if each takes no longer than the budget', async () => {
      const wheel = new TimerWheel({ budget: 60_000 })
      for (let i = 0; i < 5; i++) await at(wheel, () => {})
      const { slices, wakeUps, overruns } = wheel.stats()
      expect(wakeUps).toBeGreaterThanOrEqual(5)
      expect(slices).toBe(wakeUps)
      expect(overruns).toBe(0)
    })

    it('are more than the wake-ups, if timers take longer than the budget', async () => {
      const wheel = new TimerWheel({ budget: 1 })
      let left = 5
      await new Promise<void>((resolve) => {
        for (let i = 0; i < 5; i++) {
          wheel.schedule(() => {
            work(1)
            if (--left === 0) setImmediate(resolve)
          }, 2)
        }
      })
      const { slices, wakeUps } = wheel.stats()
      // On a machine that stalls between the calls, each timer can be due at another tick.
      expect(slices).toBeGreaterThanOrEqual(5)
      expect(wakeUps).toBeGreaterThanOrEqual(1)
    })

    it('overrun the budget if a callback takes twice as long', async () => {
      const wheel = new TimerWheel({ budget: 20 })
      await at(wheel, () => work(40))
      expect(wheel.stats().overruns).toBe(1)
      const free = new TimerWheel({ budget: Number.POSITIVE_INFINITY })
      await at(free, () => work(40))
      expect(free.stats().overruns).toBe(0)
    })

    it('never overrun in virtual time, which has no budget', () => {
      const wheel = new TimerWheel({ driver: 'manual' })
      wheel.schedule(() => work(20), 5)
      wheel.advance(5)
      expect(wheel.stats()).toMatchObject({ overruns: 0, fired: 1 })
    })
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
