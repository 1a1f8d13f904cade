/** Contexts of `schedule()` and of `asyncContext: false`. test/differential compares those of handles with Node's. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, it } from '@jest/globals'
import type { Timeout } from 'timeout-wheel'
import { onEachBackend, type Wheel, type WheelOptions } from './backends.js'
import { busyWait, drained, wholeTurn } from './clock.js'

/** Runs all timers of a test in one batch, so that a leaking context would reach the next callback. */
async function runTogether(wheel: Wheel): Promise<void> {
  busyWait(10)
  await drained(wheel)
}

onEachBackend((backend) => {
  const setUp = (options: WheelOptions = {}) => {
    // A storage of its own, so that other tests do not see the values that it leaves behind.
    const storage = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    const look = (): void => void seen.push(storage.getStore())
    return { wheel: new backend.TimerWheel(options), storage, seen, look }
  }

  // Within one slice, callbacks without a context share one. That is documented.
  it('does not carry a context that a callback of schedule() entered into later slices', async () => {
    const { wheel, storage, seen, look } = setUp()
    wheel.schedule(() => storage.enterWith('entered'), 5)
    await runTogether(wheel)
    await wholeTurn()
    wheel.schedule(look, 5)
    await runTogether(wheel)
    expect(seen).toEqual([undefined])
  })

  it('captures no context for schedule(), and none at all with asyncContext: false', async () => {
    const { wheel, storage, seen, look } = setUp({ asyncContext: false })
    storage.run('a', () => {
      wheel.schedule(look, 5)
      wheel.setTimeout(look, 5)
      const interval: Timeout = wheel.setInterval(() => {
        look()
        interval.close()
      }, 5)
    })
    await runTogether(wheel)
    expect(seen).toEqual([undefined, undefined, undefined])
  })
})
