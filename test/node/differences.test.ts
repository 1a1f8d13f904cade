/**
 * Where ours are not as Node's, and README lists it among what could not be had: both are as it says. A difference that is
 * gone fails here, and its line there goes as well. Those on purpose have tests where README names them.
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

/** What Node's timers print, and what ours do on either build. */
async function expectLines(body: string, native: string[], ours: string[]): Promise<void> {
  const outcomes = await Promise.all(['node:timers', ...ENTRIES].map((entry) => runOn(entry, body)))
  expect(outcomes).toEqual([native, ...ENTRIES.map(() => ours)].map((lines) => ({ ...CLEAN, lines })))
}

describe('a handle', () => {
  it('has other keys of its own, and none to be enumerated on its prototype', async () => {
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
      // A console.log of an empty text is an empty line, which is left out.
      ['true false false', 'true'],
    )
  })

  it('can be turned into JSON while it is pending', async () => {
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

  it('is of another class, and an AsyncResource', async () => {
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

  it('shows none of its symbols to util.inspect', async () => {
    await expectLines(
      `
      import { inspect } from 'node:util'
      log(/^ +\\[?Symbol\\(/m.test(inspect(setTimeout(() => {}, 5))))`,
      ['true'],
      ['false'],
    )
  })

  it('has a delay without its fraction', async () => {
    await expectLines('log(setTimeout(() => {}, 5.7)._idleTimeout)', ['5.7'], ['5'])
  })
})

describe('an init hook', () => {
  it('sees a handle whose fields are not set, and another object where a timer that has run is set again', async () => {
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
  it('reaches a monitor outside of the context of its callback, where nobody handles it', async () => {
    const body = `
      import { AsyncLocalStorage } from 'node:async_hooks'
      const storage = new AsyncLocalStorage()
      process.on('uncaughtExceptionMonitor', () => log('store:', storage.getStore()))
      storage.run('store', () => setTimeout(() => { throw new Error('thrown') }, 2))`
    expect((await runOn('node:timers', body)).lines).toEqual(['store: store'])
    for (const entry of ENTRIES) expect((await runOn(entry, body)).lines).toEqual(['store: undefined'])
  })
})
