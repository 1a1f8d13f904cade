/** The channels of node:diagnostics_channel, in processes of their own: a subscriber sees all wheels of a process. */
import { describe, expect, it } from '@jest/globals'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

const PRELUDE = (entry: string): string => `
  import * as timers from '${entry}'
  import { subscribe, unsubscribe, channel } from 'node:diagnostics_channel'
  const { TimerWheel, setTimeout } = timers
  const work = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); }
  const messages = []
  const listen = (message, name) => messages.push({ channel: name, ...message })
`

describe.each(ENTRIES)('%s', (entry) => {
  const show = (script: string, before = ''): ReturnType<typeof run> =>
    run(`${before}${PRELUDE(entry)}${script}`)

  it('publishes each callback, with its wheel, lateness and duration', async () => {
    const outcome = await show(`
      subscribe('timeout-wheel:expire', listen)
      const wheel = new TimerWheel({ name: 'mine', driver: 'manual' })
      function first() { work(3) }
      function member(item) {}
      wheel.schedule(first, 5)
      wheel.group(member, 7).add('item')
      const interval = wheel.setInterval(function again() {}, 9)
      wheel.advance(18)
      for (const { channel, wheel, callback, lateness, duration } of messages) {
        console.log(channel, wheel, callback.name, lateness, duration >= 0, duration >= 3 && callback === first)
      }
    `)
    expect(outcome).toEqual({
      ...CLEAN,
      lines: [
        'timeout-wheel:expire mine first 0 true true',
        'timeout-wheel:expire mine member 0 true false',
        'timeout-wheel:expire mine again 0 true false',
        'timeout-wheel:expire mine again 0 true false',
      ],
    })
  })

  it('publishes the callbacks of maps, with the lateness of their entries', async () => {
    const outcome = await show(`
      subscribe('timeout-wheel:expire', listen)
      const wheel = new TimerWheel({ name: 'mine', driver: 'manual', tick: 3, measure: true })
      const map = new timers.TimeoutMap({ ttl: 10, wheel, onExpire: function gone(value, key) { if (key === 'b') work(3) } })
      map.set('a', 1).set('b', 2).set('c', 3, 20)
      new timers.TimeoutMap({ ttl: 5, wheel }).set('quiet', 1)
      wheel.advance(60)
      for (const { wheel, callback, lateness } of messages) console.log(wheel, callback.name, lateness)
      console.log(wheel.stats().slowest.name, wheel.stats().lateness.count, wheel.stats().lateness.max)
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['mine gone 0', 'mine gone 0', 'mine gone 0', 'gone 3 0'] })
  })

  it('publishes how late the callbacks of a map are on the real clock, and the slice that they overrun', async () => {
    const outcome = await show(`
      subscribe('timeout-wheel:expire', listen)
      subscribe('timeout-wheel:overrun', listen)
      const wheel = new TimerWheel({ budget: 10 })
      const start = performance.now()
      let left = 2
      const map = new timers.TimeoutMap({
        ttl: 5,
        wheel,
        onExpire: function gone() { work(25); if (--left === 0) setImmediate(() => setImmediate(show)) },
      })
      map.set('a', 1).set('b', 2, 20)
      setTimeout(() => {}, 100)
      await null
      work(40)
      // Finds the entries that have expired, which makes their callbacks no less late.
      const size = map.size
      const show = () => {
        const late = messages.filter(({ callback }) => callback?.name === 'gone').map(({ lateness }) => lateness)
        const passed = performance.now() - start
        console.log(size, late.length, late[0] >= 33, late[1] >= 33, late.every((ms) => ms <= passed))
        const overrun = messages.find(({ channel }) => channel === 'timeout-wheel:overrun')
        console.log(overrun.slowest.callback.name, overrun.slowest.duration >= 25)
      }
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['0 2 true true true', 'gone true'] })
  })

  it('publishes the lateness of the shared wheel on the real clock, never below 0', async () => {
    const outcome = await show(`
      subscribe('timeout-wheel:expire', listen)
      const start = performance.now()
      setTimeout(function late() {}, 5)
      work(40)
      const look = () => {
        if (messages.length === 0) return setImmediate(look)
        const passed = performance.now() - start
        const [{ wheel, callback, lateness }] = messages
        console.log(messages.length, wheel, callback.name, lateness >= 33, lateness <= passed - 5)
      }
      look()
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['1 shared late true true'] })
  })

  it('serves subscribers that come after the wheel was made, and none that have left', async () => {
    const outcome = await show(`
      const wheel = new TimerWheel({ driver: 'manual' })
      const run = () => { wheel.schedule(() => {}, 1); wheel.advance(1); console.log(messages.length) }
      run()
      subscribe('timeout-wheel:expire', listen)
      run()
      unsubscribe('timeout-wheel:expire', listen)
      run()
      console.log(channel('timeout-wheel:expire').hasSubscribers)
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['0', '1', '1', 'false'] })
  })

  it('publishes callbacks that throw, and those in programs that handle errors', async () => {
    const outcome = await show(`
      subscribe('timeout-wheel:expire', listen)
      process.on('uncaughtException', (error) => console.log(error.message))
      setTimeout(function throwing() { throw new Error('thrown') }, 1)
      setTimeout(() => console.log(messages.map(({ callback }) => callback.name).join()), 30)
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['thrown', 'throwing'] })
  })

  it('runs all timers if a subscriber throws', async () => {
    const outcome = await show(`
      subscribe('timeout-wheel:expire', () => { throw new Error('of a subscriber') })
      process.on('uncaughtException', (error) => console.log(error.message))
      for (let i = 0; i < 3; i++) setTimeout(() => console.log('timer'), 1)
    `)
    expect(outcome).toMatchObject(CLEAN)
    expect(outcome.lines.filter((line) => line === 'timer')).toHaveLength(3)
    expect(outcome.lines.filter((line) => line === 'of a subscriber')).toHaveLength(3)
  })

  it('publishes a slice that takes twice the budget, with its slowest callback', async () => {
    const outcome = await show(`
      subscribe('timeout-wheel:overrun', listen)
      const wheel = new TimerWheel({ name: 'mine', budget: 20 })
      wheel.schedule(function quick() {}, 2)
      await new Promise((resolve) => wheel.schedule(function slow() { work(45); setImmediate(() => setImmediate(resolve)) }, 2))
      const [{ wheel: name, budget, duration, callbacks, slowest }] = messages
      console.log(messages.length, name, budget, duration >= 45, callbacks >= 1, slowest.callback.name, slowest.duration >= 45)
      await new Promise((resolve) => wheel.schedule(() => setImmediate(() => setImmediate(resolve)), 2))
      console.log(messages.length, wheel.stats().overruns)
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['1 mine 20 true true slow true', '1 1'] })
  })

  it('loads node:diagnostics_channel only if the program does', async () => {
    const outcome = await run(`
      import { setTimeout } from '${entry}'
      const isLoaded = () => process.moduleLoadList.includes('NativeModule diagnostics_channel')
      const before = isLoaded()
      await new Promise((resolve) => setTimeout(resolve, 5))
      console.log(before || !isLoaded())
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['true'] })
  })
})

it.each(ENTRIES)('measures the shared wheel of %s between two calls of configure()', async (entry) => {
  const outcome = await run(`
    import { configure, setTimeout, stats } from '${entry}'
    const pass = () => new Promise((resolve) => setTimeout(resolve, 5))
    const show = () => console.log(stats().lateness?.count, stats().slowest?.name)
    configure({ measure: true })
    show()
    await pass()
    configure({ budget: 5 })
    show()
    configure({ measure: false })
    show()
    await pass()
    configure({ measure: true })
    show()
    for (const measure of [1, null, 'true']) {
      try { configure({ budget: 1, measure }) } catch ({ code, message }) { console.log(code, message) }
    }
  `)
  const refused = (value: string): string => `ERR_INVALID_ARG_TYPE measure must be a boolean, got ${value}`
  expect(outcome).toEqual({
    ...CLEAN,
    // At first the wheel is not open. The function that resolves a promise has no name.
    lines: [
      'undefined undefined',
      '1 (anonymous)',
      'undefined undefined',
      '0 undefined',
      ...['1', 'null', '"true"'].map(refused),
    ],
  })
})
