/**
 * An interrupted operation, whose error the caller catches, harms no later operation. test/interrupt has random
 * programs.
 */
import { describe, expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

describe.each(ENTRIES)('%s', (entry) => {
  it('accepts more timers than the core takes in one batch if the stack ends while it takes them', async () => {
    const outcome = await run(`
      import { TimerWheel } from '${entry}'
      const wheel = new TimerWheel()
      let ran = 0
      let set = 0
      const count = () => { ran++ }
      function descend() {
        try { descend() } catch {}
        if (attempts-- > 0) { wheel.schedule(count, 5); set++ }
      }
      let attempts
      for (let burst = 0; burst < 40; burst++) {
        for (let i = 0; i < 2030; i++) { wheel.schedule(count, 5); set++ }
        attempts = 40
        descend()
      }
      const most = wheel.pending
      wheel.schedule(() => {
        wheel.schedule(() => console.log(ran >= set, wheel.pending), 20)
      }, 200)
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['true 0'] })
  })

  it('either releases or keeps its memory if the stack or the time ends meanwhile', async () => {
    const outcome = await run(`
      import { TimerWheel } from '${entry}'
      import { createContext, runInContext } from 'node:vm'
      const wheels = [new TimerWheel({ driver: 'manual' }), new TimerWheel({ driver: 'manual', tick: 7 })]
      const given = new Set()
      let [again, known, ran, set, ended] = [0, 0, 0, 0, 0]
      const count = () => { ran++ }
      function fill(wheel) {
        const ids = []
        for (let i = 0; i < 5_200; i++) {
          const id = wheel.schedule(count, 3_600_000)
          if (given.has(id)) again++
          ids.push(id)
        }
        for (let i = 0; i < ids.length; i += 500) given.add(ids[i])
        for (const id of ids) if (!wheel.cancel(id)) known++
        return ids
      }
      function use(wheel, ids) {
        if (wheel.pending !== 0) throw new Error(wheel.pending + ' are pending')
        for (const id of ids) if (wheel.cancel(id)) known++
        for (const delay of [1, 2_000, 3_600_000]) { wheel.schedule(count, delay); wheel.setTimeout(count, delay).refresh(); set += 2 }
        wheel.advance(3_600_007)
      }
      const deep = (wheel, depth) => {
        try { deep(wheel, depth + 1) } catch {}
        if (attempts-- > 0) wheel.trim()
      }
      let attempts
      for (const wheel of wheels) {
        for (let most = 1; most < 40; most++) {
          const ids = fill(wheel)
          attempts = most
          try { deep(wheel, 0) } catch {}
          use(wheel, ids)
        }
        const context = createContext({ wheel, now: () => performance.now() })
        for (let i = 0; i < ${scaled(80, 300)}; i++) {
          const ids = fill(wheel)
          // The limit falls before, during or after the release of memory.
          const code = \`for (const end = now() + \${0.8 + i % 20 / 50}; now() < end; ) {}
            for (let i = 0; i < 5; i++) wheel.trim()
            for (;;) {}\`
          try { runInContext(code, context, { timeout: 1 }) } catch (error) {
            if (error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') ended++
          }
          ran = set = 0
          use(wheel, ids)
          if (ran !== set) throw new Error(ran + ' ran of ' + set)
        }
      }
      console.log(again, known, ended)
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: [`0 0 ${2 * scaled(80, 300)}`] })
  })

  it('lets a signal abort after promises.setTimeout was interrupted', async () => {
    const outcome = await run(`
      import { promises } from '${entry}'
      const { then } = Promise.prototype
      let calls = Infinity
      Promise.prototype.then = function (...args) {
        if (--calls === 0) throw new Error('interrupted')
        return then.apply(this, args)
      }
      const controllers = [1, 2, 3].map((call) => {
        const controller = new AbortController()
        calls = call
        try { promises.setTimeout(10, 0, { signal: controller.signal }) } catch (error) { console.log(error.message) }
        calls = Infinity
        return controller
      })
      for (const controller of controllers) controller.abort()
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['interrupted', 'interrupted', 'interrupted'] })
  })

  it('gives the numbers of ids back if stop() is interrupted', async () => {
    const outcome = await run(`
      import { TimerWheel } from '${entry}'
      FinalizationRegistry.prototype.unregister = () => { throw new Error('interrupted') }
      const blocks = new Set()
      for (let i = 0; i < 5; i++) {
        const wheel = new TimerWheel({ driver: 'manual' })
        blocks.add(Math.floor(wheel.schedule(Object, 10) / 2 ** 13) % 2 ** 14)
        try { wheel.stop() } catch (error) { console.log(error.message) }
      }
      console.log(blocks.size)
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: [...Array(5).fill('interrupted'), '1'] })
  })

  it('sets an ended timer again after its refresh() was interrupted', async () => {
    const outcome = await run(`
      import { TimerWheel } from '${entry}'
      const wheel = new TimerWheel({ driver: 'manual' })
      /** Lets each access to a property of a handle throw, as a call does that is interrupted. */
      function interrupt(timeout, key, operate) {
        const access = () => { throw new Error('interrupted') }
        const former = Object.getOwnPropertyDescriptor(timeout, key)
        Object.defineProperty(timeout, key, { get: access, set: access, configurable: true })
        try {
          operate()
          return 'not interrupted'
        } catch (error) {
          return error.message
        } finally {
          delete timeout[key]
          if (former !== undefined) Object.defineProperty(timeout, key, former)
        }
      }
      const timeout = wheel.setTimeout(() => {}, 10)
      const number = +timeout
      wheel.advance(10)
      console.log(interrupt(timeout, '_unit', () => timeout.refresh()))
      // The timer is over, so its number means nothing, and it can be set again.
      wheel.clearTimeout(number)
      timeout.refresh()
      console.log(wheel.pending)
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['interrupted', '1'] })
  })

  it('sets timers after a time limit interrupted the very first call', async () => {
    const outcome = await run(`
      import { createRequire } from 'node:module'
      import { createContext, runInContext } from 'node:vm'
      const require = createRequire(process.cwd() + '/')
      const copies = ${scaled(20, 40)}
      let fired = 0
      for (let i = 0; i < copies; i++) {
        for (const file of Object.keys(require.cache)) delete require.cache[file]
        const { setTimeout } = require('${entry}')
        const context = createContext({ setTimeout, now: () => performance.now() })
        // Each call begins at another distance from the limit.
        const code = 'for (const end = now() + ' + 2 * i / copies + '; now() < end;); setTimeout(() => {}, 1); for (;;);'
        try { runInContext(code, context, { timeout: 2 }) } catch {}
        setTimeout(() => { fired++ }, 5)
      }
      process.on('exit', () => console.log(fired))
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: [`${scaled(20, 40)}`] })
  })
})

describe('a WebAssembly memory that grew in an interrupted call', () => {
  /** Defines `interruptGrowth`: the old views are detached, and the call has not made new ones. */
  const SETUP = `
    import { TimerWheel } from 'timeout-wheel/wasm'
    const { grow } = WebAssembly.Memory.prototype
    const COUNT = 5120
    function interruptGrowth(wheel) {
      WebAssembly.Memory.prototype.grow = function (pages) {
        grow.call(this, pages)
        throw new Error('interrupted')
      }
      try { wheel.schedule(Object, 1e6); console.log('not interrupted') } catch (error) {
        if (error.message !== 'interrupted') throw error
      }
      WebAssembly.Memory.prototype.grow = grow
    }
    const wheel = new TimerWheel({ driver: 'manual' })
    /** The wheel is full except for the memory of its next growth. */
    const fill = (count) => Array.from({ length: count }, () => wheel.schedule(Object, 1e6))
  `

  it.each([
    ['cancel()', 'wheel.cancel(ids[3])', 5119],
    ['reschedule()', 'wheel.reschedule(ids[3], 10)', 5120],
    ['schedule()', 'wheel.schedule(Object, 10) > 0', 5121],
    ['a delay with a fraction', 'wheel.schedule(Object, 10.5) > 0', 5121],
    ['pending', 'wheel.pending === 5120', 5120],
    ['unref()', 'handle.unref().hasRef() === false', 5120],
    ['clearTimeout()', 'wheel.clearTimeout(handle) === undefined', 5119],
    ['refresh()', 'handle.refresh() === handle', 5120],
  ])('does not harm %s', async (_name, call, pending) => {
    const outcome = await run(`
      ${SETUP}
      const handle = wheel.setTimeout(Object, 1e6)
      const ids = fill(COUNT - 1)
      interruptGrowth(wheel)
      console.log(${call}, wheel.pending)
      wheel.advance(9)
      console.log(wheel.pending)
      const left = wheel.stop()
      console.log(left.length, left.every(({ remaining }) => remaining >= 0 && remaining <= 1e6))
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: [`true ${pending}`, `${pending}`, `${pending} true`] })
  })

  it('does not harm the next due timer', async () => {
    const outcome = await run(`
      ${SETUP}
      const own = new TimerWheel()
      let ran = 0
      own.schedule(() => queueMicrotask(() => {
        for (let i = 0; i < COUNT - 1; i++) own.schedule(Object, 1e6)
        interruptGrowth(own)
      }), 5)
      const next = own.schedule(() => ran++, 5)
      for (let i = 0; ran === 0 && i < 500; i++) await new Promise((resolve) => setTimeout(resolve, 10))
      console.log(ran, own.cancel(next), own.reschedule(next, 1), own.pending, own.stop().length)
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['1 false false 5119 5119'] })
  })
})
