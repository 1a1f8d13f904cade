/** `promises` of a wheel: the functions of `timers/promises`, on that wheel. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend } from './backends.js'

/** Lets all queued microtasks run: more than any promise here needs. */
async function microtasks(): Promise<void> {
  for (let i = 0; i < 20; i++) await undefined
}

onEachBackend((backend) => {
  it('resolve in the time of the wheel', async () => {
    const wheel = manualWheel(backend)
    const { setTimeout, scheduler } = wheel.promises
    const seen: unknown[] = []
    void setTimeout(50, 'value').then((value) => seen.push(value))
    void scheduler.wait(20).then((value) => seen.push(value))
    expect(wheel.pending).toBe(2)
    wheel.advance(20)
    await microtasks()
    expect(seen).toEqual([undefined])
    wheel.advance(30)
    await microtasks()
    expect(seen).toEqual([undefined, 'value'])
    expect(wheel.promises).toBe(wheel.promises)
  })

  it('iterate over an interval', async () => {
    const wheel = manualWheel(backend)
    const iterator = wheel.promises.setInterval(10, 'tick')[Symbol.asyncIterator]()
    const first = iterator.next()
    wheel.advance(10)
    expect(await first).toEqual({ done: false, value: 'tick' })
    await iterator.return!(undefined)
    expect(wheel.pending).toBe(0)
  })

  it.each(['clear', 'stop'] as const)('are rejected with an AbortError by %s()', async (method) => {
    const wheel = manualWheel(backend)
    const { setTimeout, setInterval, scheduler } = wheel.promises
    const controller = new AbortController()
    const promises = [
      setTimeout(50),
      setTimeout(50, 'value', { signal: controller.signal }),
      scheduler.wait(60),
      setInterval(10)[Symbol.asyncIterator]().next(),
    ]
    const other = wheel.schedule(() => {}, 70)
    expect(wheel.pending).toBe(5)
    const settled = Promise.allSettled(promises)
    const result = wheel[method]()
    expect(method === 'clear' ? result : (result as object[]).length).toBe(method === 'clear' ? 5 : 1)
    expect(wheel.pending).toBe(0)
    for (const outcome of await settled) {
      expect(outcome.status).toBe('rejected')
      expect((outcome as PromiseRejectedResult).reason).toMatchObject({
        name: 'AbortError',
        code: 'ABORT_ERR',
        message: 'The operation was aborted',
      })
      expect((outcome as { reason: Error }).reason.cause).toBeUndefined()
    }
    controller.abort()
    expect(wheel.cancel(other)).toBe(false)
    expect(wheel.clear()).toBe(0)
  })

  it('end an interval that waits for no run', async () => {
    const wheel = manualWheel(backend)
    const iterator = wheel.promises.setInterval(10, 'tick')[Symbol.asyncIterator]()
    const first = iterator.next()
    wheel.advance(30)
    expect(await first).toEqual({ done: false, value: 'tick' })
    expect(wheel.clear()).toBe(1)
    // The runs from before are yielded first.
    expect(await iterator.next()).toEqual({ done: false, value: 'tick' })
    expect(await iterator.next()).toEqual({ done: false, value: 'tick' })
    await expect(iterator.next()).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('are no longer the concern of clear() when they are settled', async () => {
    const wheel = manualWheel(backend)
    const done = wheel.promises.setTimeout(5, 'done')
    const controller = new AbortController()
    const aborted = wheel.promises.setTimeout(5, 'aborted', { signal: controller.signal })
    controller.abort(new Error('expected'))
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError', cause: new Error('expected') })
    wheel.advance(5)
    expect(wheel.clear()).toBe(0)
    expect(await done).toBe('done')
  })

  it('are rejected if the wheel takes no more timers', async () => {
    const wheel = manualWheel(backend, { maxPending: 1 })
    wheel.schedule(() => {}, 5)
    await expect(wheel.promises.setTimeout(5)).rejects.toMatchObject({ code: 'ERR_WHEEL_LIMIT' })
    await expect(wheel.promises.setInterval(5)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'ERR_WHEEL_LIMIT',
    })
    wheel.stop()
    await expect(wheel.promises.setTimeout(5)).rejects.toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
  })

  it('take the arguments of timers/promises', async () => {
    const { promises } = manualWheel(backend)
    await expect(promises.setTimeout('5' as never)).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
    await expect(promises.setTimeout(5, 0, { signal: 1 as never })).rejects.toBeInstanceOf(TypeError)
    const aborted = promises.setTimeout(5, 0, { signal: AbortSignal.abort(), other: 1 } as never)
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('leave nothing behind', async () => {
    const wheel = manualWheel(backend)
    let settled = 0
    for (let round = 0; round < 1000; round++) {
      void wheel.promises.setTimeout(1).then(() => settled++)
      wheel.promises.setTimeout(2).catch(() => settled++)
      wheel.advance(1)
      wheel.clear()
      await undefined
    }
    await microtasks()
    expect([settled, wheel.pending]).toEqual([2000, 0])
  })
})
