/** `advance()` and `runAll()` of a manual wheel: until no timer is pending. Half of the programs of model.test.ts end with `runAll()`. */
import { manualWheel, onEachBackend, thrownBy } from './backends.js'

onEachBackend((backend) => {
  it('does not count timers that are pending at the call towards the limit', () => {
    const wheel = manualWheel(backend)
    let ran = 0
    for (let i = 0; i < 10_000; i++) wheel.schedule(() => ran++, i)
    wheel.runAll(0)
    wheel.runAll(0)
    expect([ran, wheel.pending]).toEqual([10_000, 0])
  })

  it.each([
    [undefined, 1001],
    [0, 1],
    [7, 8],
  ])('throws an error with a code once an interval exceeds the limit %p', (limit, expected) => {
    const wheel = manualWheel(backend)
    let ran = 0
    wheel.setInterval(() => ran++, 10)
    expect(thrownBy(() => wheel.runAll(limit))).toMatchObject({
      code: 'ERR_WHEEL_ENDLESS',
      message: expect.stringContaining(`after ${expected} callbacks with 1 pending: raise the limit`),
    })
    expect([ran, wheel.pending]).toEqual([expected, 1])
    // Time stands at the last run: the next one is ten milliseconds away.
    wheel.advance(9)
    expect(ran).toBe(expected)
    wheel.advance(1)
    expect(ran).toBe(expected + 1)
  })

  it('runs timers of a wheel with the driver worker on every host', async () => {
    const wheel = new backend.TimerWheel({ driver: 'worker' })
    const ran: number[] = []
    wheel.setTimeout(() => ran.push(1), 10)
    await new Promise((resolve) => wheel.setTimeout(resolve, 15))
    wheel.stop()
    expect(ran).toEqual([1])
  })

  it('lets a callback advance another wheel', () => {
    const [wheel, inner] = [manualWheel(backend), manualWheel(backend)]
    const ran: string[] = []
    inner.schedule(() => ran.push('inner'), 5)
    wheel.schedule(() => inner.advance(5), 5)
    wheel.schedule(() => ran.push('outer'), 5)
    wheel.advance(5)
    expect(ran).toEqual(['inner', 'outer'])
  })
})
