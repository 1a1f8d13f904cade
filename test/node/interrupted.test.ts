/** An interrupted operation, whose error the caller catches, harms no later one. test/interrupt has random programs. */
import { describe } from '@jest/globals'
import { ENTRIES } from './backends.js'
import { prints, printsInOneProcess } from './prints.js'

describe.each(ENTRIES)('%s', (entry) => {
  prints(`
    # accepts more timers than one batch of the core if the stack ends while it takes them -> true 0
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
    }, 200)`)
})

describe('a WebAssembly memory that grew in an interrupted call', () => {
  const prelude = `
    import { TimerWheel } from 'timeout-wheel/wasm'
    const { grow } = WebAssembly.Memory.prototype
    const COUNT = 5120
    /** The old views are detached, and the call has not made new ones. */
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
    /** The wheel is full except for the memory of its next growth. */
    const fill = (wheel, count) => Array.from({ length: count }, () => wheel.schedule(Object, 1e6))
  `
  const inOne = printsInOneProcess({ prelude })

  for (const [name, call, pending] of [
    ['cancel()', 'wheel.cancel(ids[3])', 5119],
    ['reschedule()', 'wheel.reschedule(ids[3], 10)', 5120],
    ['schedule()', 'wheel.schedule(Object, 10) > 0', 5121],
    ['a delay with a fraction', 'wheel.schedule(Object, 10.5) > 0', 5121],
    ['pending', 'wheel.pending === 5120', 5120],
    ['unref()', 'handle.unref().hasRef() === false', 5120],
    ['clearTimeout()', 'wheel.clearTimeout(handle) === undefined', 5119],
    ['refresh()', 'handle.refresh() === handle', 5120],
  ])
    inOne(`
      # does not harm ${name} -> true ${pending} | ${pending} | ${pending} true
      const wheel = new TimerWheel({ driver: 'manual' })
      const handle = wheel.setTimeout(Object, 1e6)
      const ids = fill(wheel, COUNT - 1)
      interruptGrowth(wheel)
      console.log(${call}, wheel.pending)
      wheel.advance(9)
      console.log(wheel.pending)
      const left = wheel.stop()
      console.log(left.length, left.every(({ remaining }) => remaining >= 0 && remaining <= 1e6))`)

  inOne(`
    # does not harm the next due timer -> 1 false false 5119 5119
    const own = new TimerWheel()
    let ran = 0
    own.schedule(() => queueMicrotask(() => {
      fill(own, COUNT - 1)
      interruptGrowth(own)
    }), 5)
    const next = own.schedule(() => ran++, 5)
    for (let i = 0; ran === 0 && i < 500; i++) await new Promise((resolve) => setTimeout(resolve, 10))
    console.log(ran, own.cancel(next), own.reschedule(next, 1), own.pending, own.stop().length)`)
})
