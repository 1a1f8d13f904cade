/** A process lives exactly as long on our timers as on Node's. */
import { describe, it } from '@jest/globals'
import { expectLikeNative, likeNative } from './like-native.js'

const PROGRAMS: [string, string][] = [
  [
    'timers without a reference',
    `setTimeout(log, 5, 'early').unref(); setTimeout(log, 60, 'end'); setTimeout(log, 60_000, 'late').unref()`,
  ],
  [
    'an interval that is unreferenced in its callback',
    `let n = 0; const i = setInterval(() => { log(++n); if (n === 3) i.unref() }, 2)`,
  ],
  [
    'a timer that is unreferenced in its callback and refreshed',
    `
    let n = 0
    const t = setTimeout(() => { log('runs', ++n); t.unref().refresh() }, 60)
    setTimeout(log, 140, 'end')
    const u = setTimeout(() => { log('once'); u.unref().refresh() }, 100)`,
  ],
  [
    'a timer that is referenced again in its callback',
    `const t = setTimeout(() => { t.ref(); log('ran'); if (!t.again) { t.again = true; t.refresh() } }, 2).unref(); setTimeout(log, 50, 'other')`,
  ],
  [
    'timers without a reference that are refreshed',
    `
    const t = setTimeout(log, 300, 'late').unref()
    setTimeout(() => { t.refresh(); log('refreshed') }, 20)`,
  ],
  [
    'timers that are unreferenced after they have run, and set again',
    `
    const t = setTimeout(() => log('ran'), 2)
    setTimeout(() => { t.unref(); t.refresh(); log('set again') }, 50)`,
  ],
  [
    'timers set again in beforeExit',
    `let n = 0; const t = setTimeout(() => log('ran'), 2); process.on('beforeExit', () => { log('beforeExit', ++n); if (n < 4) t.refresh() })`,
  ],
  [
    'timers set in beforeExit and unreferenced',
    `let n = 0; process.on('beforeExit', () => { log('beforeExit', ++n); if (n < 3) setTimeout(log, 1, 'ran'); else setTimeout(log, 1, 'late').unref() }); log('start')`,
  ],
  [
    'many timers set and cleared in beforeExit, and after it',
    `
    const setAndClear = (n) => { while (n-- > 0) clearTimeout(setTimeout(log, 60_000, 'late')) }
    process.on('beforeExit', async () => {
      log('beforeExit')
      setAndClear(100)
      await null
      setAndClear(100)
      process.nextTick(setAndClear, 100)
      for (let i = 0; i < 100; i++) { await null; setAndClear(1) }
    })`,
  ],
  [
    'timers set and cleared in beforeExit beside work of a later turn',
    `
    let n = 0
    process.on('beforeExit', () => {
      log('beforeExit', ++n)
      if (n < 4) setImmediate(log, 'turn')
      for (let i = 0; i < 40; i++) clearTimeout(setTimeout(log, 60_000, 'late'))
    })`,
  ],
  [
    'timers set and cleared in beforeExit around work that is cancelled',
    `
    const setAndClear = () => clearTimeout(setTimeout(log, 60_000, 'late'))
    process.on('beforeExit', () => {
      log('beforeExit')
      const immediate = setImmediate(log, 'never')
      setAndClear()
      clearImmediate(immediate)
      setAndClear()
    })`,
  ],
  [
    'timers set and cleared in beforeExit around an unreferenced timer of Node',
    `
    const setAndClear = () => clearTimeout(setTimeout(log, 60_000, 'late'))
    process.on('beforeExit', () => {
      log('beforeExit')
      const native = globalThis.setTimeout(log, 60_000, 'never')
      setAndClear()
      native.unref()
      setAndClear()
    })`,
  ],
  [
    'a timer without a reference, due beside one whose callback takes long',
    `setTimeout(() => { busyWait(6); log('busy') }, 10); setTimeout(log, 10, 'ran').unref()`,
  ],
  [
    'timers without references that take several turns to run',
    `
    setTimeout(log, 10, 'first')
    for (let i = 0; i < 10; i++) setTimeout(() => { busyWait(3); log(i) }, 10).unref()`,
  ],
  [
    'timers that are unreferenced while earlier ones of their millisecond run',
    `
    const timers = []
    for (let i = 0; i < 10; i++) timers.push(setTimeout(() => { busyWait(3); for (const t of timers) t.unref(); log(i) }, 10))`,
  ],
  [
    'an interval whose callback takes longer than its delay, until it is unreferenced',
    `
    let n = 0
    const interval = setInterval(() => { busyWait(4); log(++n); if (n === 3) interval.unref() }, 3)`,
  ],
  [
    'a timer cleared by another',
    `const t = setTimeout(log, 60_000, 'late'); setTimeout(() => { clearTimeout(t); log('cleared') }, 5)`,
  ],
  [
    'a timer set without a callback to come',
    `const t = setTimeout(log, 50, 'never'); t._onTimeout = null; process.on('exit', () => log('exit'))`,
  ],
  [
    'an exit in a callback',
    `process.on('exit', (code) => log('exit', code)); setTimeout(() => process.exit(3), 2); setTimeout(log, 2, 'never')`,
  ],
  ['process.exitCode', `setTimeout(() => { process.exitCode = 4; log('ran') }, 2)`],
  [
    'top-level await',
    `await new Promise((resolve) => setTimeout(resolve, 5)); log('resumed'); setTimeout(log, 2, 'end')`,
  ],
  [
    'top-level await of an unreferenced timer',
    `process.on('exit', (code) => log('exit', code)); await new Promise((resolve) => setTimeout(resolve, 60_000).unref())`,
  ],
]

/** A program needs a process of its own if it sees the end of the process, or leaves an interval that runs on. */
const needsProcess = ([, body]: [string, string]): boolean => /process\.|await|setInterval/.test(body)

describe('a process', () => {
  it.each(PROGRAMS.filter(needsProcess))('ends as on timers of Node with %s', async (_name, body) => {
    await expectLikeNative(body)
  })

  const others = PROGRAMS.filter((program) => !needsProcess(program))
  const expectSame = likeNative(others.map(([, body]) => body))

  it.each(others)('ends as on timers of Node with %s', async (_name, body) => {
    await expectSame(body)
  })

  it('ends its workers as on timers of Node', async () => {
    await expectLikeNative(`
      import { Worker } from 'node:worker_threads'
      const bodies = [
        "setTimeout(() => parentPort.postMessage('ran'), 20)",
        "setTimeout(() => parentPort.postMessage('late'), 60_000).unref()",
        "let n = 0; const i = setInterval(() => { parentPort.postMessage(++n); if (n === 3) i.unref() }, 5)",
        "const t = setTimeout(() => {}, 2); process.once('beforeExit', () => { t.refresh(); parentPort.postMessage('beforeExit') })",
        "setInterval(() => {}, 1); setTimeout(() => process.exit(5), 20)",
      ]
      for (const body of bodies) {
        const source = "const { parentPort } = require('node:worker_threads'); const { setTimeout, setInterval } = require('" + entry + "');"
        const worker = new Worker(source + body, { eval: true, execArgv: [] })
        worker.on('message', (message) => log(message))
        worker.on('error', (error) => log('error', error.message))
        await new Promise((resolve) => worker.on('exit', (code) => { log('exit', code); resolve() }))
      }
      const source = "require('" + entry + "').setInterval(() => require('node:worker_threads').parentPort.postMessage('runs'), 5)"
      const terminated = new Worker(source, { eval: true, execArgv: [] })
      terminated.once('message', () => terminated.terminate().then((code) => log('terminated', code)))
    `)
  })
})
