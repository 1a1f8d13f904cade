/** Hooks and stores behave as with the timers of Node, in uses that test/differential does not have. */
import { describe } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { ENTRIES, PROMISES } from './backends.js'
import { eachLikeNative } from './like-native.js'
import { printsWith } from './prints.js'

describe('async_hooks', () => {
  eachLikeNative(
    `
    # see timers that were set before they are enabled
    const hook = createHook(ofHandles('before', 'after'))
    for (const ms of [5, 20]) setTimeout(log, ms, 'runs')
    setImmediate(() => hook.enable())
    # see the timers of promises only while they are enabled
    let made = 0
    const hook = createHook({ init(id, type) { if (type === 'Timeout') made++ } })
    const waits = [wait(20)]
    hook.enable()
    waits.push(wait(20))
    hook.disable()
    waits.push(wait(20))
    log(made)
    await Promise.all(waits)
    log(made)
    # run the then() of a promise value in the scope of its timer, also if none are enabled
    const look = (name) => log(name, executionAsyncId() > 1)
    await wait(3, { get then() { look('get then') } })
    await wait(3, { then(resolve) { look('then'); resolve() } })
    # keep a store across an awaited promise and a loop, and in the then() of its value
    const storage = new AsyncLocalStorage()
    const look = (name) => log(name, storage.getStore())
    const waiter = async (name, value) => { await wait(3, value); look(name) }
    await Promise.all(['a', 'b'].flatMap((name) => [
      storage.run(name, () => waiter(name)),
      storage.run(name, () => waiter(name + ' with a value', 'value')),
      storage.run(name, () => waiter(name + ' with a thenable', { then(resolve) { look('then'); resolve() } })),
      storage.run(name, () => waiter(name + ' with a getter', { get then() { look('get then') } })),
      storage.run(name, () => wait(3).then(look)),
      storage.run(name, () => scheduler.wait(3, { signal: new AbortController().signal }).then(() => look(name + ' waits'))),
      storage.run(name, async () => { for await (const _ of ticks(3)) { look(name + ' ticks'); break } }),
    ]))`,
    `
    import { AsyncLocalStorage, createHook, executionAsyncId, executionAsyncResource } from 'node:async_hooks'
    ${PROMISES}
    const { setTimeout: wait, setInterval: ticks, scheduler } = promises
    const probe = setTimeout(() => {}), Handle = probe.constructor; clearTimeout(probe)
    /** Hooks that log the events of handles: on WebAssembly, hooks see the driver too. */
    const ofHandles = (...events) => Object.fromEntries(
      events.map((event) => [event, () => { if (executionAsyncResource() instanceof Handle) log(event) }]))\n`,
  )
})

const prints = printsWith([], virtualClock())
for (const entry of ENTRIES)
  prints(`
    # destroys each async resource once if a wheel refuses or stops its timer: ${entry} -> 3 1
    import { AsyncResource, createHook } from 'node:async_hooks'; import { TimerWheel } from '${entry}'
    const alive = new Map()
    createHook({
      init: (id, type, _trigger, resource) => type === 'Timeout' && resource instanceof AsyncResource && alive.set(id, 0),
      destroy: (id) => alive.has(id) && alive.set(id, alive.get(id) + 1),
    }).enable()
    const small = new TimerWheel({ maxPending: 1 })
    for (let i = 0; i < 9; i++) try { small.setTimeout(() => {}, 5) } catch {}
    const stopped = new TimerWheel(); stopped.setTimeout(() => {}, 5); stopped.stop()
    const wheel = new TimerWheel(); const t = wheel.setInterval(() => { t.refresh(); wheel.stop() }, 5)
    setTimeout(() => console.log(alive.size, ...new Set(alive.values())), 50)`)
