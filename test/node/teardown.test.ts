/**
 * The addon lives and ends with its environment: it keeps a process alive as documented, and survives every way to end
 * one.
 */

import { expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock'
import { scaled } from '../scale.js'
import { type Outcome, run, runWithDescriptors } from './child'

/** A virtual clock, so that timers of several kinds run in the order of their times on any machine. */
const runInVirtualTime = (script: string): Promise<Outcome> => run(script, [], virtualClock())

const clean = { code: 0, signal: null, stderr: '' }

it('keeps the process alive until the last timer has run', async () => {
  const outcome = await run(`
    import { setTimeout } from 'timeout-wheel/native'
    setTimeout(() => setTimeout(() => console.log('second'), 20), 20)
  `)
  expect(outcome).toEqual({ ...clean, lines: ['second'] })
})

it('lets the process end while only unreferenced timers are pending', async () => {
  const outcome = await run(`
    import { setTimeout } from 'timeout-wheel/native'
    setTimeout(() => console.log('unreferenced'), 60_000).unref()
    setTimeout(() => console.log('referenced'), 10)
  `)
  expect(outcome).toEqual({ ...clean, lines: ['referenced'] })
})

it('runs an unreferenced timer while other work keeps the process alive', async () => {
  const outcome = await runInVirtualTime(`
    import { setTimeout } from 'timeout-wheel/native'
    setTimeout(() => console.log('unreferenced'), 10).unref()
    globalThis.setTimeout(() => {}, 100)
  `)
  expect(outcome).toEqual({ ...clean, lines: ['unreferenced'] })
})

it('lets the process end when the last timer is cleared or unreferenced', async () => {
  const outcome = await runInVirtualTime(`
    import { clearTimeout, setTimeout, TimerWheel } from 'timeout-wheel/native'
    clearTimeout(setTimeout(() => console.log('cleared at once'), 60_000))
    const cleared = setTimeout(() => console.log('cleared'), 60_000)
    const unreferenced = setTimeout(() => console.log('unreferenced'), 60_000)
    const wheel = new TimerWheel()
    wheel.schedule(() => console.log('stopped'), 60_000)
    setTimeout(() => { clearTimeout(cleared); unreferenced.unref(); wheel.stop() }, 10)
  `)
  expect(outcome).toEqual({ ...clean, lines: [] })
})

it('keeps the process alive again after a timer is referenced again', async () => {
  const outcome = await run(`
    import { setTimeout } from 'timeout-wheel/native'
    const timeout = setTimeout(() => console.log('fired'), 60).unref()
    setTimeout(() => timeout.ref(), 10)
  `)
  expect(outcome).toEqual({ ...clean, lines: ['fired'] })
})

it('runs timers that are set after the event loop became empty', async () => {
  const outcome = await run(`
    import { setTimeout } from 'timeout-wheel/native'
    process.once('beforeExit', () => setTimeout(() => console.log('fired'), 10))
  `)
  expect(outcome).toEqual({ ...clean, lines: ['fired'] })
})

it('sleeps until the next deadline', async () => {
  const outcome = await run(`
    import { performance } from 'node:perf_hooks'
    import { setTimeout } from 'timeout-wheel/native'
    const turns = () => performance.nodeTiming.uvMetricsInfo?.loopCount ?? 0
    const before = turns()
    setTimeout(() => console.log(turns() - before < 10), 500)
  `)
  expect(outcome).toEqual({ ...clean, lines: ['true'] })
})

it('lets other work run between the slices of a burst', async () => {
  const outcome = await run(`
    import { setImmediate } from 'node:timers/promises'
    import { TimerWheel } from 'timeout-wheel/native'
    const wheel = new TimerWheel({ budget: 1 })
    let fired = 0
    for (let i = 0; i < 20_000; i++) {
      wheel.schedule(() => { fired++; for (const end = performance.now() + 0.01; performance.now() < end;); }, 1)
    }
    let turns = 0
    while (wheel.pending > 0) { await setImmediate(); turns++ }
    console.log(fired, turns > 50)
  `)
  expect(outcome).toEqual({ ...clean, lines: ['20000 true'] })
})

it('passes errors of callbacks to uncaughtException and runs the others', async () => {
  const outcome = await run(`
    import { setTimeout } from 'timeout-wheel/native'
    process.on('uncaughtException', (error) => console.log('caught', error.message))
    for (let i = 0; i < 3; i++) {
      setTimeout(() => { throw new Error(String(i)) }, 10)
      setTimeout(() => console.log('ran', i), 10)
    }
  `)
  expect(outcome).toEqual({
    ...clean,
    lines: ['caught 0', 'ran 0', 'caught 1', 'ran 1', 'caught 2', 'ran 2'],
  })
})

it('ends the process after an uncaught exception', async () => {
  const outcome = await run(`
    import { setTimeout } from 'timeout-wheel/native'
    setTimeout(() => { throw new Error('nobody catches this') }, 10)
    setTimeout(() => console.log('ran'), 10)
  `)
  expect(outcome).toMatchObject({ code: 1, signal: null, lines: [] })
  expect(outcome.stderr).toContain('nobody catches this')
})

it('passes on thrown values that are not errors', async () => {
  const outcome = await run(`
    import { setTimeout } from 'timeout-wheel/native'
    process.on('uncaughtException', (value) => console.log(value))
    for (const value of [undefined, null, 'text']) setTimeout(() => { throw value }, 10)
    setTimeout(() => console.log('ran'), 10)
  `)
  expect(outcome).toEqual({ ...clean, lines: ['undefined', 'null', 'text', 'ran'] })
})

it('ends the process from inside a callback', async () => {
  const outcome = await run(`
    import { setTimeout, TimerWheel } from 'timeout-wheel/native'
    const wheel = new TimerWheel()
    for (let i = 0; i < 10_000; i++) wheel.schedule(() => {}, 1 + i)
    setTimeout(() => process.exit(7), 10)
    setTimeout(() => console.log('ran'), 10)
  `)
  expect(outcome).toEqual({ code: 7, signal: null, stderr: '', lines: [] })
})

it('survives workers that are terminated with timers pending and due', async () => {
  const outcome = await run(`
    import { once } from 'node:events'
    import { Worker } from 'node:worker_threads'
    import { setTimeout } from 'timeout-wheel/native'
    const code = \`
      import { parentPort } from 'node:worker_threads'
      import { setTimeout, setInterval, TimerWheel } from 'timeout-wheel/native'
      const wheels = Array.from({ length: 5 }, () => new TimerWheel())
      for (const wheel of wheels) for (let i = 0; i < 5_000; i++) wheel.schedule(() => {}, i / 100)
      setTimeout(() => {}, 60_000)
      setInterval(() => parentPort.postMessage('busy'), 1)
    \`
    for (let round = 0; round < ${scaled(3, 10)}; round++) {
      const workers = [0, 1].map(() => new Worker(code, { eval: true }))
      await Promise.all(workers.map((worker) => once(worker, 'message')))
      await Promise.all(workers.map((worker) => worker.terminate()))
    }
    setTimeout(() => console.log('fired'), 10)
  `)
  expect(outcome).toEqual({ ...clean, lines: ['fired'] })
})

it.each([
  ['the addon', `import { setTimeout } from 'timeout-wheel/native'`],
  ['WebAssembly', `import { setTimeout } from 'timeout-wheel/wasm'`],
  ['the timers that register has replaced', `import 'timeout-wheel/register'`],
])('survives workers that are terminated inside a callback: %s', async (_which, first) => {
  const outcome = await run(`
    import { once } from 'node:events'
    import { Worker } from 'node:worker_threads'
    const code = \`
      import { parentPort } from 'node:worker_threads'
      ${first}
      setTimeout(() => { parentPort.postMessage('spinning'); for (;;); }, 5)
      setTimeout(() => parentPort.postMessage('ran'), 5)
    \`
    for (let round = 0; round < 5; round++) {
      const worker = new Worker(code, { eval: true })
      await once(worker, 'message')
      worker.on('message', console.log)
      console.log(await worker.terminate())
    }
  `)
  expect(outcome).toEqual({ ...clean, lines: ['1', '1', '1', '1', '1'] })
})

it('survives workers that end by themselves, by process.exit and by an exception', async () => {
  const outcome = await run(`
    import { once } from 'node:events'
    import { Worker } from 'node:worker_threads'
    const end = async (body) => {
      const code = "import { setTimeout } from 'timeout-wheel/native';" + body
      const worker = new Worker(code, { eval: true })
      worker.on('error', (error) => console.log(error.message))
      await new Promise((resolve) => worker.on('exit', (exitCode) => resolve(console.log(exitCode))))
    }
    await end("setTimeout(() => {}, 10)")
    await end("setTimeout(() => process.exit(7), 10); setTimeout(() => {}, 60_000)")
    await end("setTimeout(() => { throw new Error('thrown') }, 10); setTimeout(() => {}, 60_000)")
  `)
  expect(outcome).toMatchObject({ code: 0, stderr: '' })
  expect(outcome.lines).toEqual(['0', '7', 'thrown', '1'])
})

it('loads twice: as a second copy, and the same file again', async () => {
  const outcome = await runInVirtualTime(`
    import { cpSync, mkdtempSync, rmSync } from 'node:fs'
    import { createRequire } from 'node:module'
    import { tmpdir } from 'node:os'
    import { join } from 'node:path'
    const folder = mkdtempSync(join(tmpdir(), 'timeout-wheel-'))
    try {
      for (const part of ['dist', 'prebuilds', 'package.json']) cpSync(part, join(folder, part), { recursive: true })
      const require = createRequire(join(process.cwd(), 'package.json'))
      const first = require('timeout-wheel/native')
      const copy = require(join(folder, 'dist/native.cjs'))
      for (const name of Object.keys(require.cache)) delete require.cache[name]
      const again = require('timeout-wheel/native')
      console.log(new Set([first, copy, again]).size)
      first.setTimeout(() => console.log('first'), 10)
      copy.setTimeout(() => console.log('copy'), 30)
      again.setTimeout(() => console.log('again'), 50)
    } finally {
      rmSync(folder, { recursive: true })
    }
  `)
  expect(outcome).toEqual({ ...clean, lines: ['3', 'first', 'copy', 'again'] })
})

it('stops and makes wheels from inside callbacks', async () => {
  const outcome = await run(
    `
    import { TimerWheel } from 'timeout-wheel/native'
    const wheels = Array.from({ length: 10 }, () => new TimerWheel())
    let left = 0
    for (const wheel of wheels) {
      wheel.schedule(() => {
        for (const other of wheels) left += other.stop().length
        wheels.length = 0
        gc()
        new TimerWheel().schedule(() => { gc(); console.log('made', left) }, 5)
      }, 10)
    }
  `,
    ['--expose-gc'],
  )
  expect(outcome).toEqual({ ...clean, lines: ['made 9'] })
})

it('frees a wheel without pending timers, and keeps one with them', async () => {
  const outcome = await run(
    `
    import { setTimeout as sleep } from 'node:timers/promises'
    import { TimerWheel } from 'timeout-wheel/native'
    const collected = []
    const registry = new FinalizationRegistry((name) => collected.push(name))
    const make = (name, use) => {
      const wheel = new TimerWheel()
      registry.register(wheel, name)
      // The callback refers to its wheel: a cycle through the addon.
      use(wheel, () => wheel.pending)
    }
    make('unused', () => {})
    make('cleared', (wheel, callback) => wheel.clearTimeout(wheel.setTimeout(callback, 60_000)))
    make('fired', (wheel, callback) => wheel.setTimeout(callback, 1))
    make('stopped', (wheel, callback) => { wheel.setTimeout(callback, 60_000); wheel.stop() })
    make('pending', (wheel, callback) => wheel.setTimeout(callback, 60_000).unref())
    for (let i = 0; i < 5; i++) { await sleep(20); gc() }
    console.log(collected.sort().join())
  `,
    ['--expose-gc'],
  )
  expect(outcome).toEqual({ ...clean, lines: ['cleared,fired,stopped,unused'] })
})

it('releases the memory of unused wheels', async () => {
  const outcome = await run(
    `
    import { setImmediate } from 'node:timers/promises'
    import { TimerWheel } from 'timeout-wheel/native'
    const use = async (count) => {
      for (let i = 0; i < count; i++) {
        const wheel = new TimerWheel()
        wheel.cancel(wheel.schedule(() => wheel, 60_000))
        if (i % 50 === 0) { await setImmediate(); gc() }
      }
    }
    await use(200)
    const before = process.memoryUsage.rss()
    await use(2_000)
    console.log((process.memoryUsage.rss() - before) / 2_000 < 50_000)
  `,
    ['--expose-gc', '--no-warnings'],
  )
  expect(outcome).toEqual({ ...clean, lines: ['true'] })
})

it('grows by copying if memory cannot be reserved', async () => {
  const outcome = await run(
    `
    import { TimerWheel } from 'timeout-wheel/native'
    console.log(typeof WebAssembly)
    const wheel = new TimerWheel()
    let fired = 0
    for (let i = 0; i < 50_000; i++) wheel.schedule(() => fired++, i % 100)
    process.on('exit', () => console.log(fired, wheel.pending))
  `,
    ['--jitless'],
  )
  expect(outcome).toMatchObject({ code: 0, signal: null, lines: ['undefined', '50000 0'] })
})

const onLinux = process.platform === 'linux' ? it : it.skip

onLinux('leaves no descriptor behind when a worker ends', async () => {
  const outcome = await run(`
    import { readdirSync } from 'node:fs'
    import { once } from 'node:events'
    import { Worker } from 'node:worker_threads'
    const use = async () => {
      const worker = new Worker(\`
        import { parentPort } from 'node:worker_threads'
        import { setTimeout } from 'timeout-wheel/native'
        setTimeout(() => setTimeout(() => parentPort.postMessage('ran'), 2), 2)
        setTimeout(() => {}, 60_000)
      \`, { eval: true })
      await once(worker, 'message')
      await worker.terminate()
    }
    await use()
    const before = readdirSync('/proc/self/fd').length
    for (let i = 0; i < 5; i++) await use()
    console.log(readdirSync('/proc/self/fd').length - before)
  `)
  expect(outcome).toEqual({ ...clean, lines: ['0'] })
})

onLinux('fires timers where no descriptor is left', async () => {
  const outcome = await runWithDescriptors(
    64,
    `
    import { openSync } from 'node:fs'
    import { backend, setTimeout } from 'timeout-wheel/native'
    let code
    while (code === undefined) try { openSync('/dev/null') } catch (error) { code = error.code }
    setTimeout(() => setTimeout(() => process.stdout.write(code + ' ' + backend), 5), 5)
  `,
  )
  expect(outcome).toEqual({ ...clean, lines: ['EMFILE native'] })
})
