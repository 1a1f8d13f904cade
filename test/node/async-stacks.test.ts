/** The stack of an error that is thrown after a timer shows the program's callers, as with Node's timers. */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { ENTRIES } from './backends.js'
import { type Outcome, run } from './child.js'

/** The ways in which a program waits. */
const SLEEPS = {
  'a promise of its own': '(ms) => new Promise((resolve) => { timers.setTimeout(resolve, ms) })',
  'timers/promises': '(ms) => promises.setTimeout(ms)',
  'timers/promises with a signal': '(ms) => promises.setTimeout(ms, undefined, { signal })',
  'scheduler.wait': '(ms) => promises.scheduler.wait(ms)',
  'util.promisify': 'promisify(timers.setTimeout)',
  'an iterator of timers/promises':
    'async (ms) => { for await (const _ of promises.setInterval(ms)) return }',
}

const prelude = (entry: string): string => `
  import * as timers from '${entry}'
  import { promisify } from 'node:util'
  const promises = timers.promises
  const { signal } = new AbortController()
  const busyWait = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); }
  // Do not count frames of Node: Node 20 shows some that later lines do not.
  const show = (error) => {
    const frames = error.stack.split('\\n').slice(1)
    const ours = frames.filter((frame) => frame.includes('/dist/'))
    const own = frames.filter((frame) => frame.includes('[eval'))
    console.log(JSON.stringify({ ours, own }))
  }
`

interface Shown {
  /** The frames of this package. */
  ours: string[]
  /** The frames of the program. */
  own: string[]
}

/** The outcomes on Node's timers, with which every entry is compared. */
const native = new Map<string, Promise<Outcome>>()

function outcomeOn(entry: string, body: string): Promise<Outcome> {
  const runs = () => run(`${prelude(entry)}\n${body}`, [], virtualClock())
  if (entry !== 'node:timers') return runs()
  if (!native.has(body)) native.set(body, runs())
  return native.get(body)!
}

async function runOn(entry: string, body: string): Promise<Shown[]> {
  const { code, stderr, lines } = await outcomeOn(entry, body)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return lines.map((line) => JSON.parse(line) as Shown)
}

/** V8 keeps this many frames. If many timers are due, two may be ours and three are Node's; one is of `Promise.all`. */
const MOST_FRAMES = 10

/** The number of nested async functions; the innermost one waits. */
const DEPTHS = [1, 2, 3, 12]

/** Returns the text of a program. For each sleep in turn, `count` chains of async functions wait at the same time. */
function sleepers(sleeps: string[], count: number): string {
  const programs = sleeps.flatMap((sleep) => DEPTHS.map((depth) => sleepersAt(sleep, depth, count)))
  return programs.join('\n')
}

function sleepersAt(sleep: string, depth: number, count: number, busy = 6): string {
  const functions = Array.from(
    { length: depth },
    (_, i) =>
      `async function at${i}() { ${i === 0 ? "await sleep(5); throw new Error('thrown')" : `await at${i - 1}()`} }`,
  )
  return `{
    const sleep = ${sleep}
    ${functions.join('\n')}
    async function caller() { try { await at${depth - 1}() } catch (error) { show(error) } }
    const all = []
    for (let i = 0; i < ${count}; i++) all.push(caller())
    busyWait(${busy})
    await Promise.all(all)
  }`
}

describe.each(ENTRIES)('%s', (entry) => {
  it('shows as many callers as natively if one timer is due', async () => {
    const body = sleepers(Object.values(SLEEPS), 1)
    const native = await runOn('node:timers', body)
    expect(native).toHaveLength(Object.keys(SLEEPS).length * DEPTHS.length)
    for (const [i, { own }] of native.entries()) {
      expect(own.length).toBeGreaterThan(Math.min(DEPTHS[i % DEPTHS.length]!, 8))
    }
    expect(await runOn(entry, body)).toEqual(native)
  })

  it.each(['', "process.on('uncaughtException', () => {});"])(
    'shows at most two frames of its own if many timers are due %s',
    async (handler) => {
      const count = 5
      const body = handler + sleepers(Object.values(SLEEPS), count)
      const native = await runOn('node:timers', body)
      const shown = await runOn(entry, body)
      expect(shown).toHaveLength(Object.keys(SLEEPS).length * DEPTHS.length * count)
      for (const [i, { ours, own }] of shown.entries()) {
        expect(ours.length).toBeLessThanOrEqual(2)
        const callers = native[i]!.own
        expect(own.length).toBeGreaterThanOrEqual(Math.min(callers.length, MOST_FRAMES - 6))
        expect(own.slice(0, callers.length)).toEqual(callers.slice(0, own.length))
      }
      expect(shown.some(({ ours }) => ours.length > 0)).toBe(true)
      expect(shown.filter(({ ours }) => ours.length === 0).length).toBeGreaterThanOrEqual(
        shown.length / count,
      )
    },
  )

  it('shows all callers if other timers that were due were cleared or refreshed', async () => {
    const body = `
      const others = Array.from({ length: 4 }, () => timers.setTimeout(() => {}, 20))
      await new Promise((resolve) => void timers.setTimeout(resolve, 10))
      const asleep = (async () => ${sleepersAt('(ms) => promises.setTimeout(2 * ms)', 3, 1, 0)})()
      others[0].refresh()
      others[1].close()
      others[2].refresh().close()
      others[3].refresh()
      await asleep`
    const native = await runOn('node:timers', body)
    expect(native[0]!.own.length).toBeGreaterThan(3)
    expect(await runOn(entry, body)).toEqual(native)
  })

  it('shows as many frames of the program as natively if a callback throws', async () => {
    const deep = (depth: number, delay: number): string => `
      timers.setTimeout(() => { try { deep(${depth}) } catch (error) { show(error) } }, ${delay})`
    const body = `
      const deep = (n) => { if (n === 0) throw new Error('thrown'); deep(n - 1) }
      ${[0, 3, 12].map((depth, i) => deep(depth, 5 + 10 * i)).join('\n')}`
    const native = await runOn('node:timers', body)
    const shown = await runOn(entry, body)
    expect(shown.map(({ own }) => own)).toEqual(native.map(({ own }) => own))
    expect(native).toHaveLength(3)
  })
})

/** Programs with an uncaught error. */
const UNCAUGHT = {
  'a callback': "timers.setTimeout(() => { throw new Error('thrown') }, 5)",
  'a callback, of an interval': "timers.setInterval(() => { throw new Error('thrown') }, 5)",
  'a callback, the error was made elsewhere':
    "const error = new Error('thrown')\n timers.setTimeout(() => { null.property }, 5)",
  'a next tick of a callback':
    "timers.setTimeout(() => process.nextTick(() => { throw new Error('thrown') }), 5)",
  'a microtask of a callback':
    "timers.setTimeout(() => queueMicrotask(() => { throw new Error('thrown') }), 5)",
  'an async function': `const wait = async () => {
      await promises.setTimeout(5)
      throw new Error('thrown')
    }
    wait()`,
}

describe.each(ENTRIES)('%s, an uncaught error', (entry) => {
  it.each(Object.entries(UNCAUGHT))('shows the line of the program first: %s', async (_name, use) => {
    for (const others of ['', 'for (let i = 0; i < 3; i++) timers.setTimeout(() => {}, 5); busyWait(20)']) {
      const head = async (entry: string): Promise<string[]> => {
        const { code, stderr } = await outcomeOn(entry, `${use}\n${others}`)
        expect(code).toBe(1)
        // Skip the third line, which marks a column: the addon's marks where the error was made, Node's where it was
        // thrown.
        return stderr.split('\n').slice(0, 2)
      }
      const native = await head('node:timers')
      expect(native[0]).toMatch(/eval|^$/)
      expect(await head(entry)).toEqual(native)
    }
  })
})
