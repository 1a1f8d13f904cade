/**
 * The functions of `timers/promises` decide how long a process lives, which warnings it prints and how its errors look. Each
 * script runs on Node's functions and on ours, and must end in the same way.
 */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { type Outcome, run } from './child.js'
import { inOneProcess } from './one-process.js'

const NATIVE = `import * as timers from 'node:timers/promises'`
const SOURCES = [
  ['node:timers/promises', NATIVE],
  ...ENTRIES.map((entry) => [entry, `import { promises as timers } from '${entry}'`]),
] as [string, string][]

const KEEPING: [string, string][] = [
  ['setTimeout', `await timers.setTimeout(30)`],
  [
    'setTimeout that a signal could abort',
    `await timers.setTimeout(30, 0, { signal: new AbortController().signal })`,
  ],
  ['setImmediate', `await timers.setImmediate()`],
  ['scheduler.wait', `await timers.scheduler.wait(30)`],
  ['scheduler.yield', `await timers.scheduler.yield()`],
  ['the interval that is asked', `for await (const _ of timers.setInterval(30)) break`],
  [
    'an interval that runs while no next() is called',
    `
    const iterator = timers.setInterval(10)
    await iterator.next()
    let left = false
    globalThis.setTimeout(() => { left = true; iterator.return() }, 60).unref()
    await new Promise((resolve) => process.once('beforeExit', resolve))
    if (!left) throw new Error('it ended before')`,
  ],
]

const untilEnd = ([, body]: [string, string]): string => `${body}\nconsole.log('end')`

const NOT_KEEPING: [string, string][] = [
  ['setTimeout with ref: false', `timers.setTimeout(60_000, 0, { ref: false }).then(late)`],
  ['setImmediate with ref: false', `timers.setImmediate(0, { ref: false })`],
  ['setInterval with ref: false', `timers.setInterval(60_000, 0, { ref: false }).next().then(late)`],
  [
    'setInterval with ref: false that has run',
    `
    const iterator = timers.setInterval(5, 0, { ref: false })
    const alive = globalThis.setInterval(() => {}, 1000)
    await iterator.next()
    await iterator.next()
    globalThis.clearInterval(alive)`,
  ],
  ['an interval whose next() is never called', `timers.setInterval(60_000)`],
  [
    'an aborted call',
    `
    const controller = new AbortController()
    const { signal } = controller
    timers.setTimeout(60_000, 0, { signal }).then(late, () => {})
    timers.setInterval(60_000, 0, { signal }).next().then(late, () => {})
    timers.scheduler.wait(60_000, { signal }).then(late, () => {})
    controller.abort()`,
  ],
  ['an interval that was left', `for await (const _ of timers.setInterval(5)) break`],
  [
    'an interval whose loop threw',
    `
    try {
      for await (const _ of timers.setInterval(5)) throw new Error()
    } catch {}`,
  ],
]

describe.each(SOURCES)('%s', (_name, source) => {
  // Time passes only while a program waits, so the order of its lines does not depend on the machine.
  const runOn = (body: string): Promise<Outcome> => run(`${source}\n${body}`, [], virtualClock())
  const sameAsNatively = async (body: string): Promise<Outcome> => {
    const outcome = await runOn(body)
    const native = await run(`${NATIVE}\n${body}`, [], virtualClock())
    expect(outcome).toEqual(native)
    return outcome
  }

  const keeping = inOneProcess({ prelude: source, programs: KEEPING.map(untilEnd), env: virtualClock() })

  it.each(KEEPING)('keeps the process alive by %s', async (...what) => {
    expect(await keeping(untilEnd(what))).toEqual({ ...CLEAN, lines: ['end'] })
  })

  const notKeeping = inOneProcess({
    prelude: `
      ${source}
      const late = () => console.log('late')
      let started = performance.now()`,
    programs: NOT_KEEPING.map(([, body]) => body),
    after: `
      if (performance.now() - started > 30_000) console.log('it has waited')
      started = performance.now()`,
    env: virtualClock(),
  })

  it.each(NOT_KEEPING)('does not keep the process alive by %s', async (_name, body) => {
    expect(await notKeeping(body)).toEqual({ ...CLEAN, lines: [] })
  })

  it('ends the process with exit code 13 if it awaits a timer that does not keep it alive', async () => {
    expect(await runOn(`await timers.setTimeout(60_000, 0, { ref: false })`)).toMatchObject({ code: 13 })
  })

  it('warns of delays as natively', async () => {
    const outcome = await sameAsNatively(`
      process.removeAllListeners('warning')
      process.on('warning', ({ name, message }) => console.log(name, JSON.stringify(message)))
      for (const delay of [2 ** 31, Infinity, 2 ** 31, -1, -2, NaN, NaN, 0, 0.5, undefined]) {
        await timers.setTimeout(delay)
        const iterator = timers.setInterval(delay)
        await iterator.next()
        await iterator.return()
        await timers.scheduler.wait(delay)
      }
    `)
    expect(outcome).toMatchObject(CLEAN)
    expect(outcome.lines.filter((line) => line.startsWith('TimeoutOverflowWarning'))).toHaveLength(9)
  })

  it('shows its errors as natively', async () => {
    const outcome = await sameAsNatively(`
      import { inspect } from 'node:util'
      const show = (error) => {
        console.log(error.stack.split('\\n')[0])
        console.log(inspect(error).split('\\n')[0])
        console.log(inspect(error).split('\\n').filter((line) => /^ *(code|name|\\[cause\\]):/.test(line)).join())
        console.log(String(error), Object.getOwnPropertyNames(error).sort().join(), Object.keys(error).join())
      }
      await timers.setTimeout('1').catch(show)
      await timers.setTimeout(1, 0, { signal: 1 }).catch(show)
      await timers.setImmediate(0, { ref: 1 }).catch(show)
      await timers.setInterval(null).next().catch(show)
      await timers.setTimeout(1, 0, { signal: AbortSignal.abort('why') }).catch(show)
      await timers.setImmediate(0, { signal: AbortSignal.abort('why') }).catch(show)
      await timers.setInterval(1, 0, { signal: AbortSignal.abort('why') }).next().catch(show)
      await timers.setTimeout(60_000, 0, { signal: AbortSignal.timeout(1) }).catch(show)
      try { new timers.scheduler.constructor() } catch (error) { show(error) }
      try { timers.scheduler.yield.call({}) } catch (error) { show(error) }
    `)
    expect(outcome).toMatchObject(CLEAN)
    expect(outcome.lines[0]).toContain('TypeError [ERR_INVALID_ARG_TYPE]: The "delay" argument')
    expect(outcome.lines.length).toBeGreaterThan(30)
  })

  it('ends the process after an unhandled rejection with the same code', async () => {
    const body = `timers.setTimeout(60_000, 0, { signal: AbortSignal.timeout(5) })`
    const outcome = await runOn(body)
    expect(outcome).toMatchObject({ code: 1, lines: [] })
    expect(outcome.stderr).toContain('AbortError: The operation was aborted')
    expect(outcome.stderr).toContain("code: 'ABORT_ERR'")
  })

  it('keeps the store of the caller, and releases the signal', async () => {
    const outcome = await run(
      `
      ${source}
      import { AsyncLocalStorage } from 'node:async_hooks'
      const storage = new AsyncLocalStorage()
      await storage.run('store', async () => {
        await timers.setTimeout(5)
        console.log(storage.getStore())
        for await (const _ of timers.setInterval(5)) { console.log(storage.getStore()); break }
        await timers.scheduler.wait(5, { signal: new AbortController().signal })
        console.log(storage.getStore())
      })
      const controller = new AbortController()
      let value = {}
      const released = new WeakRef(value)
      const promise = timers.setTimeout(60_000, value, { signal: controller.signal }).catch(() => {})
      value = undefined
      controller.abort()
      await promise
      await new Promise((resolve) => setImmediate(resolve))
      globalThis.gc()
      console.log(released.deref() === undefined)
    `,
      ['--expose-gc'],
    )
    expect(outcome).toEqual({ ...CLEAN, lines: ['store', 'store', 'store', 'true'] })
  })
})

describe('one program', () => {
  it.each(['native', 'wasm'])(
    'uses %s for timeout-wheel/promises if it does for timeout-wheel',
    async (name) => {
      const outcome = await run(`
      process.env.TIMEOUT_WHEEL_BACKEND = '${name}'
      const { setTimeout } = await import('timeout-wheel/promises')
      const { backend, promises } = await import('timeout-wheel')
      console.log(await setTimeout(5, backend), promises.setTimeout === setTimeout)
    `)
      expect(outcome).toEqual({ ...CLEAN, lines: [`${name} true`] })
    },
  )

  it('gives util.promisify the functions of the module, as natively', async () => {
    const script = (timers: string, promises: string): string => `
      import { createRequire } from 'node:module'
      import { promisify } from 'node:util'
      const require = createRequire(process.cwd() + '/')
      const other = () => {}
      require('${promises}').setTimeout = other
      console.log(promisify(require('${timers}').setTimeout) === other, require('${timers}').promises.setTimeout === other)
    `
    const ours = await run(script('timeout-wheel', 'timeout-wheel/promises'))
    expect(ours).toEqual(await run(script('node:timers', 'node:timers/promises')))
    expect(ours).toEqual({ ...CLEAN, lines: ['true true'] })
  })
})

describe('the entry of pages', () => {
  const onPage = (body: string): Promise<Outcome> =>
    run(`import * as timers from 'timeout-wheel/promises'\n${body}`, ['--conditions=browser'])

  it('has the same functions, setImmediate among them', async () => {
    const outcome = await onPage(`
      import { backend, promises } from 'timeout-wheel'
      console.log(backend, timers.default === promises, Object.keys(promises).every((name) => timers[name] === promises[name]))
      console.log(await timers.setTimeout(5, 'timeout'), await timers.setImmediate('immediate'))
      await timers.scheduler.wait(1)
      await timers.scheduler.yield()
      for await (const value of timers.setInterval(1, 'interval')) { console.log(value); break }
      const own = await import('node:timers/promises')
      console.log(timers.setImmediate !== own.setImmediate, timers.setImmediate.length === own.setImmediate.length)
    `)
    expect(outcome).toEqual({
      ...CLEAN,
      lines: ['wasm true true', 'timeout immediate', 'interval', 'true true'],
    })
  })

  it('has a setImmediate that can be aborted and that validates its options', async () => {
    const outcome = await onPage(`
      import { getEventListeners } from 'node:events'
      const show = ({ name, code, cause, message }) => console.log(name, code, cause, message)
      const controller = new AbortController()
      const { signal } = controller
      const first = await timers.setImmediate('value', { signal })
      const second = timers.setImmediate('value', { signal })
      console.log(first, getEventListeners(signal, 'abort').length)
      controller.abort('why')
      await second.catch(show)
      console.log(getEventListeners(signal, 'abort').length)
      await timers.setImmediate('value', { signal }).catch(show)
      await timers.setImmediate('value', { signal: 1 }).catch(({ code }) => console.log(code))
    `)
    const aborted = 'AbortError ABORT_ERR why The operation was aborted'
    expect(outcome).toEqual({
      ...CLEAN,
      lines: ['value 1', aborted, '0', aborted, 'ERR_INVALID_ARG_TYPE'],
    })
  })
})
