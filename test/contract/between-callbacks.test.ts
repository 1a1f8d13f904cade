/** Next ticks, then microtasks, run between two callbacks. */
import { nextTick } from 'node:process'
import { expect, it } from '@jest/globals'
import { onEachBackend } from './backends.js'
import { busyWait, drained, now, ROUNDING } from './clock.js'

onEachBackend(({ TimerWheel }) => {
  it('runs next ticks, then microtasks, after each callback', async () => {
    const wheel = new TimerWheel()
    const ran: string[] = []
    const set = (name: string, start: (callback: () => void) => void): void =>
      start(() => {
        ran.push(name)
        queueMicrotask(() => ran.push(`${name}: microtask`))
        nextTick(() => ran.push(`${name}: next tick`))
      })
    set('a', (callback) => wheel.setTimeout(callback, 5))
    set('b', (callback) => wheel.schedule(callback, 5))
    set('c', (callback) => wheel.setTimeout(callback, 6))
    busyWait(10)
    await drained(wheel)
    expect(ran).toEqual(['a', 'b', 'c'].flatMap((name) => [name, `${name}: next tick`, `${name}: microtask`]))
  })

  it('skips a timer that a microtask of the previous callback cleared', async () => {
    const wheel = new TimerWheel()
    const ran: string[] = []
    wheel.schedule(() => queueMicrotask(() => wheel.clearTimeout(cleared)), 5)
    const cleared = wheel.setTimeout(() => ran.push('cleared'), 5)
    wheel.schedule(() => ran.push('last'), 5)
    busyWait(10)
    await drained(wheel)
    expect(ran).toEqual(['last'])
  })

  it('restarts the delay of the next due timer if a microtask refreshes it', async () => {
    const wheel = new TimerWheel()
    let refreshed = 0
    let ran = 0
    wheel.schedule(() => {
      queueMicrotask(() => {
        refreshed = now()
        next.refresh()
      })
    }, 5)
    const next = wheel.setTimeout(() => (ran = now()), 5)
    busyWait(10)
    await drained(wheel)
    expect(ran - refreshed).toBeGreaterThanOrEqual(5 - ROUNDING)
  })

  it('resumes an async function before the next callback', async () => {
    const wheel = new TimerWheel()
    const ran: string[] = []
    const sleep = (): Promise<void> => new Promise((resolve) => void wheel.setTimeout(resolve, 5))
    const sleeper = async (name: string): Promise<void> => {
      await sleep()
      ran.push(name)
      await null
      ran.push(`${name}, later`)
    }
    const sleepers = ['a', 'b'].map(sleeper)
    busyWait(10)
    await Promise.all(sleepers)
    expect(ran).toEqual(['a', 'a, later', 'b', 'b, later'])
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
