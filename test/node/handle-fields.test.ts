/** Programs read and write undocumented fields of Node's handles. Ours behave in the same way. */
import { describe, expect, it } from '@jest/globals'
import { ENTRIES } from './backends.js'
import { run } from './child.js'
import { expectLikeNative } from './like-native.js'

/** Logs the fields of a handle in its present state. */
const SHOW = `
  const show = (state, t) => log(state, {
    delay: t._idleTimeout, start: typeof t._idleStart, callback: typeof t._onTimeout, args: t._timerArgs, repeat: t._repeat,
    destroyed: t._destroyed, next: !!t._idleNext, previous: !!t._idlePrev, ref: t.hasRef(),
  })
`

describe('the fields of a handle', () => {
  it('have the values of Node while it is pending, runs and is set again', async () => {
    await expectLikeNative(`${SHOW}
      for (const delay of [5, 0, -1, undefined, '7', 2 ** 31 - 1]) {
        const t = setTimeout(() => {}, delay)
        show('set', t)
        clearTimeout(t)
      }
      show('with arguments', setTimeout(() => {}, 5, 1, 'two').unref())
      show('interval', setInterval(() => {}, 50).unref())
      show('refreshed', setTimeout(() => {}, 5).refresh())
      const t = setTimeout(() => {
        log('runs', t._destroyed, t._idleTimeout, t._repeat)
        t.refresh()
        log('refreshed in its callback', t._destroyed, !!t._idleNext)
        t._onTimeout = () => {}
      }, 2)
      let runs = 0
      const interval = setInterval(function () {
        log('interval runs', this === interval, this._destroyed, this._repeat, this._idleTimeout, !!this._idleNext)
        if (++runs === 2) clearInterval(this)
      }, 3)
      process.once('beforeExit', () => {
        log('has run', t._destroyed, t._idleTimeout, t._repeat, typeof t._onTimeout, t._idleNext, t._idlePrev)
        t.refresh()
        log('set again', t._destroyed, t._idleTimeout, typeof t._idleStart, !!t._idleNext)
      })
    `)
  })

  it('have the values of Node after it is cleared', async () => {
    await expectLikeNative(`
      const show = (state, t) => log(state, t._idleTimeout, t._onTimeout, t._destroyed, t._repeat, t._idleNext, t._idlePrev)
      for (const set of [setTimeout, setInterval]) {
        const t = set(() => {}, 5, 'argument')
        clearTimeout(t)
        show('cleared', t)
        t.refresh()
        show('refreshed', t)
        const closed = set(() => {}, 5).close()
        show('closed', closed)
        const byNumber = set(() => {}, 5)
        clearInterval(String(+byNumber))
        show('by its number', byNumber)
        const own = set(() => {
          clearTimeout(own)
          log('in its callback', own._idleTimeout, own._destroyed, own._repeat)
          process.nextTick(() => log('after it', own._idleTimeout, own._destroyed, own._repeat))
        }, 2)
      }
    `)
  })

  it('change the callback when they are written', async () => {
    await expectLikeNative(`
      const other = setTimeout(() => log('not this'), 3, 'argument')
      other._onTimeout = function (value) { log('this', value, this === other) }
      setTimeout(() => log('not this'), 3)._onTimeout = null
      setInterval(() => log('not this'), 3)._onTimeout = undefined
      setTimeout((...args) => log(args), 3, 'these not')._timerArgs = ['these']
      let runs = 0
      const stopped = setInterval(() => { log('stopped', ++runs); stopped._idleTimeout = -1 }, 3)
      const last = setInterval(() => { log('last'); last._repeat = null }, 3)
      let more = 0
      const repeated = setTimeout(() => {
        log('repeated', ++more, repeated._repeat)
        repeated._repeat = more < 3 ? 4 : null
      }, 3)
    `)
  })

  it('change the deadline when they are written', async () => {
    await expectLikeNative(`
      const ran = (name) => () => log(name)
      setTimeout(ran('50'), 50)
      const shortened = setTimeout(ran('shortened'), 1_000_000)
      shortened._idleTimeout = 5
      shortened.refresh()
      const lengthened = setTimeout(ran('lengthened'), 5)
      lengthened._idleTimeout = 200
      lengthened.refresh()
      const unchanged = setTimeout(ran('unchanged'), 100)
      unchanged._idleTimeout = 1_000_000
      log(unchanged._idleTimeout)
      const gone = setTimeout(ran('gone, once'), 150)
      gone._idleTimeout = -1
      gone.refresh()
      let runs = 0
      const faster = setInterval(() => {
        log('faster', ++runs, faster._idleTimeout)
        faster._repeat = 20
        if (runs === 3) clearInterval(faster)
      }, 240)
    `)
  })

  it('keep any value that is written', async () => {
    await expectLikeNative(`
      const odd = { valueOf() { throw new Error('asked for its value') } }
      for (const value of [7n, Symbol('odd'), odd, [odd], null, undefined, true, 'text', NaN]) {
        for (const field of ['_idleTimeout', '_idleStart', '_repeat', '_timerArgs', '_onTimeout']) {
          setTimeout(() => {}, 5)[field] = value
          setInterval(() => {}, 5)[field] = value
          log(field, 'is written')
        }
      }
      process.exit()
    `)
  })

  it('give the remaining time on the clock of the process', async () => {
    await expectLikeNative(`
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
        refreshed.refresh()
        refreshed.unref()
        t.unref()
      }, 100)
    `)
  })

  it('let timers with the same written start run together', async () => {
    await expectLikeNative(`
      const first = setTimeout(() => { log('first'); setImmediate(() => log('immediate')) }, 20)
      for (const name of ['second', 'third']) {
        busyWait(5)
        const t = setTimeout(() => log(name), 20)
        t._idleStart = first._idleStart
        log(t._idleStart === first._idleStart)
      }
    `)
  })

  it('are the ones that clearTimeout reads, whoever made the handle', async () => {
    await expectLikeNative(`
      const native = globalThis.setTimeout(() => log('never'), 10)
      clearTimeout(native)
      const byNumber = globalThis.setInterval(() => log('never'), 10)
      clearInterval(+byNumber)
      const ours = setTimeout(() => log('never'), 10)
      globalThis.clearTimeout(ours)
      const interval = setInterval(() => { globalThis.clearInterval(interval); log('once') }, 5)
      log(native._destroyed, byNumber._destroyed, ours._destroyed, ours._idleTimeout, ours._onTimeout)
      ours.refresh()
    `)
  })
})

describe.each(ENTRIES)('%s', (entry) => {
  // The wheel keeps no record of a finished timer. Node keeps the number.
  it('has no start while it is not pending', async () => {
    const outcome = await run(`
      import { setTimeout, clearTimeout } from '${entry}'
      const t = setTimeout(() => {
        console.log(t._idleStart, t.refresh()._idleStart > 0)
        clearTimeout(t)
        t._idleStart = 5
        console.log(t._idleStart)
      }, 1)
    `)
    expect(outcome).toMatchObject({ code: 0, stderr: '', lines: ['null true', 'null'] })
  })
})
