/** `signal()` of a wheel and `timeoutSignal` make signals that are aborted after a delay, and that can be cleared and refreshed. See also model-program.ts. */
import { manualWheel, onEachBackend, thrownBy } from './backends.js'

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

  // The programs of model.test.ts clear signals too, as methods.
  it('has no say over the next timer once it was cleared, and needs no `this`', () => {
    const wheel = manualWheel(backend)
    const signal = wheel.signal(10)
    const { clear, refresh } = signal
    expect([clear(), wheel.pending]).toEqual([undefined, 0])
    const later = wheel.signal(10)
    clear()
    expect([refresh(5), wheel.pending]).toEqual([signal, 1])
    wheel.advance(20)
    expect([signal.aborted, later.aborted]).toEqual([false, true])
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
    // model-program.ts checks which timers these are.
    const left = wheel.stop()
    signal.refresh().refresh(5).clear()
    wheel.advance(100)
    expect([signal.aborted, other.aborted, wheel.pending]).toEqual([false, false, 0])
    left[0]!.callback(...left[0]!.args)
    expect([other.aborted, other.reason.name, signal.aborted]).toEqual([true, 'TimeoutError', false])
    expect(thrownBy(() => wheel.signal(1))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
  })
})
