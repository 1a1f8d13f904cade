/** The package runs in pages that lack a feature or forbid one. test/browser/environment.test.mjs loads it twice. */
import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { monotonic } from '../../../lib/page/host.js'
import { pageWithWheel } from '../simulated-page.js'

type Entry = typeof import('../../../lib/entry/browser.js')

/** Loads a fresh copy of the entry for pages, as a second bundle would. */
function freshEntry(): Entry {
  let entry!: Entry
  jest.isolateModules(() => {
    entry = require('../../../lib/entry/browser.js')
  })
  return entry
}

function errorOf(code: () => unknown): { code: string; message: string; cause?: unknown } {
  try {
    code()
  } catch (error) {
    return error as never
  }
  throw new Error('nothing was thrown')
}

const { WebAssembly: original, performance } = globalThis
afterEach(() => {
  Object.assign(globalThis, { WebAssembly: original })
  Object.defineProperty(globalThis, 'performance', { value: performance, configurable: true, writable: true })
})

describe('the entry for pages', () => {
  it('does not use WebAssembly before the first wheel', () => {
    Object.assign(globalThis, { WebAssembly: undefined })
    expect(Object.keys(freshEntry())).toContain('setTimeout')
  })

  it('throws an error that says so if there is no WebAssembly', () => {
    const { TimerWheel, setTimeout } = freshEntry()
    Object.assign(globalThis, { WebAssembly: undefined })
    for (const use of [() => new TimerWheel(), () => setTimeout(() => {}, 1)]) {
      expect(errorOf(use)).toMatchObject({
        name: 'WasmBackendError',
        code: 'ERR_WASM_BACKEND',
        message: expect.stringContaining('timeout-wheel needs WebAssembly'),
      })
    }
  })

  it.each([
    ['a CompileError', new original.CompileError('Refused to compile WebAssembly')],
    ['another error', new EvalError('WebAssembly is not allowed here')],
  ])('names the directive that the Content-Security-Policy lacks, after %s', (_, thrown) => {
    const { TimerWheel } = freshEntry()
    class Module {
      constructor() {
        throw thrown
      }
    }
    Object.assign(globalThis, { WebAssembly: { ...original, Module } })
    const error = errorOf(() => new TimerWheel())
    expect(error.code).toBe('ERR_WASM_BACKEND')
    expect(error.message).toContain("needs 'wasm-unsafe-eval' in script-src")
    expect(error.cause).toBe(thrown)
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
    const error = errorOf(() => new TimerWheel())
    expect(error).toBeInstanceOf(RangeError)
    expect(error).toMatchObject({
      code: 'ERR_WHEEL_FULL',
      message: `no more wheels (${thrown}): stop() unused wheels, or share one`,
    })
    isFull = false
    const wheel = new TimerWheel({ driver: 'manual' })
    const ran: string[] = []
    wheel.schedule((name: string) => ran.push(name), 5, 'ran')
    wheel.advance(5)
    expect(ran).toEqual(['ran'])
  })

  it.each([
    ['performance', undefined],
    ['performance.now', {}],
  ])('runs without %s', async (_, value) => {
    Object.defineProperty(globalThis, 'performance', { value, configurable: true })
    const { TimerWheel } = freshEntry()
    const wheel = new TimerWheel()
    const started = Date.now()
    await new Promise<void>((resolve) => {
      wheel.setTimeout(() => resolve(), 20)
    })
    expect(Date.now() - started).toBeGreaterThanOrEqual(20)
    wheel.stop()
  })

  it('rejects an aborted immediate without message channels', async () => {
    const { MessageChannel } = globalThis
    Object.assign(globalThis, { MessageChannel: undefined })
    const { promises } = freshEntry()
    Object.assign(globalThis, { MessageChannel })
    const controller = new AbortController()
    const immediate = promises.setImmediate('x', { signal: controller.signal })
    controller.abort()
    await expect(immediate).rejects.toMatchObject({ name: 'AbortError', code: 'ABORT_ERR' })
  })

  it('refuses a string as a callback', () => {
    const { setTimeout } = freshEntry()
    const error = errorOf(() => setTimeout('alert(1)' as never, 1))
    expect(error).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message: 'callback must be a function, got "alert(1)"',
    })
  })
})

describe('a clock without performance', () => {
  it('never goes back, and continues from its latest reading', () => {
    let time = 1000
    const now = monotonic(() => time)
    const readings = [0, 5, -3_600_000, 5, 5].map((step) => {
      time += step
      return now()
    })
    expect(readings).toEqual([1000, 1005, 1005, 1010, 1015])
  })
})

describe('a page that slept', () => {
  it('runs due timers once, in order and in slices', async () => {
    const { page, wheel } = pageWithWheel()
    const ran: number[] = []
    for (let i = 0; i < 500; i++) wheel.schedule((n: number) => ran.push(n), 500 - i, i)
    await page.run(1)
    page.freeze(30 * 24 * 3_600_000)
    await page.happen('resume')
    const before = page.messages
    await page.run(1)
    expect(ran).toEqual(Array.from({ length: 500 }, (_, i) => 499 - i))
    expect(page.messages - before).toBeGreaterThan(2)
    await page.run(1000)
    expect(ran.length).toBe(500)
  })

  it.each([20, 30, 45, 100])(
    'runs no timer early that it sets after %d days, before the wheel advances',
    async (days) => {
      const { page, wheel } = pageWithWheel()
      const ran: string[] = []
      wheel.schedule(() => ran.push('former'), 500)
      wheel.schedule(() => ran.push('far'), 150 * 24 * 3_600_000)
      await page.run(1)
      page.freeze(days * 24 * 3_600_000)
      for (const delay of [300, 5, 70_000]) wheel.schedule(() => ran.push(`after ${delay}`), delay)
      await page.run(4)
      expect(ran).toEqual(['former'])
      await page.run(1000)
      expect([...ran].sort()).toEqual(['after 300', 'after 5', 'former'])
      await page.run(69_500)
      expect(ran.at(-1)).toBe('after 70000')
      await page.run(1000)
      expect(wheel.pending).toBe(1)
    },
  )
})
