/** The addon ends with its environment, whatever ends it, and leaves no memory and no descriptor behind. */
import { CLEAN } from './backends.js'
import { runShell } from './child.js'
import { printsInOneProcess } from './prints.js'

const inOneProcess = printsInOneProcess({
  prelude: `
    import { once } from 'node:events'
    import { readdirSync } from 'node:fs'
    import { performance } from 'node:perf_hooks'
    import { setTimeout as sleep } from 'node:timers/promises'
    import { Worker } from 'node:worker_threads'
    import { setTimeout, TimerWheel } from 'timeout-wheel/native'
    const descriptors = () => process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0
    /** Runs a module in a worker, and ends it after its first message. Returns its exit code. */
    async function terminate(code) {
      const worker = new Worker("import { parentPort } from 'node:worker_threads'\\n" + code, { eval: true })
      await once(worker, 'message')
      worker.on('message', console.log)
      return worker.terminate()
    }`,
  flags: ['--expose-gc'],
})

inOneProcess(`
  # sleeps until the next deadline -> true
  const turns = () => performance.nodeTiming.uvMetricsInfo?.loopCount ?? 0
  const before = turns()
  setTimeout(() => console.log(turns() - before < 10), 300)
  # leaves no descriptor behind when a worker ends -> 0
  const use = () => terminate(\`
    import { setTimeout } from 'timeout-wheel/native'
    setTimeout(() => setTimeout(() => parentPort.postMessage('ran'), 2), 2)
    setTimeout(() => {}, 60_000)
  \`)
  await use()
  const before = descriptors()
  for (let i = 0; i < 5; i++) await use()
  console.log(descriptors() - before)
  # stops and makes wheels from inside callbacks -> made 9
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
  # frees a wheel without pending timers, and keeps one with them -> cleared,fired,stopped,unused
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
  console.log(collected.sort().join())`)

const onLinux = process.platform === 'linux' ? it : it.skip

onLinux('fires timers where no descriptor is left', async () => {
  const script = `
    import { openSync } from 'node:fs'
    import { backend, setTimeout } from 'timeout-wheel/native'
    let code
    while (code === undefined) try { openSync('/dev/null') } catch (error) { code = error.code }
    setTimeout(() => setTimeout(() => process.stdout.write(code + ' ' + backend), 5), 5)`
  const node = [process.execPath, '--input-type=module', '--eval', script]
  const outcome = await runShell('ulimit -n 64 && exec "$0" "$@"', node)
  expect(outcome).toEqual({ ...CLEAN, lines: ['EMFILE native'] })
})
