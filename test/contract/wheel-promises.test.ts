/** `promises` of a wheel: the functions of `timers/promises`, on that wheel. */
import { ABORTED, manualWheel, onEachBackend } from './backends.js'

/** Lets all queued microtasks run: more than any promise here needs. */
async function microtasks(): Promise<void> {
  for (let i = 0; i < 20; i++) await undefined
}

onEachBackend((backend) => {
  it('resolve in the time of the wheel', async () => {
    const wheel = manualWheel(backend)
    const { setTimeout, setInterval, scheduler } = wheel.promises
    const seen: unknown[] = []
    const iterator = setInterval(10, 'tick')
    void setTimeout(50, 'value').then((value) => seen.push(value))
    void scheduler.wait(20).then((value) => seen.push(value))
    void iterator.next().then(({ value }) => seen.push(value))
    expect(wheel.pending).toBe(3)
    for (const expected of [[], ['tick'], ['tick', undefined], ['tick', undefined, 'value']]) {
      await microtasks()
      expect(seen).toEqual(expected)
      wheel.advance([10, 10, 30][expected.length] ?? 0)
    }
    await iterator.return!(undefined)
    expect(wheel.pending).toBe(0)
    expect(wheel.promises).toBe(wheel.promises)
  })

  it.each(['clear', 'stop'] as const)('are rejected with an AbortError by %s()', async (method) => {
    const wheel = manualWheel(backend)
    const { setTimeout, setInterval, scheduler } = wheel.promises
    const controller = new AbortController()
    const { signal } = controller
    const waits = [setTimeout(50), setTimeout(50, 0, { signal }), scheduler.wait(60), setInterval(10).next()]
    const settled = Promise.allSettled<unknown>(waits)
    const other = wheel.schedule(() => {}, 70)
    expect(wheel.pending).toBe(5)
    const result = wheel[method]()
    // stop() returns the timer with an id.
    expect(Array.isArray(result) ? result.length : result).toBe(method === 'clear' ? 5 : 1)
    expect(wheel.pending).toBe(0)
    for (const outcome of await settled) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: ABORTED })
      expect((outcome as PromiseRejectedResult).reason.cause).toBeUndefined()
    }
    controller.abort()
    expect([wheel.cancel(other), wheel.clear()]).toEqual([false, 0])
  })

  it('end an interval that waits for no run', async () => {
    const wheel = manualWheel(backend)
    const iterator = wheel.promises.setInterval(10, 'tick')
    const first = iterator.next()
    wheel.advance(30)
    await first
    expect(wheel.clear()).toBe(1)
    // The runs from before are yielded first.
    for (let i = 0; i < 2; i++) expect(await iterator.next()).toEqual({ done: false, value: 'tick' })
    await expect(iterator.next()).rejects.toMatchObject(ABORTED)
  })

  it('are no longer the concern of clear() when they are settled', async () => {
    const wheel = manualWheel(backend)
    const done = wheel.promises.setTimeout(5, 'done')
    const controller = new AbortController()
    const aborted = wheel.promises.setTimeout(5, 'aborted', { signal: controller.signal })
    controller.abort(new Error('expected'))
    await expect(aborted).rejects.toMatchObject({ ...ABORTED, cause: new Error('expected') })
    wheel.advance(5)
    expect(wheel.clear()).toBe(0)
    expect(await done).toBe('done')
  })

  it('are rejected if the wheel takes no more timers, or for the arguments', async () => {
    const wheel = manualWheel(backend, { maxPending: 1 })
    const { setTimeout, setInterval } = wheel.promises
    wheel.schedule(() => {}, 5)
    await expect(setTimeout(5)).rejects.toMatchObject({ code: 'ERR_WHEEL_LIMIT' })
    await expect(setInterval(5).next()).rejects.toMatchObject({ code: 'ERR_WHEEL_LIMIT' })
    wheel.stop()
    await expect(setTimeout(5)).rejects.toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
    await expect(setTimeout('5' as never)).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
    await expect(setTimeout(5, 0, { signal: 1 as never })).rejects.toBeInstanceOf(TypeError)
    const options = { signal: AbortSignal.abort(), other: 1 }
    await expect(setTimeout(5, 0, options)).rejects.toMatchObject({ name: 'AbortError' })
  })
})
