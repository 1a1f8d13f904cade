/** A process lives exactly as long on our timers as on Node's. test/differential compares other programs. */
import { eachLikeNative } from './like-native.js'

describe('a process ends as on timers of Node with', () => {
  eachLikeNative(
    `
    # an interval whose callback takes longer than its delay, until it is unreferenced
    let n = 0
    const interval = setInterval(() => { busyWait(4); log(++n); if (n === 3) interval.unref() }, 3)
    # many timers set and cleared in beforeExit, and after it
    process.on('beforeExit', async () => {
      log('beforeExit')
      process.exitCode = 4
      setAndClear(100)
      await null
      setAndClear(100)
      process.nextTick(setAndClear, 100)
      for (let i = 0; i < 100; i++) { await null; setAndClear() }
    })
    # timers set and cleared in beforeExit beside work of a later turn
    let n = 0
    process.on('beforeExit', () => {
      log('beforeExit', ++n)
      if (n < 4) setImmediate(log, 'turn')
      setAndClear(40)
    })
    # timers that were cleared when a slice had left them, and others that are set and cleared in beforeExit
    let b, c, n = 0
    setTimeout(() => { busyWait(20); queueMicrotask(() => { clearTimeout(b); clearTimeout(c) }) }, 1)
    b = setTimeout(log, 1, 'b'); c = setTimeout(log, 1, 'c'); busyWait(5)
    process.on('beforeExit', () => { log('beforeExit', ++n); setAndClear(); if (n > 9) process.exit() })
    # an exit in a callback
    process.on('exit', (code) => log('exit', code)); setTimeout(() => process.exit(3), 2); setTimeout(log, 2, 'never')
    # top-level await of an unreferenced timer
    process.on('exit', (code) => log('exit', code)); await new Promise((resolve) => setTimeout(resolve, 60_000).unref())
    # workers, also by an error
    import { Worker } from 'node:worker_threads'
    const fail = "setTimeout(() => { throw new Error('thrown') }, 2); setTimeout(() => post('next'), 30);"
    const bodies = [
      "setTimeout(() => post('ran'), 20)",
      "setTimeout(() => post('late'), 60_000).unref()",
      "let n = 0; const i = setInterval(() => { post(++n); if (n === 3) i.unref() }, 5)",
      "const t = setTimeout(() => {}, 2); process.once('beforeExit', () => { t.refresh(); post('beforeExit') })",
      "setInterval(() => {}, 1); setTimeout(() => process.exit(5), 20)",
      fail,
      fail + "process.on('uncaughtException', (error) => post('caught ' + error.message))",
      fail + "process.on('uncaughtException', () => { throw new Error('by the handler') })",
      "setInterval(() => post('terminate'), 5)",
    ]
    const prelude = "const { setTimeout, setInterval } = require('" + entry + "'); const { parentPort } = require('node:worker_threads');"
      + "const post = (message) => parentPort.postMessage(message);"
    for (const body of bodies) await new Promise((resolve) => {
      const worker = new Worker(prelude + body, { eval: true, execArgv: [] })
      worker.on('message', (message) => { if (message === 'terminate') worker.terminate(); else log(message) })
      worker.on('error', (error) => log('error', error.message))
      worker.on('exit', (code) => { log('exit', code); resolve() })
    })`,
    "const setAndClear = (n = 1) => { while (n-- > 0) clearTimeout(setTimeout(log, 60_000, 'late')) };",
  )
})
