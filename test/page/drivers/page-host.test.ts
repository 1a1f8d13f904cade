/** The package runs in pages that lack a feature or forbid one. test/browser/environment.test.mjs loads it twice. */
import { openClock } from '../../../lib/page/host.js'
import { thrownBy } from '../../contract/backends.js'
import { freshEntry } from '../simulated-page.js'

const { WebAssembly: original, performance } = globalThis
afterEach(() => {
  Object.assign(globalThis, { WebAssembly: original })
  Object.defineProperty(globalThis, 'performance', { value: performance, configurable: true, writable: true })
})

describe('the entry for pages', () => {
  it('needs WebAssembly only for the first wheel, and throws an error that says so if there is none', () => {
    Object.assign(globalThis, { WebAssembly: undefined })
    const { TimerWheel, setTimeout } = freshEntry()
    for (const use of [() => new TimerWheel(), () => setTimeout(() => {}, 1)]) {
      const message = expect.stringContaining('timeout-wheel needs WebAssembly')
      const error = { name: 'WasmBackendError', code: 'ERR_WASM_BACKEND', message }
      expect(thrownBy(use)).toMatchObject(error)
    }
  })

  it('returns the counts of a shared wheel that nothing has used, without WebAssembly', () => {
    Object.assign(globalThis, { WebAssembly: undefined })
    const { setTimeout, stats } = freshEntry()
    const counts = { pending: 0, scheduled: 0, fired: 0, cancelled: 0, overruns: 0 }
    expect(stats()).toEqual({ ...counts, bytes: 0 })
    Object.assign(globalThis, { WebAssembly: original })
    const handle = setTimeout(() => {}, 5000)
    expect(stats()).toEqual({ ...counts, pending: 1, scheduled: 1, bytes: expect.any(Number) })
    expect(stats().bytes).toBeGreaterThan(2 ** 17)
    handle.close()
  })

  it.each([
    ['an error', new RangeError('could not allocate memory')],
    ['a text, as Firefox does', 'out of memory'],
  ])('throws if the engine throws %s for the memory of a wheel, and makes the next wheel', (_, thrown) => {
    const { TimerWheel } = freshEntry()
    let isFull = true
    class Instance extends original.Instance {
      constructor(module: WebAssembly.Module) {
        if (isFull) throw thrown
        super(module)
      }
    }
    Object.assign(globalThis, { WebAssembly: { ...original, Module: original.Module, Instance } })
    const error = thrownBy(() => new TimerWheel())
    expect(error).toBeInstanceOf(RangeError)
    const message = `no more wheels (${thrown}): stop() unused wheels, or share one`
    expect(error).toMatchObject({ code: 'ERR_WHEEL_FULL', message })
    isFull = false
    const wheel = new TimerWheel({ driver: 'manual' })
    let ran = 0
    wheel.schedule(() => ran++, 5)
    wheel.advance(5)
    expect(ran).toBe(1)
  })

  it.each([
    ['performance', undefined],
    ['performance.now', {}],
  ])('runs without %s', async (_, value) => {
    Object.defineProperty(globalThis, 'performance', { value, configurable: true })
    const { TimerWheel } = freshEntry()
    const wheel = new TimerWheel()
    const started = Date.now()
    await new Promise((resolve) => wheel.setTimeout(resolve, 20))
    expect(Date.now() - started).toBeGreaterThanOrEqual(20)
    wheel.stop()
  })

  it('rejects an aborted immediate without message channels', async () => {
    const { MessageChannel } = globalThis
    Object.assign(globalThis, { MessageChannel: undefined })
    const wheel = new (freshEntry().TimerWheel)()
    Object.assign(globalThis, { MessageChannel })
    const controller = new AbortController()
    const immediate = wheel.promises.setImmediate('x', { signal: controller.signal })
    controller.abort()
    await expect(immediate).rejects.toMatchObject({ name: 'AbortError', code: 'ABORT_ERR' })
  })
})

it('never turns back a clock without performance, which continues from its latest reading', () => {
  let time = 1000
  const { _now: now } = openClock(() => time, false)
  const readings = [0, 5, -3_600_000, 5, 5].map((step) => {
    time += step
    return now()
  })
  expect(readings).toEqual([1000, 1005, 1005, 1010, 1015])
})
