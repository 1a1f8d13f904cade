/** Next ticks, then microtasks, run between two callbacks. The differential tests compare this with Node for `setTimeout`, also if this work clears or refreshes timers. */
import { nextTick } from 'node:process'
import { expect, it } from '@jest/globals'
import { onEachBackend } from './backends.js'
import { busyWait, drained } from './clock.js'

onEachBackend(({ TimerWheel }) => {
  it('runs next ticks, then microtasks, and resumes async functions after each callback', async () => {
    const wheel = new TimerWheel()
    const ran: string[] = []
    const run = (name: string) => () => {
      ran.push(name)
      queueMicrotask(() => ran.push(`${name}: microtask`))
      nextTick(() => ran.push(`${name}: next tick`))
    }
    wheel.setTimeout(run('a'), 5)
    wheel.schedule(run('b'), 5)
    const resumed = new Promise((resolve) => void wheel.setTimeout(resolve, 5)).then(run('async'))
    wheel.setTimeout(run('c'), 6)
    busyWait(10)
    await Promise.all([drained(wheel), resumed])
    const all = (name: string): string[] => [name, `${name}: next tick`, `${name}: microtask`]
    expect(ran).toEqual([
      ...all('a'),
      ...all('b'),
      'async',
      'async: microtask',
      'async: next tick',
      ...all('c'),
    ])
  })

  it('runs no further callback after a microtask stops the wheel', async () => {
    const wheel = new TimerWheel()
    let ran = 0
    let left = 0
    wheel.schedule(() => queueMicrotask(() => (left = wheel.stop().length)), 5)
    for (let i = 0; i < 10; i++) wheel.schedule(() => ran++, 5)
    busyWait(10)
    await drained(wheel)
    expect([ran, left]).toEqual([0, 10])
  })
})
