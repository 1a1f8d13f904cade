/** `signal()` of a wheel and `timeoutSignal` make signals that are aborted after a delay, and that can be cleared and refreshed. */
import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { type Backend, dispose, manualWheel, onEachBackend, thrownBy, type Wheel } from './backends.js'
import { forEachSeed, randomFrom } from './random.js'

type Signal = ReturnType<Wheel['signal']>

/** Runs a random program on triples: a timer with an id, which model.test.ts checks, a signal, and a handle with an exact delay. */
function runTriples(backend: Backend, seed: number) {
  const { below } = randomFrom(seed)
  const wheel = manualWheel(backend, { tick: [1, 7, 0.5][below(3)]! })
  const ran: string[] = []
  const operations: (() => void)[] = []
  const operate = (): void => operations[below(operations.length)]?.()
  const randomDelay = () => [below(60), below(240) / 4, 2 ** 33 + below(9)][below(3)]!
  const set = (): void => {
    const name = operations.length
    let delay = randomDelay()
    const note = (kind: string): unknown => ran.push(`${kind} ${name} at ${wheel.now}`)
    const id = wheel.schedule(note, delay, 'id')
    const signal = wheel.signal(delay)
    signal.onabort = () => {
      note('signal')
      signal.refresh().refresh(5).clear()
    }
    const handle = wheel[below(2) === 0 ? 'setTimeout' : 'setInterval'](
      () => {
        note('handle')
        handle.close()
        operate()
      },
      { delay },
    )
    operations.push(() => {
      if (below(3) === 0) {
        wheel.cancel(id)
        signal.clear()
        handle.close()
      } else {
        // The handle is refreshed with whole milliseconds.
        const keepsDelay = delay >= 1 && delay % 1 === 0 && below(2) === 0
        const next = keepsDelay ? undefined : 1 + below(99)
        delay = next ?? delay
        wheel.reschedule(id, delay)
        signal.refresh(next)
        if (handle.pending) handle.refresh(next)
      }
    })
  }
  const advance = (): void => wheel.advance(below(8) === 0 ? randomDelay() : below(40))
  for (let step = 0; step < 150; step++) {
    ;[set, operate, advance][below(3)]!()
    const { scheduled, fired, refreshed } = wheel.stats()
    expect([scheduled, fired, refreshed].filter((count) => count % 3 !== 0)).toEqual([])
  }
  wheel.runAll()
  expect(wheel.pending).toBe(0)
  return ran
}

onEachBackend((backend) => {
  it('aborts after the delay, not before, with a TimeoutError', () => {
    const wheel = manualWheel(backend)
    const signal = wheel.signal(100)
    const events: unknown[] = []
    const note = ({ type, target, isTrusted }: Event): unknown =>
      events.push([type, target === signal, isTrusted])
    signal.addEventListener('abort', note)
    signal.onabort = note
    expect(signal).toBeInstanceOf(AbortSignal)
    expect(Object.prototype.toString.call(signal)).toBe('[object AbortSignal]')
    wheel.advance(99)
    expect([signal.aborted, signal.reason, events]).toEqual([false, undefined, []])
    expect(() => signal.throwIfAborted()).not.toThrow()
    wheel.advance(1)
    const { aborted, reason } = signal
    expect(aborted).toBe(true)
    expect(reason).toBeInstanceOf(DOMException)
    expect(reason).toMatchObject({ name: 'TimeoutError', code: DOMException.TIMEOUT_ERR })
    expect(thrownBy(() => signal.throwIfAborted())).toBe(reason)
    wheel.advance(1_000)
    expect(events).toEqual(Array(2).fill(['abort', true, true]))
    expect(signal.reason).toBe(reason)
  })

  it('is aborted when a timer with an id runs that is set, moved and cancelled with it', () => {
    forEachSeed(scaled(10, 200), (seed) => {
      const ran = runTriples(backend, seed)
      const expected = ran
        .filter((run) => run.startsWith('id'))
        .flatMap((run) => [run, run.replace('id', 'signal'), run.replace('id', 'handle')])
      expect(ran).toEqual(expected)
    })
  })

  it('has the same methods at each read, so that a listener can be removed', () => {
    const wheel = manualWheel(backend)
    const [signal, other] = [wheel.signal(10), wheel.signal(10)]
    const { clear, refresh } = signal
    const same = [signal.clear === clear, signal.refresh === refresh, signal[dispose] === clear]
    expect([...same, other.clear === clear]).toEqual([true, true, true, false])
    const own = ['clear' in signal, 'refresh' in signal, 'clear' in AbortSignal.prototype]
    expect(own).toEqual([true, true, false])
  })

  it.each<[string, (signal: Signal) => unknown]>([
    ['clear()', (signal) => signal.clear()],
    ['Symbol.dispose', (signal) => signal[dispose]()],
    ['clear without this', ({ clear }) => clear()],
    ['clear() of a frozen signal', (signal) => Object.freeze(signal).refresh(20).clear()],
    ['clear() of an object that inherits from it', (signal) => Object.create(signal).clear()],
  ])('never aborts after %s, which leaves nothing in the wheel', (_, clear) => {
    const wheel = manualWheel(backend)
    const signal = wheel.signal(10)
    expect(wheel.pending).toBe(1)
    expect(clear(signal)).toBeUndefined()
    expect(wheel.pending).toBe(0)
    clear(signal)
    // The wheel can use the record again: the cleared signal has no say over it.
    const later = wheel.signal(10)
    clear(signal)
    const { refresh } = signal
    expect(refresh(5)).toBe(signal)
    expect(wheel.pending).toBe(1)
    wheel.advance(20)
    expect([signal.aborted, later.aborted, wheel.pending]).toEqual([false, true, 0])
  })

  it('aborts the signals that follow it, which nothing else refers to', () => {
    const wheel = manualWheel(backend)
    const [signal, cleared] = [wheel.signal(10), wheel.signal(10)]
    let aborts = 0
    const { signal: other } = new AbortController()
    AbortSignal.any([signal, other]).addEventListener('abort', () => aborts++)
    const [both, follower] = [AbortSignal.any([signal, cleared]), AbortSignal.any([cleared])]
    cleared.clear()
    wheel.advance(10)
    const isSame = both.reason === signal.reason
    expect([aborts, both.aborted, isSame, follower.aborted]).toEqual([1, true, true, false])
  })

  it('returns what would have aborted the signals from stop(), and then never aborts them', () => {
    const wheel = manualWheel(backend)
    const [signal, other] = [wheel.signal(50), wheel.signal(20)]
    wheel.advance(10)
    const left = wheel.stop()
    const callback = expect.any(Function)
    expect(left).toEqual([
      { callback, args: [other], remaining: 10 },
      { callback, args: [signal], remaining: 40 },
    ])
    expect(left.map(({ args }) => args[0] === other)).toEqual([true, false])
    signal.refresh().refresh(5).clear()
    wheel.advance(100)
    expect([signal.aborted, other.aborted, wheel.pending]).toEqual([false, false, 0])
    left[0]!.callback(...left[0]!.args)
    expect([other.aborted, other.reason.name, signal.aborted]).toEqual([true, 'TimeoutError', false])
    expect(thrownBy(() => wheel.signal(1))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
  })
})
