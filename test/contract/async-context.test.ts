/** Callbacks run in the async context in which their timer was set. */
import { AsyncLocalStorage, executionAsyncId } from 'node:async_hooks'
import { expect, it } from '@jest/globals'
import { type Backend, onEachBackend, type Wheel } from './backends.js'
import { busyWait, drained, wholeTurn } from './clock.js'

/** Runs all timers of a test in one batch, so that a leaking context would reach the next callback. */
async function runTogether(wheel: Wheel): Promise<void> {
  busyWait(10)
  await drained(wheel)
}

const storage = new AsyncLocalStorage<string>()

function storesSeenBy(backend: Backend, options: ConstructorParameters<Backend['TimerWheel']>[0] = {}) {
  const seen: unknown[] = []
  return { wheel: new backend.TimerWheel(options), seen, look: () => void seen.push(storage.getStore()) }
}

onEachBackend((backend) => {
  it('runs each callback in the context of the call that set it', async () => {
    const { wheel, seen, look } = storesSeenBy(backend)
    for (const name of ['a', 'b', 'c']) storage.run(name, () => wheel.setTimeout(look, 5))
    wheel.setTimeout(look, 5)
    await runTogether(wheel)
    expect(seen).toEqual(['a', 'b', 'c', undefined])
  })

  it('keeps the context over all runs of an interval, also after an await in them', async () => {
    const seen: unknown[] = []
    await new Promise<void>((resolve) => {
      storage.run('a', () => {
        const interval = backend.setInterval(async () => {
          await null
          seen.push(storage.getStore())
          if (seen.length < 3) return
          interval.close()
          resolve()
        }, 2)
      })
    })
    expect(seen).toEqual(['a', 'a', 'a'])
  })

  it('keeps the context of a pending timer that is refreshed in another context', async () => {
    const { wheel, seen, look } = storesSeenBy(backend)
    const timeout = storage.run('set', () => wheel.setTimeout(look, 5))
    storage.run('refreshed', () => timeout.refresh())
    await runTogether(wheel)
    expect(seen).toEqual(['set'])
  })

  it('captures a new context when a timer that has run is refreshed', async () => {
    const { wheel, seen, look } = storesSeenBy(backend)
    const timeout = storage.run('set', () => wheel.setTimeout(look, 5))
    await runTogether(wheel)
    storage.run('refreshed', () => timeout.refresh())
    await runTogether(wheel)
    timeout.refresh()
    await runTogether(wheel)
    expect(seen).toEqual(['set', 'refreshed', undefined])
  })

  it('does not carry a context that a callback entered into the next callback', async () => {
    const { wheel, seen, look } = storesSeenBy(backend)
    storage.run('a', () => wheel.setTimeout(() => storage.enterWith('entered'), 5))
    storage.run('b', () => wheel.setTimeout(look, 5))
    wheel.setTimeout(look, 5)
    await runTogether(wheel)
    wheel.setTimeout(look, 5)
    await runTogether(wheel)
    expect(seen).toEqual(['b', undefined, undefined])
  })

  // Within one slice, callbacks without a context share one. That is documented.
  it('does not carry a context that a callback of schedule() entered into later slices', async () => {
    // A storage of its own, so that other tests do not see the value that it leaves behind.
    const entered = new AsyncLocalStorage<string>()
    const wheel = new backend.TimerWheel()
    const seen: unknown[] = []
    const look = (): void => void seen.push(entered.getStore())
    wheel.schedule(() => entered.enterWith('entered'), 5)
    await runTogether(wheel)
    await wholeTurn()
    wheel.schedule(look, 5)
    await runTogether(wheel)
    expect(seen).toEqual([undefined])
  })

  it('gives each callback its own async id', async () => {
    const wheel = new backend.TimerWheel()
    const ids: number[] = []
    for (let i = 0; i < 5; i++) wheel.setTimeout(() => ids.push(executionAsyncId()), 5)
    await runTogether(wheel)
    expect(new Set(ids).size).toBe(5)
    expect(Math.min(...ids)).toBeGreaterThan(0)
  })

  it('captures no context for schedule(), and none at all with asyncContext: false', async () => {
    const { wheel, seen, look } = storesSeenBy(backend, { asyncContext: false })
    storage.run('a', () => {
      wheel.schedule(look, 5)
      wheel.setTimeout(look, 5)
      const interval = wheel.setInterval(() => {
        look()
        interval.close()
      }, 5)
    })
    await runTogether(wheel)
    expect(seen).toEqual([undefined, undefined, undefined])
  })
})
