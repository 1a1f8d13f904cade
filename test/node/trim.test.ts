/** A wheel returns memory to the system: at once by trim(), and later by itself. */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { scaled } from '../scale.js'
import { ENTRIES } from './backends.js'
import { run } from './child.js'
import { printsInOneProcess, printsWith } from './prints.js'

/** The sizes of the tests, and the memory in their limits, are this part of the large ones. */
const PART = scaled(0.25, 1)

/**
 * Defines functions for all programs. `megabytes` measures the process without the JavaScript heap, of which the engine keeps parts in
 * reserve. `ofWheels` measures the memory that wheels share with the core: V8 reserves 8 GB after it. `fallsTo` waits until that memory
 * has fallen, because the engine frees it in another thread. No virtual time passes meanwhile.
 */
const preludeOf = (entry: string): string => `
  import { readdirSync, readFileSync } from 'node:fs'
  import { createHook } from 'node:async_hooks'
  import { clearTimeout, setTimeout, TimerWheel } from '${entry}'
  const wheels = []
  const open = (options) => wheels[wheels.push(new TimerWheel(options)) - 1]
  const later = (ms) => new Promise((resolve) => globalThis.setTimeout(resolve, ms))
  async function collected() { for (let i = 0; i < 3; i++) { gc(); await new Promise((resolve) => setImmediate(resolve)) } }
  async function megabytes() {
    await collected()
    const { rss, heapTotal } = process.memoryUsage()
    return (rss - heapTotal) / 2 ** 20
  }
  async function ofWheels() {
    await collected()
    const mappings = readFileSync('/proc/self/smaps', 'utf8').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)
    const all = mappings.map((text) => {
      const [, begin, end, access] = /^([0-9a-f]+)-([0-9a-f]+) (....)/.exec(text)
      const size = parseInt(end, 16) - parseInt(begin, 16)
      return { begin, end, access, size, taken: Number(/^Rss: *([0-9]+) kB/m.exec(text)[1]) / 1024 }
    })
    const isOfWheel = (mapping, next) =>
      mapping.access.startsWith('rw') && next?.access.startsWith('---') && next.begin === mapping.end && next.size > 2 ** 32
    return all.reduce((sum, mapping, i) => sum + (isOfWheel(mapping, all[i + 1]) ? mapping.taken : 0), 0)
  }
  async function fallsTo(megabytes) { while ((await ofWheels()) > megabytes); }
  function use(wheel, count) {
    for (const id of Array.from({ length: count * ${PART} }, () => wheel.schedule(Object, 3_600_000))) wheel.cancel(id)
  }`

describe.each(ENTRIES)('%s', (entry) => {
  const inOne = printsInOneProcess({
    prelude: preludeOf(entry),
    // The engine frees the memory of the wheels of the former program.
    before: 'await fallsTo(2)',
    after: 'for (const wheel of wheels.splice(0)) wheel.stop()',
    flags: ['--expose-gc'],
    env: virtualClock(),
  })

  inOne(`
    # returns the memory of a wheel whose program has been collected -> 0
    const before = await ofWheels()
    const references = []
    // In a function, because the module keeps its last values while it waits.
    function useWheel() {
      const wheel = new TimerWheel()
      references.push(new WeakRef(wheel))
      for (let i = 0; i < ${200_000 * PART}; i++) wheel.schedule(Object, 5)
    }
    for (let n = 0; n < 5; n++) useWheel()
    await later(12_000)
    await fallsTo(before + ${10 * PART})
    console.log(references.filter((wheel) => wheel.deref()).length)
    # keeps no memory after many trims -> true 0
    const wheel = open({ driver: 'manual' })
    const round = () => {
      for (let i = 0; i < 6_000; i++) wheel.schedule(Object, 10)
      wheel.advance(10)
      wheel.trim()
    }
    const files = () => readdirSync('/proc/self/fd').length
    for (let i = 0; i < 50; i++) round()
    const [before, opened] = [await megabytes(), files()]
    // A round that left one block behind, of 80 KiB, would leave 9 MB in all.
    for (let i = 0; i < ${scaled(120, 1_000)}; i++) round()
    console.log((await megabytes()) - before < ${scaled(7, 15)}, files() - opened)
    # returns memory by itself ten seconds after it becomes empty, and not before -> true 2 1 0 | 2
    const [first, second] = [open(), open({ tick: 3 })]
    for (const wheel of [first, second]) {
      use(wheel, 500_000)
      wheel.trim()
    }
    const before = await ofWheels()
    for (let i = 0; i < ${500_000 * PART}; i++) first.schedule(Object, 10)
    use(second, 500_000)
    first.schedule(Object, 2_000)
    await later(2_500)
    const most = await ofWheels()
    await later(6_500)
    const held = await ofWheels()
    await later(2_000)
    await fallsTo(before + (most - before) * 0.7)
    const one = await ofWheels()
    await later(2_000)
    await fallsTo(before + (most - before) * 0.2)
    const none = await ofWheels()
    const part = (megabytes) => Math.abs(Math.round((megabytes - before) / (most - before) * 2))
    console.log(most - before > ${12 * PART}, part(held), part(one), part(none))
    let ran = 0
    for (const wheel of [first, second]) wheel.setTimeout(() => ran++, 5)
    await later(20)
    console.log(ran)
    # returns memory by trim() at once, and counts anew from each use and after trim() -> true 1 1 0
    const wheel = open()
    const before = await ofWheels()
    use(wheel, 300_000)
    const most = await ofWheels()
    const part = async () => Math.round(((await ofWheels()) - before) / (most - before))
    await later(9_000)
    use(wheel, 300_000)
    await later(9_000)
    const parts = [await part()]
    wheel.trim()
    await fallsTo(before + 1)
    use(wheel, 300_000)
    await later(9_000)
    parts.push(await part())
    await later(2_000)
    await fallsTo(before + (most - before) * 0.4)
    parts.push(await part())
    console.log(most - before > ${4 * PART}, ...parts)
    # returns memory after unreferenced timers were cleared, hidden from async hooks -> 0 | 0
    const wheel = open()
    const seen = []
    const hook = createHook({ init(id, type) { seen.push(type) } })
    for (const set of [setTimeout, (...of) => wheel.setTimeout(...of)]) {
      const handles = Array.from({ length: ${300_000 * PART} }, () => set(Object, 3_600_000).unref())
      await later(100)
      const most = await ofWheels()
      const wait = later(11_000)
      if (set === setTimeout) hook.enable()
      for (const handle of handles) clearTimeout(handle)
      await wait
      hook.disable()
      await fallsTo(most - ${4 * PART})
      console.log(seen.filter((type) => type !== 'PROMISE').length)
    }
    # keeps memory while a timer is pending -> true 0 1 | 1
    const wheel = open()
    const before = await ofWheels()
    for (let i = 0; i < ${500_000 * PART}; i++) wheel.schedule(Object, 10)
    let ran = 0
    wheel.setTimeout(() => { ran++ }, 40_000).unref()
    await later(100)
    const most = await ofWheels()
    wheel.trim()
    await later(30_000)
    console.log(((await ofWheels()) - before) / (most - before) > 0.8, ran, wheel.pending)
    await later(10_000)
    console.log(ran)`)

  const prints = printsWith([], virtualClock())
  prints(`
    # does not keep the process alive to return memory -> true | true 0 1
    import { TimerWheel } from '${entry}'
    const wheel = new TimerWheel()
    for (let i = 0; i < 20_000; i++) wheel.schedule(Object, 5)
    const start = performance.now()
    let times = 0
    process.on('beforeExit', () => { times++ })
    process.on('exit', () => console.log(performance.now() - start < 1_000, wheel.pending, times))
    globalThis.setTimeout(() => console.log(process.getActiveResourcesInfo().includes('Timeout')), 100).unref()
    await new Promise((resolve) => globalThis.setTimeout(resolve, 200))
    wheel.trim()`)
})

it('returns memory that could not be reserved and was copied as it grew', async () => {
  const outcome = await run(
    `
    ${preludeOf('timeout-wheel/native')}
    const taken = async () => { await collected(); return process.memoryUsage().arrayBuffers }
    for (const driver of ['host', 'manual']) {
      const wheel = open({ driver })
      const before = await taken()
      for (let round = 0; round < 3; round++) {
        use(wheel, ${20_000 / PART})
        const most = await taken()
        wheel.trim()
        console.log(most - before >= 3 * 2 ** 17, (await taken()) - before)
        let ran = 0
        for (let i = 0; i < 10_000; i++) wheel.setTimeout(() => ran++, 5)
        if (driver === 'manual') wheel.advance(5)
        else while (wheel.pending > 0) await later(2)
        console.log(ran)
        wheel.trim()
      }
    }
  `,
    ['--expose-gc', '--jitless'],
  )
  // Node warns that there is no WebAssembly.
  expect([outcome.code, outcome.lines]).toEqual([0, Array(6).fill(['true 0', '10000']).flat()])
})
