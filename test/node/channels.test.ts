/** The channels of node:diagnostics_channel. A subscriber sees all wheels of its process. */
import { fineClock } from '../differential/clock.js'
import { ENTRIES } from './backends.js'
import { prints, printsInOneProcess } from './prints.js'

describe.each(ENTRIES)('%s', (entry) => {
  const it = printsInOneProcess({
    prelude: `
      import { configure, setTimeout, stats, TimeoutMap, TimerWheel } from '${entry}'
      import { subscribe, unsubscribe, channel } from 'node:diagnostics_channel'
      const work = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); }
      const messages = []
      const listen = (message, name) => messages.push({ channel: name, ...message })
      const heard = []
      const hear = (name, listener = listen) => {
        subscribe('timeout-wheel:' + name, listener)
        heard.push(['timeout-wheel:' + name, listener])
      }`,
    after: `
      messages.length = 0
      for (const one of heard.splice(0)) unsubscribe(...one)`,
    env: fineClock(),
  })

  it(`
    # publishes each callback, with its wheel, lateness and duration, and of maps only those that have one
    -> timeout-wheel:expire mine first 0 true true | timeout-wheel:expire mine member 0 true false
    -> timeout-wheel:expire mine again 0 true false
    -> timeout-wheel:expire mine gone 0 true false | timeout-wheel:expire mine gone 0 true false
    -> timeout-wheel:expire mine gone 0 true false | undefined first again 6 0
    hear('expire')
    const wheel = new TimerWheel({ name: 'mine', driver: 'manual', measure: true })
    function first() { work(30) }
    wheel.schedule(first, 3)
    const slowest = [wheel.stats().slowest?.name]
    wheel.group(function member(item) {}, 6).add('item')
    const interval = wheel.setInterval(function again() { work(60); interval.close() }, 9)
    const map = new TimeoutMap({ ttl: 10, wheel, onExpire: function gone() {} })
    map.set('a', 1).set('b', 2).set('c', 3, 20)
    new TimeoutMap({ ttl: 5, wheel }).set('quiet', 1)
    wheel.advance(3)
    slowest.push(wheel.stats().slowest.name)
    wheel.advance(57)
    for (const { channel, wheel, callback, lateness, duration } of messages)
      console.log(channel, wheel, callback.name, lateness, duration >= 0, duration >= 30 && callback === first)
    console.log(...slowest, wheel.stats().slowest.name, wheel.stats().lateness.count, wheel.stats().lateness.max)
    # publishes how late callbacks are, also of a map, and the slice that they overrun
    -> shared late true | map gone true | map gone true | 0 gone true
    hear('expire')
    hear('overrun')
    const wheel = new TimerWheel({ name: 'map', budget: 10 })
    const map = new TimeoutMap({ ttl: 5, wheel, onExpire: function gone() { work(25) } })
    map.set('a', 1).set('b', 2, 20)
    setTimeout(function late() {}, 5)
    await null
    work(40)
    // Finds the entries that have expired, which makes their callbacks no less late.
    const { size } = map
    setTimeout(() => {
      const sorted = messages.filter(({ callback }) => callback).sort((a, b) => (a.wheel < b.wheel ? 1 : -1))
      for (const { wheel, callback, lateness } of sorted) console.log(wheel, callback.name, lateness >= 33 && lateness < 85)
      const { slowest } = messages.find(({ budget }) => budget === 10)
      console.log(size, slowest.callback.name, slowest.duration >= 25)
    }, 100)
    # serves subscribers that come after the wheel was made, and none that have left -> 0 | 1 | 1 | false
    const wheel = new TimerWheel({ driver: 'manual' })
    const run = () => { wheel.schedule(() => {}, 1); wheel.advance(1); console.log(messages.length) }
    run()
    subscribe('timeout-wheel:expire', listen)
    run()
    unsubscribe('timeout-wheel:expire', listen)
    run()
    console.log(channel('timeout-wheel:expire').hasSubscribers)
    # publishes callbacks that throw, and runs all timers if a subscriber throws
    -> of a callback,of a subscriber,of a subscriber,of a subscriber,throwing,timer,timer
    const seen = []
    hear('expire', ({ callback }) => {
      if (callback.name === 'throwing') seen.push('throwing')
      throw new Error('of a subscriber')
    })
    process.on('uncaughtException', (error) => seen.push(error.message))
    setTimeout(() => seen.push('timer'), 1)
    setTimeout(function throwing() { throw new Error('of a callback') }, 1)
    setTimeout(() => seen.push('timer'), 1)
    process.once('beforeExit', () => console.log(seen.sort().join()))
    # publishes a slice that takes twice the budget -> 1 mine 20 true true slow true | 1 1
    hear('overrun')
    const wheel = new TimerWheel({ name: 'mine', budget: 20 })
    wheel.schedule(function quick() {}, 2)
    await new Promise((resolve) => wheel.schedule(function slow() { work(45); setImmediate(() => setImmediate(resolve)) }, 2))
    const [{ wheel: name, budget, duration, callbacks, slowest }] = messages
    console.log(messages.length, name, budget, duration >= 45, callbacks >= 1, slowest.callback.name, slowest.duration >= 45)
    await new Promise((resolve) => wheel.schedule(() => setImmediate(() => setImmediate(resolve)), 2))
    console.log(messages.length, wheel.stats().overruns)`)

  it(`
    # publishes each new wheel, with a function that returns its counts, also of the shared wheel
    -> timeout-wheel:open mine 0 true | timeout-wheel:open  0 true | 1 0 | 0 true
    hear('open')
    const wheel = new TimerWheel({ name: 'mine', driver: 'manual' })
    new TimerWheel()
    for (const { channel, wheel, stats } of messages) console.log(channel, wheel, stats().pending, stats().bytes > 0)
    const [{ stats: ofWheel }] = messages
    wheel.schedule(() => {}, 1)
    console.log(ofWheel().pending, ofWheel().fired)
    wheel.stop()
    console.log(ofWheel().bytes, JSON.stringify(ofWheel()) === JSON.stringify(wheel.stats()))`)

  prints(`
    # publishes the shared wheel with its first timer, and a subscriber can set timers on it
    -> 0 | shared 0 | shared 1 | 2 true
    import { setTimeout, stats } from '${entry}'
    import { subscribe } from 'node:diagnostics_channel'
    const seen = []
    subscribe('timeout-wheel:open', ({ wheel, stats: ofWheel }) => {
      seen.push(ofWheel)
      console.log(wheel, ofWheel().pending)
      setTimeout(() => {}, 1)
      console.log(wheel, ofWheel().pending)
    })
    console.log(seen.length)
    setTimeout(() => {}, 1)
    console.log(seen[0]().pending, seen.length === 1 && seen[0]().bytes === stats().bytes)
    # measures the shared wheel between two calls of configure()
    -> undefined undefined | 1 (anonymous) | undefined undefined | 0 undefined
    -> ERR_INVALID_ARG_TYPE measure must be a boolean, got 1 | ERR_INVALID_ARG_TYPE measure must be a boolean, got null
    -> ERR_INVALID_ARG_TYPE measure must be a boolean, got "true"
    // At first the wheel is not open. The function that resolves a promise has no name.
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
    }`)
})
