/** `signal()` of a wheel and `timeoutSignal` make signals that are aborted after a delay, and that can be cleared and refreshed. */

import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { dispose, manualWheel, onEachBackend, thrownBy, type Wheel } from './backends.js'

/** Calls `code` and returns how many DOMExceptions it makes. */
function countExceptions(code: () => void): number {
  const { DOMException } = globalThis
  let count = 0
  globalThis.DOMException = class extends DOMException {
    constructor(...args: ConstructorParameters<typeof DOMException>) {
      super(...args)
      count++
    }
  }
  try {
    code()
  } finally {
    globalThis.DOMException = DOMException
  }
  return count
}

onEachBackend((backend) => {
  it('aborts after the delay, not before, with a TimeoutError', () => {
    const wheel = manualWheel(backend)
    const signal = wheel.signal(100)
    const events: Event[] = []
    signal.addEventListener('abort', (event) => events.push(event))
    signal.onabort = (event) => events.push(event)
    expect(signal).toBeInstanceOf(AbortSignal)
    expect(Object.prototype.toString.call(signal)).toBe('[object AbortSignal]')
    wheel.advance(99)
    expect([signal.aborted, signal.reason, events.length]).toEqual([false, undefined, 0])
    expect(() => signal.throwIfAborted()).not.toThrow()
    wheel.advance(1)
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toBeInstanceOf(DOMException)
    expect(signal.reason).toMatchObject({ name: 'TimeoutError', code: DOMException.TIMEOUT_ERR })
    expect(thrownBy(() => signal.throwIfAborted())).toBe(signal.reason)
    expect(events.map(({ type, target, isTrusted }) => [type, target === signal, isTrusted])).toEqual([
      ['abort', true, true],
      ['abort', true, true],
    ])
    wheel.advance(1_000)
    expect(events).toHaveLength(2)
  })

  it('has the same methods at each read, so that a listener can be removed', () => {
    const wheel = manualWheel(backend)
    const [signal, other] = [wheel.signal(10), wheel.signal(10)]
    expect(signal.clear).toBe(signal.clear)
    expect(signal.refresh).toBe(signal.refresh)
    expect(signal[dispose]).toBe(signal.clear)
    expect(signal.clear).not.toBe(other.clear)
    expect(['clear' in signal, 'refresh' in signal, 'clear' in AbortSignal.prototype]).toEqual([
      true,
      true,
      false,
    ])
    const target = new EventTarget()
    target.addEventListener('end', signal.clear)
    target.removeEventListener('end', signal.clear)
    target.dispatchEvent(new Event('end'))
    expect(wheel.pending).toBe(2)
  })

  it('makes the reason when it aborts, not before', () => {
    const wheel = manualWheel(backend)
    expect(
      countExceptions(() => {
        wheel.signal(10)
        wheel.signal(20).refresh().clear()
        wheel.advance(9)
      }),
    ).toBe(0)
    expect(countExceptions(() => wheel.advance(100))).toBe(1)
  })

  it.each([
    ['clear()', (signal: ReturnType<Wheel['signal']>) => signal.clear()],
    ['Symbol.dispose', (signal: ReturnType<Wheel['signal']>) => signal[dispose]()],
    ['clear without this', ({ clear }: ReturnType<Wheel['signal']>) => clear()],
  ])('never aborts after %s, which leaves nothing in the wheel', (_, clear) => {
    const wheel = manualWheel(backend)
    const signal = wheel.signal(10)
    let aborts = 0
    signal.addEventListener('abort', () => aborts++)
    expect(wheel.pending).toBe(1)
    expect(clear(signal)).toBeUndefined()
    expect(wheel.pending).toBe(0)
    clear(signal)
    // The wheel can use the record again: the cleared signal has no say over it.
    const later = wheel.signal(10)
    clear(signal)
    expect(signal.refresh()).toBe(signal)
    expect(wheel.pending).toBe(1)
    wheel.advance(20)
    expect([signal.aborted, aborts, later.aborted, wheel.pending]).toEqual([false, 0, true, 0])
  })

  it('counts anew from refresh(), with the same delay or another', () => {
    const wheel = manualWheel(backend)
    const signal = wheel.signal(100)
    const { refresh } = signal
    wheel.advance(60)
    expect(signal.refresh()).toBe(signal)
    wheel.advance(99)
    expect(signal.aborted).toBe(false)
    expect(refresh(10)).toBe(signal)
    wheel.advance(9)
    expect(signal.refresh().aborted).toBe(false)
    wheel.advance(9)
    expect(signal.aborted).toBe(false)
    wheel.advance(1)
    expect(signal.aborted).toBe(true)
  })

  it('stays aborted: refresh() and clear() then do nothing', () => {
    const wheel = manualWheel(backend)
    const signal = wheel.signal(1)
    wheel.advance(1)
    const { reason } = signal
    const other = wheel.signal(5)
    signal.refresh().refresh(7).clear()
    expect([signal.aborted, wheel.pending]).toEqual([true, 1])
    expect(signal.reason).toBe(reason)
    wheel.advance(5)
    expect(other.aborted).toBe(true)
  })

  it('can be refreshed and cleared by its own listener, and by that of a signal due at the same time', () => {
    const wheel = manualWheel(backend)
    const [first, second, third] = [wheel.signal(5), wheel.signal(5), wheel.signal(5)]
    first!.addEventListener('abort', () => {
      first!.refresh().clear()
      second!.clear()
      third!.refresh()
    })
    wheel.advance(5)
    expect([first!.aborted, second!.aborted, third!.aborted, wheel.pending]).toEqual([true, false, false, 1])
    wheel.advance(5)
    expect([third!.aborted, wheel.pending]).toEqual([true, 0])
  })

  it('runs in the order of all timers', () => {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    wheel.setTimeout(() => ran.push('first'), 10)
    wheel.signal(10).addEventListener('abort', () => ran.push('second'))
    wheel.schedule(() => ran.push('third'), 10)
    const moved = wheel.signal(10)
    moved.addEventListener('abort', () => ran.push('fifth'))
    wheel.signal(10).addEventListener('abort', () => ran.push('fourth'))
    moved.refresh()
    wheel.advance(10)
    expect(ran).toEqual(['first', 'second', 'third', 'fourth', 'fifth'])
  })

  it('takes fractions, 0 and delays of centuries', () => {
    const wheel = manualWheel(backend, { tick: 10 })
    const signals = [0, 0.5, 25.5, 2 ** 40, 2 ** 50].map((delay) => wheel.signal(delay))
    const aborted = () => signals.map((signal) => signal.aborted)
    wheel.advance(10)
    expect(aborted()).toEqual([true, true, false, false, false])
    wheel.advance(15)
    expect(aborted()).toEqual([true, true, false, false, false])
    wheel.advance(5)
    expect(aborted()).toEqual([true, true, true, false, false])
    wheel.advance(2 ** 40)
    expect(aborted()).toEqual([true, true, true, true, false])
    wheel.advance(2 ** 50)
    expect(aborted()).toEqual([true, true, true, true, true])
  })

  it('aborts the signals that follow it, which nothing else refers to', () => {
    const wheel = manualWheel(backend)
    let aborts = 0
    AbortSignal.any([wheel.signal(10), new AbortController().signal]).addEventListener(
      'abort',
      () => aborts++,
    )
    const cleared = wheel.signal(10)
    const follower = AbortSignal.any([cleared])
    cleared.clear()
    wheel.advance(10)
    expect([aborts, follower.aborted]).toEqual([1, false])
    const signal = wheel.signal(5)
    const both = AbortSignal.any([signal, cleared])
    wheel.advance(5)
    expect([both.aborted, both.reason === signal.reason]).toEqual([true, true])
  })

  it('returns what would have aborted the signals from stop(), and then never aborts them', () => {
    const wheel = manualWheel(backend)
    const signal = wheel.signal(50)
    const other = wheel.signal(20)
    wheel.signal(30).clear()
    wheel.advance(10)
    const left = wheel.stop()
    expect(left).toEqual([
      { callback: expect.any(Function), args: [other], remaining: 10 },
      { callback: expect.any(Function), args: [signal], remaining: 40 },
    ])
    expect(left.map(({ args }) => args[0])).toEqual([other, signal])
    signal.refresh().refresh(5).clear()
    wheel.advance(100)
    expect([signal.aborted, other.aborted, wheel.pending]).toEqual([false, false, 0])
    left[0]!.callback(...left[0]!.args)
    expect([other.aborted, other.reason.name, signal.aborted]).toEqual([true, 'TimeoutError', false])
    expect(thrownBy(() => wheel.signal(1))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
  })

  it('is cleared by clear() of the wheel, which then takes further signals', () => {
    const wheel = manualWheel(backend)
    const signals = [wheel.signal(5), wheel.signal(10, { unref: false })]
    wheel.setTimeout(() => {}, 5)
    expect(wheel.clear()).toBe(3)
    expect(wheel.pending).toBe(0)
    const later = wheel.signal(5)
    for (const signal of signals) signal.refresh().clear()
    wheel.advance(20)
    expect([...signals, later].map(({ aborted }) => aborted)).toEqual([false, false, true])
  })

  it('can be cleared and refreshed if it is frozen, and by an object that inherits from it', () => {
    const wheel = manualWheel(backend)
    const frozen = Object.freeze(wheel.signal(50))
    frozen.refresh(20)
    wheel.advance(19)
    expect(wheel.pending).toBe(1)
    frozen.clear()
    const inherited: typeof frozen = Object.create(wheel.signal(10))
    inherited.clear()
    expect(wheel.pending).toBe(0)
  })

  it('counts toward maxPending, and is refused before anything changes', () => {
    const wheel = manualWheel(backend, { maxPending: 2 })
    const signals = [wheel.signal(10), wheel.signal(10)]
    expect(thrownBy(() => wheel.signal(10))).toMatchObject({ code: 'ERR_WHEEL_LIMIT' })
    expect(wheel.pending).toBe(2)
    signals[0]!.refresh()
    signals[1]!.clear()
    signals.push(wheel.signal(10))
    wheel.advance(10)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false, true])
  })

  it('leaves nothing behind in many rounds', () => {
    const wheel = manualWheel(backend)
    const other = wheel.signal(1_000)
    for (let i = 0; i < scaled(20_000, 1_000_000); i++) {
      const signal = wheel.signal(i % 100)
      if (i % 3 === 0) signal.refresh()
      signal.clear()
    }
    expect(wheel.pending).toBe(1)
    wheel.advance(1_000)
    expect([other.aborted, wheel.pending]).toEqual([true, 0])
  }, 60_000)
})
