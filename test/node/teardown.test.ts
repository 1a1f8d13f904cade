/** The addon ends with its environment, whatever ends it, and leaves no memory and no descriptor behind. */

import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { CLEAN } from './backends.js'
import { run, runWithDescriptors } from './child.js'

it('sleeps until the next deadline', async () => {
  const outcome = await run(`
    import { performance } from 'node:perf_hooks'
    import { setTimeout } from 'timeout-wheel/native'
    const turns = () => performance.nodeTiming.uvMetricsInfo?.loopCount ?? 0
    const before = turns()
    setTimeout(() => console.log(turns() - before < 10), 500)
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: ['true'] })
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
  expect(outcome).toEqual({ ...CLEAN, lines: ['fired'] })
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
  expect(outcome).toEqual({ ...CLEAN, lines: ['1', '1', '1', '1', '1'] })
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
  expect(outcome).toEqual({ ...CLEAN, lines: ['made 9'] })
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
  expect(outcome).toEqual({ ...CLEAN, lines: ['cleared,fired,stopped,unused'] })
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
  expect(outcome).toEqual({ ...CLEAN, lines: ['true'] })
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
  expect(outcome).toEqual({ ...CLEAN, lines: ['0'] })
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
  expect(outcome).toEqual({ ...CLEAN, lines: ['EMFILE native'] })
})
