/** `setInterval(callback, { delay, drift: false })`. Programs of model.test.ts have such intervals too. */
import { manualWheel, onEachBackend, type Wheel } from './backends.js'
import { busyWait, drained, ROUNDING } from './clock.js'

onEachBackend((backend) => {
  /** Sets an interval that notes the time of each run and the arguments. */
  const noting = (wheel: Wheel, delay: number) => {
    const ran: unknown[] = []
    const note = (...args: unknown[]): void =>
      void ran.push(args.length === 1 ? wheel.now : [wheel.now, ...args])
    return { ran, interval: wheel.setInterval(note, { delay, drift: false }) }
  }

  it('passes the number of missed runs, then the other arguments, with the handle as this', () => {
    const wheel = manualWheel(backend)
    const ran: unknown[] = []
    const interval = wheel.setInterval(
      function (...args) {
        ran.push([this === interval, ...args])
      },
      { delay: 10, drift: false },
      'a',
      7,
    )
    // With another value of the option, no number.
    for (const drift of [true, undefined])
      wheel.setInterval((...args) => ran.push(args), { delay: 20, drift: drift as true }, 'b')
    wheel.advance(25)
    const run = [true, 0, 'a', 7]
    expect(ran).toEqual([run, ['b'], ['b'], run])
    expect(interval.deadline).toBe(30)
  })

  it.each([
    // The delays of the programs are whole, and below 2^10.
    [1, 2.5],
    [1, 0.25],
    [1, 0],
    [0.125, 1],
    [1, 2 ** 33],
  ])('keeps to the first due time and whole delays, with ticks of %p ms and a delay of %p', (tick, delay) => {
    const wheel = manualWheel(backend, { tick })
    const { ran, interval } = noting(wheel, delay)
    const first = interval.deadline
    const each = delay || 1
    expect(first).toBe(each)
    wheel.advance(9.5 * each)
    expect(ran).toEqual(Array.from({ length: 9 }, (_, k) => (k + 1) * each))
  })

  it('misses runs that are late by a whole delay, and tells the next one', async () => {
    const wheel = new backend.TimerWheel()
    const DELAY = 20
    // What the callback does in each run, in milliseconds: less than a delay, or more than several.
    const work = [0, 5, 3.5 * DELAY, 0, 15, 2 * DELAY + 1, 0]
    const ran: { missed: number; started: number; deadline: number; remaining: number }[] = []
    const interval = wheel.setInterval(
      (missed) => {
        const started = wheel.now
        busyWait(work[ran.length]!)
        queueMicrotask(() => {
          const { deadline, remaining } = interval
          if (ran.push({ missed, started, deadline, remaining }) === work.length) wheel.stop()
        })
      },
      { delay: DELAY, drift: false },
    )
    let due = interval.deadline - DELAY
    await drained(wheel)
    for (const [i, { missed, started, deadline, remaining }] of ran.entries()) {
      due += (1 + missed) * DELAY
      expect(started).toBeGreaterThanOrEqual(due - ROUNDING)
      const before = work[i - 1] ?? 0
      expect(missed).toBeGreaterThanOrEqual(Math.max(Math.floor(before / DELAY) - 1, 0))
      // The next run is due a delay later, or at once.
      expect(deadline).toBeGreaterThanOrEqual(due + DELAY - ROUNDING)
      if (remaining > 1) expect(deadline).toBeLessThan(due + DELAY + ROUNDING)
    }
  })
})
