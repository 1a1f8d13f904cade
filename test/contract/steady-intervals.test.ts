/** `setInterval(callback, { delay, drift: false })`. Programs of model.test.ts have such intervals too, which miss runs. */
import { manualWheel, onEachBackend } from './backends.js'

onEachBackend((backend) => {
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
    const ran: number[][] = []
    const interval = wheel.setInterval((missed) => ran.push([wheel.now, missed]), { delay, drift: false })
    const each = delay || 1
    expect(interval.deadline).toBe(each)
    wheel.advance(9.5 * each)
    expect(ran).toEqual(Array.from({ length: 9 }, (_, k) => [(k + 1) * each, 0]))
  })
})
