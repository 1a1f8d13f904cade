/** Signals with a timer, and `withTimeout`, in a process of Node: its life, its memory, its async contexts and its modules. */
import { join } from 'node:path'
import { virtualClock } from '../differential/clock.js'
import { scaled } from '../scale.js'
import { ENTRIES } from './backends.js'
import { ROOT } from './child.js'
import { eachLikeNative } from './like-native.js'
import { prints, printsInOneProcess } from './prints.js'

/** MB by which the heap may grow in six rounds. A leak of 25 bytes a time is more, and in the last test one of 60 bytes. */
const LIMIT = scaled(0.4, 8)
const scale = scaled(0.04, 1)
describe.each(ENTRIES)('%s', (entry) => {
  const inOne = printsInOneProcess({
    prelude: `
      import { setTimeout, TimerWheel, timeoutSignal, withTimeout } from '${entry}'
      import { AsyncLocalStorage } from 'node:async_hooks'
      const HOLD = { unref: false }
      const forever = new Promise(() => {})
      let current
      let started = Date.now()`,
    // A program can end while another one is the current one.
    before: `
      const own = (current = {})
      const end = () => { if (own === current) console.log('over') }`,
    after: `
      if (Date.now() - started > 10_000) console.log('late')
      started = Date.now()`,
    flags: ['--expose-gc'],
    env: virtualClock(),
  })

  inOne(`
    # does not keep the process alive by timeoutSignal, a cleared signal, or withTimeout with unref: true
    timeoutSignal(60_000).onabort = end
    timeoutSignal(60_000, HOLD).clear()
    withTimeout(forever, 60_000, { unref: true }).catch(end)
    # keeps the process alive with unref: false, also once it was refreshed -> over
    timeoutSignal(30, HOLD).refresh(20).onabort = end
    # runs a signal beside a timer -> over
    timeoutSignal(20).onabort = end; setTimeout(() => {}, 30)
    # keeps the process alive by withTimeout -> over
    withTimeout(forever, 30).catch(end)
    # does not after the promise of withTimeout is settled, or it is aborted -> over | over
    withTimeout(Promise.resolve(), 60_000).then(end)
    withTimeout(forever, 60_000, { signal: timeoutSignal(30) }).catch(end)
    # runs listeners in the async context of the maker, unless the wheel has none -> made | made | undefined | made
    const storage = new AsyncLocalStorage()
    const signals = storage.run('made', () => [
      timeoutSignal(5, HOLD),
      new TimerWheel().signal(5, HOLD),
      new TimerWheel({ asyncContext: false }).signal(5, HOLD),
    ])
    const stores = []
    storage.run('other', () => {
      for (const [i, signal] of signals.entries()) signal.onabort = () => { stores[i] = storage.getStore() }
    })
    await storage.run('made', () => withTimeout(forever, 10).catch(() => stores.push(storage.getStore())))
    for (const store of stores) console.log(store)
    # keeps the context of a refreshed signal, and drops it when the signal is cleared or aborted -> store | true true
    const storage = new AsyncLocalStorage()
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const make = () => [timeoutSignal(60_000, HOLD), new WeakRef(storage.getStore())]
    const made = [1, 2].map(() => storage.run({ name: 'store' }, make))
    const [[aborted], [cleared]] = made
    aborted.refresh(10).onabort = () => console.log(storage.getStore().name)
    cleared.clear()
    await new Promise((resolve) => setTimeout(resolve, 30))
    // Until its text is made, a stack refers to the receivers of its functions.
    void aborted.reason.stack
    for (let i = 0; i < 3; i++) { await turn(); gc() }
    console.log(...made.map(([signal, store]) => signal.aborted === (signal === aborted) && store.deref() === undefined))
    # aborts a signal that follows it and to which nothing refers, after the garbage is collected -> aborted
    AbortSignal.any([timeoutSignal(100, HOLD)]).onabort = () => console.log('aborted')
    for (let i = 0; i < 3; i++) { await new Promise((resolve) => setImmediate(resolve)); gc() }
    # reports an error of a listener, and aborts the signals that are due after it
    -> listener of the first | first | listener of the second | second
    process.on('uncaughtException', ({ message }) => console.log(message))
    const wheel = new TimerWheel()
    for (const name of ['first', 'second']) {
      const signal = wheel.signal(5, HOLD)
      signal.addEventListener('abort', () => { throw new Error(name) })
      signal.addEventListener('abort', () => console.log('listener of the ' + name))
    }`)
})

// Both builds share the code that could leave memory behind.
for (const entry of scaled<readonly string[]>([ENTRIES[0]], ENTRIES)) {
  const afterRounds = printsInOneProcess({
    prelude: `
      import { TimerWheel, timeoutSignal, withTimeout } from '${entry}'
      // The stack of each TimeoutError would take most of the time.
      Error.stackTraceLimit = 0
      const settle = () => new Promise((resolve) => setImmediate(resolve))
      const heap = async () => {
        for (let i = 0; i < 3; i++) { await settle(); gc() }
        return process.memoryUsage().heapUsed
      }
      const forever = new Promise(() => {})
      const growthOf = async (round) => {
        const wheel = new TimerWheel({ driver: 'manual' })
        for (let i = 0; i < 4; i++) await round(wheel)
        // The engine can keep something for itself. A leak grows each time.
        let growth = Infinity
        for (let n = 0; n < 3 && growth >= ${LIMIT}; n++) {
          const before = await heap()
          for (let i = 0; i < 6; i++) await round(wheel)
          growth = ((await heap()) - before) / 2 ** 20
        }
        console.log(growth < ${LIMIT} ? 'none' : growth, wheel.pending)
      }`,
    flags: ['--expose-gc', '--no-warnings'],
  })

  afterRounds(`
    # leaves no memory behind after signals that are dropped and aborted, or cleared -> none 0
    await growthOf((wheel) => {
      for (let n = 0; n < ${20 * scale}; n++) {
        for (let i = 0; i < 5_000; i++) wheel.signal(1 + i % 50)
        wheel.advance(50)
        for (let i = 0; i < 5_000; i++) wheel.signal(1 + i % 50).refresh().clear()
      }
    })
    # leaves no memory behind after waits, one after the other, for one promise that is never settled -> none 0
    await growthOf(async () => {
      for (let i = 0; i < ${3e4 * scale}; i++) {
        const controller = new AbortController()
        const wait = withTimeout(forever, 60_000, { signal: controller.signal }).catch(() => {})
        controller.abort()
        await wait
      }
    })`)
}

eachLikeNative(`
  # a signal is for Node what one of AbortSignal.timeout is, pending, refreshed or aborted
  import { getEventListeners, on, EventEmitter } from 'node:events'
  const { TimerWheel, timeoutSignal } = timers
  const signals = []
  if (entry === 'node:timers') for (let i = 0; i < 3; i++) signals.push(AbortSignal.timeout(5e6))
  else {
    const wheel = new TimerWheel({ driver: 'manual' })
    signals.push(timeoutSignal(5e6), timeoutSignal(10).refresh(5e6), wheel.signal(1))
    wheel.advance(1)
  }
  const [signal] = signals
  const attempt = (code) => { try { return inspect(code()) } catch ({ name, message }) { return name + ': ' + message } }
  for (const one of signals) {
    log(attempt(() => structuredClone(one)), one.constructor === AbortSignal, one instanceof EventTarget)
    log(Object.getOwnPropertyNames(one), Object.keys(one), String(one), JSON.stringify(one))
  }
  log(inspect(signal))
  on(new EventEmitter(), 'never', { signal })
  log(getEventListeners(signal, 'abort').length, new Request('http://localhost', { signal }).signal.aborted)
  process.exit()`)

const PAGES = join(ROOT, 'dist/browser.mjs')

for (const entry of [...ENTRIES, PAGES])
  prints(`
    # leaves no rejection unhandled, however late and for whatever arguments: ${entry}
    -> TimeoutError | Error | AbortError | RangeError | TypeError | AbortError
    import { withTimeout, setTimeout } from '${entry}'
    process.on('unhandledRejection', (error) => console.log('unhandled', error.message))
    const late = () => new Promise((_, reject) => setTimeout(reject, 200, new Error('late')))
    await withTimeout(Promise.resolve(), 9) // loads its code
    const controller = new AbortController(); const { signal } = controller
    const results = [
      withTimeout(late(), 10),
      withTimeout(late(), 500),
      withTimeout(late(), 500, { signal }),
      withTimeout(late(), -1),
      withTimeout(late(), 10, { unknown: true }),
      withTimeout(late(), 10, { signal: AbortSignal.abort() }),
    ]
    controller.abort()
    for (const { reason } of await Promise.allSettled(results)) console.log(reason.name)
    await new Promise((resolve) => setTimeout(resolve, 250))`)
