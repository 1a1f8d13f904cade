/**
 * `reschedule` leaves some of its work to the end of an epoch. No program can observe that, even with many calls in one
 * turn.
 */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend } from './backends.js'
import { randomFrom } from './random.js'

onEachBackend((backend) => {
  it.each([1, 2, 3])(
    'runs timers that are rescheduled many times in a turn like a list of timers, with seed %d',
    (seed) => {
      const { below } = randomFrom(seed)
      const wheel = manualWheel(backend)
      const ran: number[] = []
      /**
       * The results of all calls, which must all be true. They are compared at the end: one `expect` takes as long as
       * 100 calls.
       */
      const answers: boolean[] = []
      const expected = new Map<number, { due: number; order: number }>()
      const idOf = new Map<number, number>()
      let now = 0
      let order = 0
      let names = 0
      const set = (): void => {
        const name = names++
        const ms = 1 + below(400)
        idOf.set(
          name,
          wheel.schedule(() => {
            ran.push(name)
            idOf.delete(name)
            if (below(3) === 0) act(below(60))
          }, ms),
        )
        expected.set(name, { due: now + ms, order: order++ })
      }
      const act = (count: number): void => {
        const pending = [...idOf.keys()]
        for (let i = 0; i < count; i++) {
          const name = pending[below(pending.length)]
          const id = name === undefined ? undefined : idOf.get(name)
          if (below(8) === 0 || id === undefined) set()
          else if (below(7) === 0) {
            answers.push(wheel.cancel(id), !wheel.reschedule(id, 5))
            idOf.delete(name!)
            expected.delete(name!)
          } else {
            const ms = below(2) === 0 ? 1 + below(400) : 400
            answers.push(wheel.reschedule(id, ms))
            expected.set(name!, { due: now + ms, order: order++ })
          }
        }
      }
      for (let i = 0; i < 300; i++) set()
      for (let turn = 0; turn < 150; turn++) {
        act(below(200))
        now++
        // Timers that callbacks set are due later than now.
        ran.length = 0
        wheel.advance(1)
        const due = ran.map((name) => expected.get(name)!)
        expect(answers.splice(0).includes(false)).toBe(false)
        expect(due.every((one) => one.due === now)).toBe(true)
        expect(due.map((one) => one.order)).toEqual(due.map((one) => one.order).sort((a, b) => a - b))
        for (const name of ran) expected.delete(name)
        expect([...expected.values()].filter((one) => one.due <= now)).toEqual([])
        expect(wheel.pending).toBe(expected.size)
      }
      const left = wheel.stop().map(({ remaining }) => remaining)
      const dues = [...expected.values()].sort((a, b) => a.due - b.due).map((one) => one.due - now)
      expect(left).toEqual(dues)
    },
  )

  it('postpones timers that are due in the same pass, also after many calls', () => {
    const wheel = manualWheel(backend)
    const far = wheel.schedule(() => {}, 10_000)
    const ran: number[] = []
    wheel.schedule(() => {
      for (let n = 0; n < 40; n++) wheel.reschedule(far, 10_000)
      for (const id of due) wheel.reschedule(id, 50)
    }, 10)
    const due = Array.from({ length: 100 }, (_, n) => wheel.schedule(() => ran.push(n), 10))
    wheel.advance(59)
    expect(ran).toEqual([])
    wheel.advance(1)
    expect(ran).toEqual(Array.from({ length: 100 }, (_, n) => n))
  })
})
