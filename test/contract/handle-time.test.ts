/** `pending`, `deadline` and `remaining` of handles, on the scale of the wheel's `now`. model.test.ts compares them in virtual time. */
import { expect, it } from '@jest/globals'
import { onEachBackend } from './backends.js'
import { busyWait, drained, now } from './clock.js'

onEachBackend((backend) => {
  it('is never reached early on a clock that goes on after stop(); remaining becomes negative', async () => {
    const wheel = new backend.TimerWheel()
    const first = wheel.now
    const made = now()
    expect(first).toBeGreaterThanOrEqual(0)
    let early = 0
    const handles = Array.from({ length: 200 }, (_, i) => {
      const handle = wheel.setTimeout(() => {
        if (wheel.now < deadline) early++
      }, i % 20)
      const { deadline } = handle
      return handle
    })
    const [late, last] = [handles[1]!, handles.at(-1)!]
    expect(last.remaining).toBeGreaterThan(0)
    expect(last.remaining).toBeLessThanOrEqual(last.deadline)
    busyWait(25)
    expect(late.remaining).toBeLessThan(-20)
    expect(late.pending).toBe(true)
    // A page reads its clock in steps of up to a millisecond.
    expect(wheel.now - first).toBeGreaterThanOrEqual(24)
    expect(wheel.now).toBeLessThanOrEqual(now() - made + 1000)
    await drained(wheel)
    expect(early).toBe(0)
    const { now: before } = wheel
    wheel.stop()
    expect(wheel.now).toBeGreaterThanOrEqual(before)
    busyWait(2)
    expect(wheel.now).toBeGreaterThan(before)
  })
})
