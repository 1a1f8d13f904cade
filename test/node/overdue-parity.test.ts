/** A timer that is overdue when its phase of the event loop begins runs before the immediates of that turn, as natively. */
import { describe } from '@jest/globals'
import { fineClock, virtualClock } from '../differential/clock.js'
import { ENTRIES } from './backends.js'
import { eachLikeNative, eachLikeNativeInCommonJs, eachLikeNativeInOne } from './like-native.js'
import { printsWith } from './prints.js'

/** Work that makes a timer of 1 ms overdue, and then an immediate. */
const BUSY = `
  busyWait(3)
  setImmediate(() => { log('immediate'); setImmediate(log, 'immediate of the immediate') })`
const OVERDUE = `setTimeout(log, 1, 'timer'); ${BUSY}`

describe('an overdue timer runs in its turn if it is set in', () => {
  eachLikeNativeInOne(
    `
    # an immediate, beside a later timer
    setTimeout(log, 60, 'later'); setImmediate(() => {${OVERDUE}})
    # an immediate without a reference
    setImmediate(() => {${OVERDUE}}).unref(); setImmediate(() => {})
    # an immediate, and has no reference
    setImmediate(() => { log('set'); setTimeout(log, 1, 'timer').unref(); busyWait(3) })
    # a callback of I/O, and has no reference
    onMessage(() => { log('set'); setTimeout(log, 1, 'timer').unref(); busyWait(3) })
    # immediates of immediates
    let runs = 0
    const next = () => {
      const n = ++runs
      if (n > 4) return
      setTimeout(log, 1, 'timer', n)
      busyWait(2)
      setImmediate(() => { log('immediate', n); next() })
    }
    setImmediate(next)
    # the first of two immediates, and the work is in the second
    setImmediate(() => { setTimeout(log, 1, 'timer'); setImmediate(log, 'immediate') }); setImmediate(() => busyWait(3))
    # a callback of I/O
    stat('.', () => {${OVERDUE}})
    # a callback of I/O, beside a later timer
    setTimeout(log, 60, 'later'); onMessage(() => {${OVERDUE}})
    # a callback of I/O that sets a timer of Node after its work
    setTimeout(log, 60, 'later')
    onMessage(() => {
      setTimeout(log, 1, 'timer')
      busyWait(3)
      globalThis.setTimeout(() => {}, 20)
      ${BUSY}
    })
    # the callback of a handle that closes
    const server = createServer().listen(0, () => server.close(() => {${OVERDUE}}))
    # an immediate that also fails to connect
    setImmediate(() => { connect(1, '127.0.0.1').on('error', ({ code }) => log(code)); ${OVERDUE} })
    # a timer, beside a later timer
    setTimeout(log, 60, 'later'); setTimeout(() => {${OVERDUE}}, 5)
    # a microtask of an immediate of a timer
    setTimeout(() => setImmediate(() => queueMicrotask(() => {${OVERDUE}})), 5)
    # beforeExit, beside a timer without a reference
    setTimeout(log, 60_000, 'late').unref(); process.once('beforeExit', () => {${OVERDUE}})`,
    `
    import { stat } from 'node:fs'
    import { connect, createServer } from 'node:net'
    // Time does not pass before a message arrives, as it does while a thread reads a file.
    const onMessage = (callback) => {
      const { port1, port2 } = new MessageChannel()
      port1.once('message', () => { port1.close(); callback() })
      port2.postMessage('')
    }`,
  )

  eachLikeNativeInCommonJs(`
    # the main program
    ${OVERDUE}
    # the first immediate
    setImmediate(() => {${OVERDUE}})
    # an immediate that async hooks follow
    require('node:async_hooks').createHook({ init() {}, after() {} }).enable()
    setImmediate(() => {${OVERDUE}})
    # no async resource of the package: a hook that its callback enables sees two ends of calls
    const { createHook } = require('node:async_hooks')
    const promise = new Promise((resolve) => {
      setTimeout(() => {
        createHook({ before: () => log('before'), after: () => log('after'), destroy: () => log('destroy') }).enable()
        resolve()
      }, 0)
    })
    promise.then(() => log('then'))
    busyWait(3)
    # the main program, without a reference
    log('set'); setTimeout(log, 1, 'timer').unref(); busyWait(3)`)

  // A worker has the real clock.
  eachLikeNative(`
    # a worker
    import { Worker } from 'node:worker_threads'
    const worker = new Worker(\`
      const { setTimeout } = require('\${entry}')
      const { parentPort } = require('node:worker_threads')
      const overdue = () => {
        setTimeout(() => parentPort.postMessage('timer'), 1)
        for (const end = performance.now() + 20; performance.now() < end;);
        setImmediate(() => parentPort.postMessage('immediate'))
      }
      overdue()
      setImmediate(() => setImmediate(overdue))\`, { eval: true })
    worker.on('message', log)`)
})

describe('an interval', () => {
  eachLikeNative(`
    # of 2 ms runs at the times of Node's, however long its callback takes
    for (const busy of [0, 1, 2, 3, 7]) await new Promise((resolve) => {
      const start = performance.now()
      let n = 0
      const interval = setInterval(() => {
        log('at', performance.now() - start)
        if (busy > 0) busyWait(busy)
        if (++n === 4) clearInterval(interval)
      }, 2)
      setTimeout(() => log('another', performance.now() - start), 9)
      setTimeout(resolve, 100)
    })`)
})

const printsFine = printsWith([], fineClock())
for (const entry of ENTRIES)
  printsFine(`
    # runs in the last tick of its delay if it is overdue, and no timer runs early: ${entry} -> 16794 0 0
    import { setTimeout, TimerWheel } from '${entry}'
    const wheel = new TimerWheel()
    let [runs, early, late] = [0, 0, 0]; const schedule = (run, delay) => wheel.schedule(run, delay)
    const set = (setter, delay, due = performance.now() + delay) =>
      setter(() => { runs++; if (performance.now() < due) early++ }, delay)
    const busyWait = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); }
    for (let i = 0; i < 600; i++) for (const setter of [setTimeout, schedule]) await new Promise((resolve) => setImmediate(() => {
      busyWait((i % 20) / 20); if (i % 3 === 0) set(schedule, 1.7)
      setImmediate(() => {
        const [before, work, alone] = [runs, 0.7 + (i % 7) / 5, i % 4 !== 1 && i % 5 !== 4]
        if (i % 4 === 1) { set(setter, 2); busyWait((i % 11) / 10) }
        // Another flush, after that of the timer.
        if (i % 9 === 0) queueMicrotask(() => queueMicrotask(() => set(setter, 3)))
        for (let n = i % 5 === 4 ? 60 : 1; n > 0; n--) set(setter, 1)
        setImmediate(() => {
          if (setter === setTimeout && work > 1 && alone && runs === before) late++
          if (i % 2) set(schedule, 0.25); globalThis.setTimeout(resolve, 5)
        })
        busyWait(work)
      })
    }))
    console.log(runs, early, late)`)

// Node's timers do not.
const prints = printsWith([], virtualClock())
for (const entry of ENTRIES)
  prints(`
    # lets I/O have its turn, however long timers and microtasks work: ${entry} -> 5
    import { promises } from '${entry}'
    import { stat } from 'node:fs'
    let turns = 0
    const end = performance.now() + 2000
    const poll = () => { if (++turns < 5) stat('.', poll) }
    stat('.', poll)
    const work = async () => {
      while (turns < 5 && performance.now() < end) {
        await promises.setTimeout(1)
        for (const until = performance.now() + 2; performance.now() < until;);
      }
    }
    await Promise.all([work(), work()])
    console.log(turns)`)
