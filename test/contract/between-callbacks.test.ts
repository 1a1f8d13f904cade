/** Between two callbacks: next ticks and microtasks, and the contexts of `schedule()` and `asyncContext: false`. For handles see test/differential. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { nextTick } from 'node:process'
import type { Timeout } from 'timeout-wheel'
import { onEachBackend, type Wheel, type WheelOptions } from './backends.js'
import { busyWait, drained, wholeTurn } from './clock.js'

/** Runs all timers of a test in one batch, so that a leaking context would reach the next callback. */
async function runTogether(wheel: Wheel): Promise<void> {
  busyWait(10)
  await drained(wheel)
}

onEachBackend(({ TimerWheel }) => {
  it('runs next ticks, then microtasks, and resumes async functions after each callback', async () => {
    const wheel = new TimerWheel()
    const ran: string[] = []
    const run = (name: string) => () => {
      ran.push(name)
      queueMicrotask(() => ran.push(`${name}: microtask`))
      nextTick(() => ran.push(`${name}: next tick`))
    }
    wheel.setTimeout(run('a'), 5)
    wheel.schedule(run('b'), 5)
    const resumed = new Promise((resolve) => void wheel.setTimeout(resolve, 5)).then(run('async'))
    wheel.setTimeout(run('c'), 6)
    await Promise.all([runTogether(wheel), resumed])
    const all = (name: string): string[] => [name, `${name}: next tick`, `${name}: microtask`]
    expect(ran).toEqual([
      ...all('a'),
      ...all('b'),
      'async',
      'async: microtask',
      'async: next tick',
      ...all('c'),
    ])
  })

  it('runs no further callback after a microtask stops the wheel', async () => {
    const wheel = new TimerWheel()
    let ran = 0
    let left = 0
    wheel.schedule(() => queueMicrotask(() => (left = wheel.stop().length)), 5)
    for (let i = 0; i < 10; i++) wheel.schedule(() => ran++, 5)
    await runTogether(wheel)
    expect([ran, left]).toEqual([0, 10])
  })

  const setUp = (options: WheelOptions = {}) => {
    // A storage of its own, so that other tests do not see the values that it leaves behind.
    const storage = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    const look = (): void => void seen.push(storage.getStore())
    return { wheel: new TimerWheel(options), storage, seen, look }
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
