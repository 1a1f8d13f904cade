/** The functions of `timers/promises` decide how long a process lives and which warnings it prints, as Node's do. */
import { PROMISES } from './backends.js'
import { eachLikeNative, eachLikeNativeInOne } from './like-native.js'
import { prints, printsWith } from './prints.js'

describe('as natively,', () => {
  eachLikeNativeInOne(
    `
    # the process is kept alive by each call, and by an interval that is asked -> end
    await promises.setTimeout(30)
    await promises.setTimeout(30, 0, { signal: new AbortController().signal })
    await promises.setImmediate()
    await promises.scheduler.wait(30)
    await promises.scheduler.yield()
    for await (const _ of promises.setInterval(30)) break
    end()
    # the process is kept alive by an interval that runs while no next() is called -> end
    const iterator = promises.setInterval(10)
    await iterator.next()
    await new Promise((resolve) => globalThis.setTimeout(resolve, 60).unref())
    iterator.return()
    end()
    # the process is not kept alive by calls with ref: false
    promises.setTimeout(60_000, 0, { ref: false }).then(end)
    promises.setImmediate(0, { ref: false })
    promises.setInterval(60_000, 0, { ref: false }).next().then(end)
    # the process is not kept alive by setInterval with ref: false that has run
    const iterator = promises.setInterval(5, 0, { ref: false })
    const alive = globalThis.setInterval(() => {}, 1000)
    await iterator.next()
    await iterator.next()
    globalThis.clearInterval(alive)
    # the process is not kept alive by an aborted call
    const controller = new AbortController()
    const { signal } = controller
    promises.setTimeout(60_000, 0, { signal }).then(end, () => {})
    promises.setInterval(60_000, 0, { signal }).next().then(end, () => {})
    promises.scheduler.wait(60_000, { signal }).then(end, () => {})
    controller.abort()
    # the process is not kept alive by intervals whose next() is never called, that were left, or whose loop threw
    promises.setInterval(60_000)
    for await (const _ of promises.setInterval(5)) break
    try {
      for await (const _ of promises.setInterval(5)) throw new Error()
    } catch {}`,
    `
    ${PROMISES}
    const end = () => log('end')
    let started = performance.now()`,
    // In virtual time, it is the same on each run. A process that was not kept alive ends before end() is called.
    `
    log(performance.now() - started, 'ms')
    started = performance.now()`,
  )

  eachLikeNative(
    `
    # delays cause warnings
    process.removeAllListeners('warning')
    process.on('warning', ({ name, message }) => log(name, JSON.stringify(message)))
    for (const delay of [2 ** 31, Infinity, 2 ** 31, -1, -2, NaN, NaN, 0, 0.5, undefined]) {
      await promises.setTimeout(delay)
      const iterator = promises.setInterval(delay)
      await iterator.next()
      await iterator.return()
      await promises.scheduler.wait(delay)
    }
    # a rejection that is not handled is reported -> ABORT_ERR
    process.on('unhandledRejection', ({ code }) => log(code))
    promises.setTimeout(60_000, 0, { signal: AbortSignal.abort() })
    # an aborted promise lets go of its value -> true
    const controller = new AbortController()
    let value = {}
    const released = new WeakRef(value)
    const promise = promises.setTimeout(60_000, value, { signal: controller.signal }).catch(() => {})
    value = undefined
    controller.abort()
    await promise
    await new Promise((resolve) => setImmediate(resolve))
    globalThis.gc()
    log(released.deref() === undefined)
    # util.promisify gives the present functions of the module -> true
    // module-shape.test.ts shows that \`promises\` is the object of the module.
    import { promisify } from 'node:util'
    promises.setTimeout = () => {}
    log(promisify(timers.setTimeout) === promises.setTimeout)`,
    PROMISES,
    ['--expose-gc'],
  )
})

for (const name of ['native', 'wasm'])
  prints(`
    # timeout-wheel/promises uses ${name} if timeout-wheel does -> ${name} 1
    process.env.TIMEOUT_WHEEL_BACKEND = '${name}'
    const { setTimeout } = await import('timeout-wheel/promises')
    const { backend, stats } = await import('timeout-wheel')
    console.log(await setTimeout(5, backend), stats().fired)`)

// The contract has their other functions, and test/packed/import.test.ts their names.
printsWith(['--conditions=browser'])(`
  # pages have a setImmediate that can be aborted and validates its options
  -> wasm true | true true | undefined immediate | 1
  -> ABORT_ERR why | ABORT_ERR why | ERR_INVALID_ARG_TYPE undefined | 0
  import { getEventListeners } from 'node:events'
  import * as own from 'node:timers/promises'
  import { backend } from 'timeout-wheel'
  import promises, * as timers from 'timeout-wheel/promises'
  console.log(backend, Object.keys(promises).every((name) => timers[name] === promises[name]))
  const { setImmediate, scheduler } = promises
  console.log(setImmediate !== own.setImmediate, setImmediate.length === own.setImmediate.length)
  const controller = new AbortController()
  const { signal } = controller
  console.log(await scheduler.yield(), await setImmediate('immediate', { signal }))
  const aborted = [setImmediate(0, { signal })]
  console.log(getEventListeners(signal, 'abort').length)
  controller.abort('why')
  aborted.push(setImmediate(0, { signal }), setImmediate(0, { signal: 1 }))
  for (const { reason } of await Promise.allSettled(aborted)) console.log(reason.code, reason.cause)
  console.log(getEventListeners(signal, 'abort').length)`)
