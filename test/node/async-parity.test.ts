/** Hooks, stores and domains behave with our timers as with Node's. */
import { describe, it } from '@jest/globals'
import { expectLikeNative, likeNative } from './like-native.js'

/** Logs only events of timers, numbered in the order of their first event. */
const HOOKS = `
  import { createHook, executionAsyncId, executionAsyncResource, triggerAsyncId } from 'node:async_hooks'
  // On WebAssembly, the wheel uses a timer of Node, which it sets outside of any context.
  const seen = new Map()
  const events = []
  const made = []
  const nameOf = (id) => seen.get(id) ?? (id === top ? 'top' : 'another')
  let top
  let watching = false
  createHook({
    init(id, type, trigger, resource) {
      if (!watching || type !== 'Timeout') return
      seen.set(id, 'timer ' + seen.size)
      events.push(['init', nameOf(id), 'by', nameOf(trigger), resource.constructor.name].join(' '))
    },
    before(id) { if (seen.has(id)) events.push('before ' + nameOf(id)) },
    after(id) { if (seen.has(id)) events.push('after ' + nameOf(id)) },
    destroy(id) { if (seen.has(id)) events.push('destroy ' + nameOf(id)) },
  }).enable()
  /** Watches only resources that are made while fn runs, not those that the wheel makes for itself later. */
  const watch = (fn) => { watching = true; try { return fn() } finally { watching = false } }
  const where = (t) => events.push('in ' + nameOf(executionAsyncId()) + ' by ' + nameOf(triggerAsyncId()) + ' ' + (executionAsyncResource() === t))
`
/** Prints the events of a program. */
const PRINT_EVENTS = `
  for (const event of events.splice(0)) console.log(event)
  seen.clear()`

const watched = (uses: readonly (readonly [name: string, use: string])[]) => {
  const program = (use: string): string => `top = executionAsyncId()\n${use}`
  const expectSame = likeNative(
    uses.map(([, use]) => program(use)),
    HOOKS,
    PRINT_EVENTS,
  )
  return (use: string) => expectSame(program(use))
}

const OF_TIMERS = [
  ['fires', 'const t = watch(() => setTimeout(() => where(t), 2))'],
  ['is cleared', 'const t = watch(() => setTimeout(() => {}, 2)); clearTimeout(t); clearTimeout(t)'],
  ['is cleared in its callback', 'const t = watch(() => setTimeout(() => { clearTimeout(t); where(t) }, 2))'],
  [
    'is cleared after it has run',
    'const t = watch(() => setTimeout(() => setImmediate(() => clearTimeout(t)), 2))',
  ],
  [
    'is refreshed in its callback',
    'let n = 0; const t = watch(() => setTimeout(() => { where(t); if (++n < 3) t.refresh() }, 2))',
  ],
  [
    'is refreshed while it is pending',
    'const t = watch(() => setTimeout(() => where(t), 100)); setImmediate(() => watch(() => t.refresh().refresh()))',
  ],
  [
    'is refreshed after it has run, by another timer',
    `
    let n = 0
    const t = watch(() => setTimeout(() => { where(t); events.push('run ' + ++n) }, 2))
    const other = watch(() => setTimeout(() => { where(other); watch(() => t.refresh()) }, 100))`,
  ],
  [
    'is refreshed after it has run, and cleared',
    `
    const t = watch(() => setTimeout(() => {}, 2))
    setTimeout(() => { watch(() => t.refresh()); clearTimeout(t) }, 100)`,
  ],
  ['is unreferenced', 'watch(() => setTimeout(() => {}, 5).unref()); watch(() => setTimeout(() => {}, 60))'],
  [
    'repeats',
    'let n = 0; const t = watch(() => setInterval(() => { where(t); if (++n === 3) clearInterval(t) }, 2))',
  ],
  [
    'repeats, and is refreshed in its callback',
    'let n = 0; const t = watch(() => setInterval(() => { t.refresh(); if (++n === 3) clearInterval(t) }, 2))',
  ],
  [
    'throws',
    `
    process.on('uncaughtException', () => where(t))
    const t = watch(() => setTimeout(() => { throw new Error('thrown') }, 2))
    const next = watch(() => setTimeout(() => where(next), 2))`,
  ],
  [
    'repeats and throws',
    `
    let n = 0
    process.on('uncaughtException', () => { where(t); if (++n === 2) clearInterval(t) })
    const t = watch(() => setInterval(() => { throw new Error('thrown') }, 2))`,
  ],
  [
    'is set in the callback of another',
    'const t = watch(() => setTimeout(() => { const inner = watch(() => setTimeout(() => where(inner), 2)) }, 2))',
  ],
  [
    'is set beside others of the same delay',
    'for (let i = 0; i < 3; i++) { const t = watch(() => setTimeout(() => where(t), 3)) }; busyWait(5)',
  ],
] as const

const OF_PROMISES = [
  ['fulfils', 'watch(() => timers.promises.setTimeout(2))'],
  ['fulfils with a value', "watch(() => timers.promises.setTimeout(2, 'value'))"],
  [
    'does not keep the process alive',
    'watch(() => timers.promises.setTimeout(2, 0, { ref: false })); setTimeout(() => {}, 9)',
  ],
  [
    'has a signal',
    `
    const controller = new AbortController()
    watch(() => timers.promises.setTimeout(2, 0, { signal: controller.signal }))`,
  ],
  [
    'is aborted',
    `
    const controller = new AbortController()
    watch(() => timers.promises.setTimeout(9, 0, { signal: controller.signal }).catch(() => {}))
    setTimeout(() => controller.abort(), 2)`,
  ],
  ['is of a scheduler', 'watch(() => timers.promises.scheduler.wait(2))'],
  ['is one of many', 'for (let i = 0; i < 3; i++) watch(() => timers.promises.setTimeout(3)); busyWait(5)'],
] as const

describe('async_hooks', () => {
  const expectSame = watched([...OF_TIMERS, ...OF_PROMISES])

  it.each(OF_TIMERS)('see the events of a timer that %s', async (_name, use) => {
    await expectSame(use)
  })

  it.each(OF_PROMISES)('see the events of the timer of a promise that %s', async (_name, use) => {
    await expectSame(use)
  })

  it('see the timers of promises only while they are enabled, as natively', async () => {
    await expectLikeNative(`
      import { createHook } from 'node:async_hooks'
      let made = 0
      const hook = createHook({ init(id, type) { if (type === 'Timeout') made++ } })
      const { setTimeout: wait } = timers.promises
      const waits = [wait(20)]
      hook.enable()
      waits.push(wait(20))
      hook.disable()
      waits.push(wait(20))
      log(made)
      await Promise.all(waits)
      log(made)
    `)
  })

  it('run the then() of a promise value in the scope of its timer, also if none are enabled', async () => {
    await expectLikeNative(`
      import { executionAsyncId } from 'node:async_hooks'
      const look = (name) => log(name, executionAsyncId() > 1)
      const { setTimeout: wait } = timers.promises
      await wait(3, { get then() { look('get then') } })
      await wait(3, { then(resolve) { look('then'); resolve() } })
    `)
  })
})

const STORES = `
  import { AsyncLocalStorage, AsyncResource, executionAsyncResource } from 'node:async_hooks'
  const storage = new AsyncLocalStorage()
  const other = new AsyncLocalStorage()
  const look = (name) => log(name, storage.getStore(), other.getStore())
`

describe('AsyncLocalStorage', () => {
  it('gives the stores of run, enterWith, exit, bind and snapshot', async () => {
    await expectLikeNative(`${STORES}
      storage.run('a', () => other.run('b', () => setTimeout(() => {
        look('run')
        setTimeout(look, 8, 'nested')
        storage.exit(() => setTimeout(look, 12, 'exited'))
        other.enterWith('entered')
        setTimeout(look, 16, 'entered')
        queueMicrotask(() => look('microtask'))
        process.nextTick(() => look('tick'))
      }, 2)))
      setTimeout(look, 2, 'outside, due in the same tick')
      const bound = storage.run('bound', () => AsyncResource.bind(() => look('bound')))
      setTimeout(bound, 30)
      if (AsyncLocalStorage.snapshot !== undefined) {
        const inSnapshot = storage.run('snapshot', () => AsyncLocalStorage.snapshot())
        setTimeout(() => inSnapshot(() => look('snapshot')), 80)
      }
      let n = 0
      const interval = storage.run('interval', () => setInterval(() => {
        look('interval')
        storage.enterWith('entered by the interval')
        if (++n === 3) clearInterval(interval)
      }, 160))
    `)
  })

  it('gives callbacks the stores of the call that set the timer, or set it again after it had run', async () => {
    await expectLikeNative(`${STORES}
      const t = storage.run('set', () => setTimeout(() => look('runs'), 2))
      storage.run('refreshed', () => t.refresh())
      process.once('beforeExit', () => {
        storage.run('set again', () => t.refresh())
        process.once('beforeExit', () => { other.run('once more', () => t.refresh()) })
      })
      let n = 0
      const inner = storage.run('inner', () => setTimeout(() => { look('inner'); if (++n < 3) other.run('n' + n, () => inner.refresh()) }, 2))
    `)
  })

  it('keeps the stores across an awaited promise, and in the then() of its value', async () => {
    await expectLikeNative(`${STORES}
      const { setTimeout: wait } = timers.promises
      const waiter = async (name, value) => { await wait(3, value); look(name) }
      await Promise.all(['a', 'b'].flatMap((name) => [
        storage.run(name, () => waiter(name)),
        storage.run(name, () => waiter(name + ' with a value', 'value')),
        storage.run(name, () => waiter(name + ' with a thenable', { then(resolve) { look('then'); resolve() } })),
        storage.run(name, () => waiter(name + ' with a getter', { get then() { look('get then') } })),
        storage.run(name, () => wait(3).then(look)),
      ]))
    `)
  })

  it('keeps the stores in the handler of an error that a callback throws', async () => {
    await expectLikeNative(`${STORES}
      process.on('uncaughtException', (error) => { look(error.message); storage.enterWith('left behind') })
      process.on('unhandledRejection', (error) => look(error.message))
      const next = () => look('next')
      for (const name of ['a', 'b']) {
        storage.run(name, () => setTimeout(() => { throw new Error(name) }, 3))
        setTimeout(next, 3)
        storage.run(name, () => setTimeout(async () => { throw new Error('rejected ' + name) }, 3))
        storage.run(name, () => setTimeout(next, 3))
      }
      busyWait(6)
    `)
  })
})

describe('a domain', () => {
  const DOMAIN = `
    import domain from 'node:domain'
    const make = (name) => {
      const made = domain.create()
      made.name = name
      made.on('error', (error) => log(name, 'caught', error.message, process.domain?.name))
      return made
    }
    const look = (name) => log(name, process.domain?.name)
  `

  it('is the one in which the timer was set', async () => {
    await expectLikeNative(`${DOMAIN}
      const [a, b] = [make('a'), make('b')]
      const t = a.run(() => setTimeout(() => { look('a'); setTimeout(look, 1, 'nested in a') }, 2))
      log(t.domain === a, Object.keys(t).includes('domain'))
      setTimeout(look, 2, 'none')
      b.run(() => setTimeout(look, 2, 'b'))
      setTimeout(look, 2, 'none')
      let n = 0
      b.run(() => { const i = setInterval(() => { look('interval'); if (++n === 2) clearInterval(i) }, 80) })
      busyWait(5)
    `)
  })

  it('catches the errors of its timers, while other timers run in their own domains', async () => {
    await expectLikeNative(`${DOMAIN}
      const [a, b] = [make('a'), make('b')]
      const fail = (name) => { throw new Error(name) }
      a.run(() => setTimeout(fail, 2, 'first'))
      b.run(() => setTimeout(look, 2, 'b'))
      setTimeout(look, 2, 'none')
      b.run(() => setTimeout(fail, 2, 'second'))
      a.run(() => setTimeout(look, 2, 'a'))
      setTimeout(look, 2, 'none')
      let n = 0
      a.run(() => { const i = setInterval(() => { if (++n === 2) clearInterval(i); fail('interval ' + n) }, 80) })
      busyWait(5)
    `)
  })

  it('passes errors that no domain caught to uncaughtException', async () => {
    await expectLikeNative(`${DOMAIN}
      const a = make('a')
      process.on('uncaughtException', (error) => log('uncaught', error.message, process.domain?.name))
      const fail = (name) => { throw new Error(name) }
      setTimeout(fail, 2, 'outside')
      a.run(() => setTimeout(fail, 2, 'inside'))
      domain.create().run(() => setTimeout(fail, 2, 'in a domain that does not listen'))
      setTimeout(look, 2, 'none')
      busyWait(5)
    `)
  })
})
