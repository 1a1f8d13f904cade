/** A frozen handle, or a signal that refuses to remove its listener, holds up neither `clear()` nor `stop()` of a wheel. */
import { expect, it } from '@jest/globals'
import type { Timeout } from 'timeout-wheel'
import { manualWheel, onEachBackend, type Wheel } from './backends.js'

onEachBackend((backend) => {
  const ignore = (): void => {}

  const hostile: [string, (wheel: Wheel) => Timeout][] = [
    ['a frozen handle', (wheel) => Object.freeze(wheel.setTimeout(ignore, 10))],
    ['a frozen interval', (wheel) => Object.freeze(wheel.setInterval(ignore, 10))],
    ['a frozen handle without a reference', (wheel) => Object.freeze(wheel.setTimeout(ignore, 10).unref())],
    [
      'a handle whose signal refuses to remove the listener',
      (wheel) => {
        const signal = {
          aborted: false,
          addEventListener: ignore,
          removeEventListener() {
            throw new Error('refused')
          },
        }
        return wheel.setTimeout(ignore, { delay: 10, signal: signal as never })
      },
    ],
  ]

  /** Makes a wheel with timers before and after a hostile one. */
  function open(makeHostile: (wheel: Wheel) => Timeout) {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    const run = (name: string): void => void ran.push(name)
    wheel.setTimeout(run, 5, 'before')
    makeHostile(wheel)
    wheel.setTimeout(run, 15, 'after')
    wheel.schedule(run, 20, 'id')
    const signal = wheel.signal(25)
    wheel.group(run, 30).add('member')
    return { wheel, ran, run, signal }
  }

  it.each(hostile)('clear() cancels all timers beside %s', (_, makeHostile) => {
    const { wheel, ran, run, signal } = open(makeHostile)
    expect(wheel.clear()).toBe(6)
    expect([wheel.pending, wheel.clear()]).toEqual([0, 0])
    wheel.schedule(run, 5, 'later')
    wheel.advance(100)
    expect([ran, signal.aborted, wheel.pending]).toEqual([['later'], false, 0])
  })

  it.each(hostile)('stop() returns all timers beside %s', (_, makeHostile) => {
    const { wheel, ran, signal } = open(makeHostile)
    const left = wheel.stop()
    expect(left.map(({ remaining }) => remaining)).toEqual([5, 10, 15, 20, 25, 30])
    expect([wheel.pending, wheel.stop()]).toEqual([0, []])
    wheel.advance(100)
    expect([ran, signal.aborted]).toEqual([[], false])
  })
})
