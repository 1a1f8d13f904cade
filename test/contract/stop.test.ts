/** `stop()`, `clear()` and `pendingTimers()` of a wheel: see also the programs of the model tests. For a stopped wheel see full-wheel.test.ts. */
import { ignore, manualWheel, onEachBackend, thrownBy } from './backends.js'
import { busyWait, wholeTurn } from './clock.js'

onEachBackend((backend) => {
  it('returns the pending timers with their callbacks, arguments and handles', () => {
    const wheel = manualWheel(backend)
    const [first, second, third, fourth] = Array.from({ length: 4 }, () => (..._args: unknown[]) => {})
    wheel.schedule(fourth!, 2 ** 40, { fourth })
    const timeout = wheel.setTimeout(third!, 50, 'a', 'b')
    const interval = wheel.setInterval(second!, 40)
    wheel.schedule(first!, 20)
    wheel.advance(10)
    // On Node, virtual time lets the process end.
    const hasRef = expect.any(Boolean)
    const expected = [
      { callback: first, args: [undefined], remaining: 10, hasRef },
      { callback: second, args: [], remaining: 30, hasRef, timeout: interval },
      { callback: third, args: ['a', 'b'], remaining: 40, hasRef, timeout },
      { callback: fourth, args: [{ fourth }], remaining: 2 ** 40 - 10, hasRef },
    ]
    expect(wheel.pendingTimers()).toEqual(expected)
    expect(wheel.stop()).toEqual(expected)
    expect(wheel.pendingTimers()).toEqual([])
    expect([wheel.pending, wheel.stop(), manualWheel(backend).stop()]).toEqual([0, [], []])
  })

  it('ignores calls on its handles afterwards, and leaves other wheels alone', () => {
    const wheel = manualWheel(backend)
    const other = manualWheel(backend)
    other.setTimeout(() => {}, 10).refresh()
    const ran = wheel.setTimeout(() => {}, 1)
    wheel.advance(1)
    const pending = wheel.setTimeout(() => {}, 10)
    const number = +pending
    wheel.stop()
    for (const timeout of [ran, pending]) timeout.refresh().unref().ref().refresh(5).close().refresh()
    wheel.clearTimeout(number)
    wheel.clearTimeout(pending)
    wheel.advance(100)
    expect([wheel.pending, other.pending]).toEqual([0, 1])
  })

  it('runs no callback afterwards on the event loop, due or not', async () => {
    const wheel = new backend.TimerWheel()
    let ran = 0
    for (let i = 0; i < 100; i++) wheel.schedule(() => ran++, i % 10)
    busyWait(5)
    const left = wheel.stop()
    // Its clock goes on.
    expect(wheel.now).toBeGreaterThanOrEqual(5)
    await wholeTurn()
    busyWait(15)
    await new Promise<void>((resolve) => backend.setTimeout(resolve, 20))
    expect([ran, left.length]).toEqual([0, 100])
    expect(left.every(({ remaining }) => remaining <= 10)).toBe(true)
  })

  it('returns more timers than one block of records holds, whose memory counts until then', () => {
    const wheel = manualWheel(backend)
    expect(wheel.stats().bytes).toBe(1.25 * 2 ** 20)
    for (let i = 0; i < 40_000; i++) wheel.schedule(ignore, 1 + ((i * 7_919) % 40_000), i)
    expect(wheel.stats().bytes).toBeGreaterThan(2.25 * 2 ** 20)
    const delays = wheel.stop().map(({ remaining }) => remaining)
    expect(delays.length === 40_000 && delays.every((delay, i) => delay === i + 1)).toBe(true)
    expect(wheel.stats()).toMatchObject({ pending: 0, bytes: 0 })
  })

  it.each(['refresh', 'close', 'unref', 'ref'] as const)(
    'ends all timers if the callback of an interval stops the wheel, calls %s() and throws',
    (use) => {
      const wheel = manualWheel(backend)
      const ran: string[] = []
      const note = (name: string): void => void ran.push(name)
      const interval = wheel.setInterval(() => {
        expect(wheel.stop().length).toBe(4)
        interval[use]()
        throw new Error('from the interval')
      }, 2)
      for (const delay of [2, 3, 1_000]) wheel.setTimeout(note, delay, 'later')
      wheel.schedule(note, 2, 'id')
      expect(() => wheel.advance(5)).toThrow('from the interval')
      wheel.advance(2_000)
      expect([ran, wheel.stop()]).toEqual([[], []])
      expect(wheel.stats()).toMatchObject({ pending: 0, scheduled: 5, fired: 1, cancelled: 4 })
      expect(thrownBy(() => wheel.setTimeout(() => {}, 1))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
    },
  )

  it('lists the timers of the shared wheel', async () => {
    const { setTimeout, pendingTimers } = backend
    const before = pendingTimers().length
    const timeout = setTimeout(ignore, 60_000, 'x')
    const list = pendingTimers()
    expect(list.length).toBe(before + 1)
    expect(list.find((one) => one.timeout === timeout)).toMatchObject({ args: ['x'], hasRef: true })
    expect(timeout.unref() && pendingTimers().find((one) => one.timeout === timeout)?.hasRef).toBe(false)
    timeout.close()
    expect(pendingTimers().length).toBe(before)
  })
})
