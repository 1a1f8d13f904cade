/** Programs write undocumented fields of the handles of Node. test/differential compares those that a program only reads. */
import { eachLikeNative, eachLikeNativeInOne } from './like-native.js'

describe('the fields of a handle', () => {
  eachLikeNativeInOne(`
    # change the callback when they are written
    const other = setTimeout(() => log('not this'), 3, 'argument')
    other._onTimeout = function (value) { log('this', value, this === other) }
    setTimeout(() => log('not this'), 3)._onTimeout = null
    setInterval(() => log('not this'), 3)._onTimeout = undefined
    setTimeout((...args) => log(args), 3, 'these not')._timerArgs = ['these']
    # give the remaining time on the clock of the process
    const left = (t) => Math.round((t._idleStart + t._idleTimeout - process.uptime() * 1_000) / 1_000)
    const t = setTimeout(() => {}, 60_000)
    const first = t._idleStart
    busyWait(30)
    log(left(t), t._idleStart === first, Number.isInteger(first))
    const refreshed = setTimeout(() => {}, 60_000)
    setTimeout(() => {
      const before = refreshed._idleStart
      refreshed.refresh()
      log(refreshed._idleStart - before >= 90, left(refreshed), t._idleStart === first)
      clearTimeout(t)
      clearTimeout(refreshed)
    }, 100)
    # let timers with the same written start run together
    const first = setTimeout(() => { log('first'); setImmediate(() => log('immediate')) }, 20)
    for (const name of ['second', 'third']) {
      busyWait(5)
      const t = setTimeout(() => log(name), 20)
      t._idleStart = first._idleStart
      log(t._idleStart === first._idleStart)
    }`)

  eachLikeNative(`
    # let a timer run whose written start was long ago
    setTimeout(() => log('ran'), 5)._idleStart = -1e9`)

  eachLikeNative(`
    # keep the due time if NaN is written as the start
    setTimeout(() => log('late'), 60)._idleStart = NaN
    setTimeout(() => log('soon'), 5)`)

  eachLikeNative(`
    # take any value that is written
    const odd = { valueOf() { throw new Error('asked for its value') } }
    for (const value of [7n, Symbol('odd'), odd, [odd], null, undefined, true, 'text', NaN]) {
      for (const field of ['_idleTimeout', '_idleStart', '_repeat', '_timerArgs', '_onTimeout', '_idleNext', '_idlePrev']) {
        for (const set of [setTimeout, setInterval]) set(() => {}, 5)[field] = value
        log(field, 'is written')
      }
    }
    process.exit()`)
})
