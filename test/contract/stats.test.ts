/** `stats()` counts what happened to each timer. The programs of model.test.ts and timeout-map-model compare its counts. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend } from './backends.js'

onEachBackend((backend) => {
  it('counts each timer once, however often it is refreshed, and the memory that timers hold', () => {
    const wheel = manualWheel(backend)
    const first = wheel.stats()
    const empty = first.bytes
    expect(empty).toBe(1.25 * 2 ** 20)
    // Each call returns an object of its own.
    first.pending = 7
    const handles = Array.from({ length: 20_000 }, () => wheel.setTimeout(() => {}, 50))
    const ids = Array.from({ length: 20_000 }, () => wheel.schedule(() => {}, 50))
    for (let round = 0; round < 3; round++) {
      for (const handle of handles) handle.refresh()
      for (const id of ids) wheel.reschedule(id, 40)
    }
    expect(wheel.stats().bytes).toBeGreaterThan(empty + 2 ** 20)
    const counts = { pending: 40_000, scheduled: 40_000, fired: 0, cancelled: 0 }
    expect(wheel.stats()).toEqual({ ...counts, overruns: 0, bytes: expect.any(Number) })
    for (const id of ids) wheel.cancel(id)
    wheel.advance(50)
    expect(wheel.stats()).toMatchObject({
      ...counts,
      pending: 0,
      fired: 20_000,
      cancelled: 20_000,
    })
    wheel.stop()
    expect(wheel.stats().bytes).toBe(0)
  })
})
