/** `stats()` counts what happened to each timer. The programs of model.test.ts and timeout-map-model compare its counts. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend, type Wheel } from './backends.js'

const countsOf = (wheel: Wheel) => {
  const { pending, scheduled, fired, cancelled } = wheel.stats()
  return { pending, scheduled, fired, cancelled }
}

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

  it('counts the timers of promises', async () => {
    const wheel = manualWheel(backend)
    const { setInterval, setTimeout } = wheel.promises
    const controller = new AbortController()
    const values = setInterval(10)
    const promises = [
      values.next(),
      setTimeout(35),
      setTimeout(35, 0, { signal: controller.signal }).catch(() => {}),
    ]
    controller.abort()
    expect(countsOf(wheel)).toEqual({ pending: 2, scheduled: 3, fired: 0, cancelled: 1 })
    wheel.advance(35)
    expect(countsOf(wheel)).toEqual({ pending: 1, scheduled: 3, fired: 4, cancelled: 1 })
    await Promise.all(promises)
    await values.return?.()
    expect(countsOf(wheel)).toEqual({ pending: 0, scheduled: 3, fired: 4, cancelled: 2 })
  })
})
