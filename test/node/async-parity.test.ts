/** Hooks and stores behave as with the timers of Node, in uses that test/differential does not have. */
import { PROMISES } from './backends.js'
import { eachLikeNative } from './like-native.js'

describe('async_hooks', () => {
  eachLikeNative(
    `
    # see timers that were set before they are enabled
    const hook = createHook(ofHandles('before', 'after'))
    for (const ms of [5, 20]) setTimeout(log, ms, 'runs')
    setImmediate(() => hook.enable())
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
