/** Callbacks may advance another wheel, and stop their wheel. Those of model.test.ts do everything else. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend, thrownBy } from './backends.js'

onEachBackend((backend) => {
  const setUp = () => {
    const ran: string[] = []
    return { wheel: manualWheel(backend), ran, note: (name: string): void => void ran.push(name) }
  }

  it('lets a callback advance another wheel', () => {
    const { wheel, ran, note } = setUp()
    const inner = manualWheel(backend)
    inner.schedule(note, 5, 'inner')
    wheel.schedule(() => inner.advance(5), 5)
    wheel.schedule(note, 5, 'outer')
    wheel.advance(5)
    expect(ran).toEqual(['inner', 'outer'])
  })

  it.each(['refresh', 'close', 'unref', 'ref'] as const)(
    'ends all timers if the callback of an interval stops the wheel, calls %s() and throws',
    (use) => {
      const { wheel, ran, note } = setUp()
      const interval = wheel.setInterval(() => {
        expect(wheel.stop().length).toBe(4)
        interval[use]()
        throw new Error('from the interval')
      }, 2)
      for (const delay of [2, 3, 1_000]) wheel.setTimeout(note, delay, 'later')
      wheel.schedule(note, 2, 'id')
      expect(() => wheel.advance(5)).toThrow('from the interval')
      wheel.advance(2_000)
      expect([ran, wheel.stop()]).toEqual([[], []])
      expect(wheel.stats()).toMatchObject({ pending: 0, scheduled: 5, fired: 1, cancelled: 4 })
      expect(thrownBy(() => wheel.setTimeout(() => {}, 1))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
    },
  )
})
