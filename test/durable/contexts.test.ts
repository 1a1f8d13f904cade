/** Which stores of AsyncLocalStorage functions of the program see, and that the package keeps none. */
import { outputOfModule } from './helpers.js'

const PROGRAM = `
  import { AsyncLocalStorage } from 'node:async_hooks'
  import { setImmediate as turn } from 'node:timers/promises'
  import { DurableTimers, manualClock } from 'timeout-wheel/durable'

  const als = new AsyncLocalStorage()
  const results = {}
  const rows = (keys, delay = 0) => keys.map((key) => ({ key, delay }))
  /** Calls back with a list for stores that were seen. */
  async function check(title, work, options) {
    const seen = []
    const timers = await DurableTimers.open(':memory:', { clock: manualClock(), onError: () => {}, ...options?.(seen) })
    await work(timers, () => void seen.push(als.getStore() ?? 'none'), seen)
    await timers.close({ timeout: 0 })
    results[title] = seen
  }

  const enters = {
    'at once': ({ key }) => als.enterWith(key),
    'and fail': ({ key }) => { als.enterWith(key); throw new Error(key) },
    'and wait': async ({ key }) => { als.enterWith(key); await turn() },
    'after a wait': async ({ key }) => { await turn(); als.enterWith(key); await turn() },
  }
  for (const [how, enter] of Object.entries(enters))
    for (const concurrency of [1, 100])
      await check(\`handlers that enter a store \${how}, \${concurrency} at once\`, async (timers, see) => {
        timers.on('a', (run) => { see(); return enter(run) }, { concurrency, retries: 0 })
        await timers.setMany('a', rows(['x', 'y']))
        await timers.set('a', { key: 'z', delay: 20 })
        await timers.advance(20)
      })

  await check('handlers of timers that are set, and handlers that are added, in a store', async (timers, see) => {
    await als.run('set', () => timers.setMany('a', rows(['x', 'y'])))
    als.run('on', () => timers.on('a', see, { concurrency: 1 }))
    await als.run('set', () => timers.set('a', { key: 'z', delay: 20 }))
    await als.run('advance', () => timers.advance(20))
  })

  await check('onError, and handlers after it', async (timers, see) => {
    timers.on('a', ({ key }) => { see(); als.enterWith(key); throw new Error(key) }, { retries: 0 })
    await als.run('set', () => timers.setMany('a', rows(['x', 'y'])))
    await als.run('advance', () => timers.advance(0))
  }, (seen) => ({ onError: () => { seen.push(als.getStore() ?? 'none'); als.enterWith('onError') } }))

  await check('listeners of signals', async (timers, see) => {
    const handler = ({ key, signal }) => { als.enterWith(key); signal.addEventListener('abort', see); return new Promise(() => {}) }
    timers.on('a', handler, { timeout: 100 })
    await timers.setMany('a', rows(['cleared', 'late', 'closed']))
    await timers.advance(0)
    await als.run('clear', () => timers.clear('a', 'cleared'))
    await als.run('advance', () => timers.advance(100))
    await als.run('close', () => timers.close({ timeout: 0 }))
  })

  const handler = () => {}
  async function kept(path) {
    const stores = {}
    const within = (name, work) => als.run(stores[name] = { name }, work)
    const timers = await within('open', () => DurableTimers.open(path))
    await within('on', async () => timers.on('a', handler))
    await within('set', () => timers.set('a', { key: 'k', delay: 1e6 }))
    await within('get', () => timers.get('a', 'k'))
    const refs = Object.values(stores).map((store) => new WeakRef(store))
    return { timers, refs }
  }
  const { timers, refs } = await kept(':memory:')
  for (let i = 0; i < 20 && refs.some((ref) => ref.deref()); i++) { await turn(); gc() }
  results['stores that are kept'] = refs.flatMap((ref) => ref.deref()?.name ?? [])
  await timers.close()
  console.log(JSON.stringify(results))`

let results: Record<string, string[]>
beforeAll(async () => {
  results = JSON.parse(await outputOfModule(PROGRAM, [], ['--expose-gc']))
})

it('begins each call of handlers, onError and listeners of signals without a store', () => {
  const { 'stores that are kept': _, ...others } = results
  expect(Object.keys(others)).toHaveLength(11)
  for (const seen of Object.values(others)) expect(seen.length).toBeGreaterThan(2)
  const none = Object.entries(others).map(([title, seen]) => [title, seen.map(() => 'none')])
  expect(others).toEqual(Object.fromEntries(none))
})

it('keeps no store of a caller', () => {
  expect(results['stores that are kept']).toEqual([])
})
