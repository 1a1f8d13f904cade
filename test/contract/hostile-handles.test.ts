/** A frozen handle, or a signal that refuses to remove its listener, holds up neither `clear()` nor `stop()` of a wheel. */
import { describe, expect, it } from '@jest/globals'
import { ignore, manualWheel, onEachBackend, type Wheel } from './backends.js'

const refusing = {
  aborted: false,
  addEventListener: ignore,
  removeEventListener() {
    throw new Error('refused')
  },
}

const HOSTILE: [string, (wheel: Wheel) => unknown][] = [
  ['a frozen handle', (wheel) => Object.freeze(wheel.setTimeout(ignore, 10))],
  ['a frozen interval', (wheel) => Object.freeze(wheel.setInterval(ignore, 10))],
  ['a frozen handle without a reference', (wheel) => Object.freeze(wheel.setTimeout(ignore, 10).unref())],
  [
    'a handle whose signal refuses to remove the listener',
    (wheel) => wheel.setTimeout(ignore, { delay: 10, signal: refusing as never }),
  ],
]

onEachBackend((backend) => {
  describe.each(HOSTILE)('beside %s', (_, makeHostile) => {
    it.each(['clear', 'stop'] as const)('%s() takes all timers', (method) => {
      const wheel = manualWheel(backend)
      const ran: string[] = []
      const run = (name: string): void => void ran.push(name)
      wheel.setTimeout(run, 5, 'before')
      makeHostile(wheel)
      wheel.setTimeout(run, 15, 'after')
      wheel.schedule(run, 20, 'id')
      const signal = wheel.signal(25)
      wheel.group(run, 30).add('member')
      if (method === 'clear') {
        expect([wheel.clear(), wheel.pending, wheel.clear()]).toEqual([6, 0, 0])
        wheel.schedule(run, 5, 'later')
      } else {
        expect(wheel.stop().map(({ remaining }) => remaining)).toEqual([5, 10, 15, 20, 25, 30])
        expect([wheel.pending, wheel.stop()]).toEqual([0, []])
      }
      wheel.advance(100)
      expect([ran, signal.aborted, wheel.pending]).toEqual([method === 'clear' ? ['later'] : [], false, 0])
    })
  })
})
