/**
 * An exception interrupts one method of a wheel, in every place. Afterwards the method has either taken effect or not, and
 * all other promises hold.
 */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend } from './backends.js'
import { everywhere } from './everywhere.js'

const ignore = (_argument?: unknown): void => {}

onEachBackend((backend) => {
  const open = () => manualWheel(backend)

  it('returns all timers from stop() after an interrupted call', () => {
    everywhere((attempt) => {
      const wheel = open()
      const handles = [20, 10].map((ms) => wheel.setTimeout(ignore, ms, ms))
      wheel.schedule(ignore, 15, 15)
      let left: ReturnType<typeof wheel.stop> | undefined
      attempt(() => {
        left = wheel.stop()
      })
      left ??= wheel.stop()
      expect(left.map(({ args }) => args)).toEqual([[10], [15], [20]])
      expect(left.map(({ timeout }) => timeout === handles[0])).toEqual([false, false, true])
      expect(wheel.stop()).toEqual([])
      for (const handle of handles) handle.refresh().close()
      expect(wheel.pending).toBe(0)
    })
  })

  it('goes on with an interval after an interrupted advance()', () => {
    everywhere((attempt) => {
      const wheel = open()
      let runs = 0
      const interval = wheel.setInterval(() => {
        runs++
      }, 10)
      const number = +interval
      attempt(() => wheel.advance(10))
      wheel.advance(100)
      expect(runs).toBeGreaterThanOrEqual(9)
      wheel.clearTimeout(number)
      const before = runs
      wheel.advance(100)
      expect({ runs, pending: wheel.pending }).toEqual({ runs: before, pending: 0 })
    })
  })

  it('runs all other timers after an interrupted advance(), each once and on time', () => {
    everywhere((attempt) => {
      const wheel = open()
      const ran: number[] = []
      let now = 0
      let early = 0
      const note = (due: number): void => {
        ran[ran.length] = due
        if (now < due) early++
      }
      const advance = (ms: number): void => {
        now += ms
        wheel.advance(ms)
      }
      for (let due = 1; due < 30; due += 3) wheel.schedule(note, due, due)
      attempt(() => advance(10))
      while (now < 40) advance(1)
      expect(early).toBe(0)
      // The timer whose callback could not begin is over.
      expect(ran.length).toBeGreaterThanOrEqual(9)
      expect([...new Set(ran)].length).toBe(ran.length)
      expect(wheel.pending).toBe(0)
    })
  })

  it('knows a timer by its number after an interrupted refresh() or conversion', () => {
    everywhere((attempt) => {
      const wheel = open()
      const over = wheel.setTimeout(ignore, 10)
      const number = +over
      wheel.advance(10)
      const pending = wheel.setTimeout(ignore, 10)
      attempt(() => {
        over.refresh()
        ignore(+pending)
      })
      wheel.clearTimeout(number)
      wheel.clearTimeout(+pending)
      expect(wheel.pending).toBe(0)
    })
  })

  it('keeps all timers through interrupted changes of one of them', () => {
    everywhere((attempt) => {
      const wheel = open()
      const ran: string[] = []
      const note = (name: string): void => {
        ran[ran.length] = name
      }
      const id = wheel.schedule(note, 10, 'moved')
      const cancelled = wheel.schedule(note, 10, 'cancelled')
      const handle = wheel.setTimeout(note, 10, 'refreshed')
      const closed = wheel.setTimeout(note, 10, 'closed')
      wheel.setTimeout(note, 10, 'other')
      wheel.advance(5)
      const isDone = attempt(() => {
        wheel.reschedule(id, 10)
        wheel.cancel(cancelled)
        handle.refresh()
        closed.close()
        wheel.setTimeout(note, 2 ** 31 - 1, 'new')
        wheel.schedule(note, 2 ** 40, 'far')
      })
      wheel.cancel(cancelled)
      closed.close()
      wheel.advance(5)
      expect(ran.includes('other')).toBe(true)
      if (isDone) expect(ran).toEqual(['other'])
      wheel.runAll()
      expect(ran.filter((name) => name !== 'new' && name !== 'far').sort()).toEqual([
        'moved',
        'other',
        'refreshed',
      ])
      expect(wheel.pending).toBe(0)
    })
  })

  it('stays usable after an interrupted trim()', () => {
    everywhere((attempt) => {
      const wheel = open()
      for (let n = 0; n < 6000; n++) wheel.schedule(ignore, 1)
      wheel.advance(1)
      attempt(() => {
        wheel.trim()
        wheel.schedule(ignore, 1)
      })
      let ran = 0
      for (let n = 0; n < 3; n++) wheel.schedule(() => ran++, 1)
      wheel.advance(1)
      expect({ ran, pending: wheel.pending }).toEqual({ ran: 3, pending: 0 })
    })
  })
})
