/**
 * Documented differences from Node that cannot be removed: both sides behave as documented. If a difference disappears, its
 * test fails, and the documentation has to change too. Intended differences have tests of their own.
 */
import { describe, expect, it } from '@jest/globals'
import { CLEAN, ENTRIES } from './backends.js'
import { type Outcome, run } from './child.js'

const runOn = (entry: string, body: string): Promise<Outcome> =>
  run(`
    import * as timers from '${entry}'
    const { setTimeout, setInterval, clearTimeout } = timers
    const log = (...values) => console.log(...values)
    const caught = (fn) => { try { return fn() } catch ({ name }) { return name } }
    ${body}`)

/** Returns the lines that a program prints on Node's timers and on each of our builds. */
async function expectLines(body: string, native: string[], ours: string[]): Promise<void> {
  const outcomes = await Promise.all(['node:timers', ...ENTRIES].map((entry) => runOn(entry, body)))
  expect(outcomes).toEqual([native, ...ENTRIES.map(() => ours)].map((lines) => ({ ...CLEAN, lines })))
}

describe('a handle', () => {
  it('has other own keys, and no enumerable ones on its prototype', async () => {
    const fields = '_idleTimeout,_idlePrev,_idleNext,_idleStart,_onTimeout,_timerArgs,_repeat,_destroyed'
    await expectLines(
      `
      const t = setTimeout(() => {}, 5)
      log('_idleTimeout' in t, Object.keys(t).includes('_idleTimeout'), '_idleTimeout' in { ...t })
      const inherited = []
      for (const key in t) if (!Object.hasOwn(t, key)) inherited.push(key)
      log(inherited.join())
      log('${fields}'.split(',').every((name) => name in t))`,
      ['true true true', 'close', 'true'],
      // console.log of an empty text prints an empty line, which `lines` leaves out.
      ['true false false', 'true'],
    )
  })

  it('can be converted to JSON while it is pending', async () => {
    await expectLines(
      `
      const t = setTimeout(() => {}, 5)
      log(caught(() => typeof JSON.stringify({ t })))
      clearTimeout(t)
      log(caught(() => typeof JSON.stringify({ t })))
      log(caught(() => structuredClone(setTimeout(() => {}, 5))))`,
      ['TypeError', 'string', 'DataCloneError'],
      ['string', 'string', 'DataCloneError'],
    )
  })

  it('has another class, which is an AsyncResource', async () => {
    await expectLines(
      `
      import { AsyncResource } from 'node:async_hooks'
      const t = setTimeout(() => {}, 5)
      const { constructor } = globalThis.setTimeout(() => {}, 5)
      log(t.constructor.name, t instanceof constructor, t instanceof t.constructor, t instanceof AsyncResource)
      log(t.constructor === setInterval(() => {}, 5).close().constructor)`,
      ['Timeout true true false', 'true'],
      ['Timeout false true true', 'true'],
    )
  })

  it('hides its symbols from util.inspect', async () => {
    await expectLines(
      `
      import { inspect } from 'node:util'
      log(/^ +\\[?Symbol\\(/m.test(inspect(setTimeout(() => {}, 5))))`,
      ['true'],
      ['false'],
    )
  })

  it('drops the fraction of its delay', async () => {
    await expectLines('log(setTimeout(() => {}, 5.7)._idleTimeout)', ['5.7'], ['5'])
  })
})

describe('an init hook', () => {
  it('sees a handle without its fields, and another object when a timer that has run is set again', async () => {
    await expectLines(
      `
      import { createHook } from 'node:async_hooks'
      const resources = []
      let fields = []
      let watching = false
      createHook({ init(_id, type, _trigger, resource) {
        if (!watching || type !== 'Timeout') return
        resources.push(resource)
        fields.push(typeof resource._onTimeout)
      } }).enable()
      const watch = (fn) => { watching = true; try { return fn() } finally { watching = false } }
      const t = watch(() => setTimeout(() => {}, 2))
      process.once('beforeExit', () => {
        watch(() => t.refresh())
        const [first, second] = resources
        log(fields[0], first === t, second === t, second.constructor === t.constructor, resources.length)
      })`,
      ['function true true true 2'],
      ['undefined true false true 2'],
    )
  })
})

describe('an exception', () => {
  it('reaches a monitor outside of the context of its callback, if it is uncaught', async () => {
    const body = `
      import { AsyncLocalStorage } from 'node:async_hooks'
      const storage = new AsyncLocalStorage()
      process.on('uncaughtExceptionMonitor', () => log('store:', storage.getStore()))
      storage.run('store', () => setTimeout(() => { throw new Error('thrown') }, 2))`
    expect((await runOn('node:timers', body)).lines).toEqual(['store: store'])
    for (const entry of ENTRIES) expect((await runOn(entry, body)).lines).toEqual(['store: undefined'])
  })
})
