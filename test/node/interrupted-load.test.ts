/** A time limit interrupts Node while it loads a module that the package needs. Node never loads that module again. */
import { expect, it } from '@jest/globals'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

it.each(ENTRIES)('has a clock on %s if node:perf_hooks is only partly loaded', async (entry) => {
  const outcome = await run(`
    import hooks from 'node:perf_hooks'
    const { now } = Object.getPrototypeOf(performance)
    const clock = now.bind(performance)
    hooks.performance = undefined
    Object.defineProperty(globalThis, 'performance', { value: undefined })
    const { setTimeout, TimerWheel } = await import('${entry}')
    const start = clock()
    const timeout = setTimeout(() => console.log(clock() - start >= 20, clock() - start < 10_000), 20)
    console.log(Math.abs(timeout._idleStart - start) < 5_000)
    new TimerWheel().schedule(() => console.log('ran'), 100)
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: ['true', 'true true', 'ran'] })
})
