/** The stack of an error that is thrown after a timer shows the program's callers, as with Node's timers. */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { ENTRIES } from './backends.js'
import { run } from './child.js'
import { inOneProcess, programsOf } from './one-process.js'

/** The ways in which a program waits. */
const SLEEPS = [
  '(ms) => new Promise((resolve) => { timers.setTimeout(resolve, ms) })',
  '(ms) => promises.setTimeout(ms)',
  '(ms) => promises.setTimeout(ms, undefined, { signal })',
  '(ms) => promises.scheduler.wait(ms)',
  'promisify(timers.setTimeout)',
  'async (ms) => { for await (const _ of promises.setInterval(ms)) return }',
]
/** The numbers of nested async functions; the innermost one waits. */
const DEPTHS = [1, 2, 3, 12]
/** The number of chains of async functions that wait at the same time. */
const MANY = 5
/** V8 keeps 10 frames. If many timers are due, two may be ours and three are Node's; one is of `Promise.all`. */
const LEAST_CALLERS = 4

const preludeOf = (entry: string): string => `
  import * as timers from '${entry}'
  import { promisify } from 'node:util'
  const promises = timers.promises
  const { signal } = new AbortController()
  const busyWait = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); }
  // Do not count frames of Node: Node 20 shows some that later lines do not.
  const show = ({ stack }) => {
    const framesWith = (text) => stack.split('\\n').slice(1).filter((frame) => frame.includes(text))
    console.log(JSON.stringify({ ours: framesWith('/dist/').length, own: framesWith('[eval') }))
  }
  const chain = (sleep, depth) => {
    async function innermost() { await sleep(1); throw new Error('thrown') }
    const nest = (inner) => async function outer() { await inner() }
    let outermost = innermost
    while (--depth > 0) outermost = nest(outermost)
    return (async () => { try { await outermost() } catch (error) { show(error) } })()
  }
  const chains = async (count) => {
    for (const sleep of [${SLEEPS}]) for (const depth of ${JSON.stringify(DEPTHS)}) {
      const all = Array.from({ length: count }, () => chain(sleep, depth))
      busyWait(2)
      await Promise.all(all)
    }
  }`

const ONE = 'await chains(1)'
const ALL = [`await chains(${MANY})`, `process.on('uncaughtException', () => {}); await chains(${MANY})`]
const BESIDE_CLEARED = `
  const others = Array.from({ length: 4 }, () => timers.setTimeout(() => {}, 20))
  await new Promise((resolve) => void timers.setTimeout(resolve, 10))
  const asleep = chain(() => promises.setTimeout(10), 3)
  others[0].refresh()
  others[1].close()
  others[2].refresh().close()
  others[3].refresh()
  await asleep`
const THROWING = `
  const deep = (n) => { if (n === 0) throw new Error('thrown'); deep(n - 1) }
  const fail = (n) => { try { deep(n) } catch (error) { show(error) } }
  for (const [depth, delay] of [[0, 5], [3, 15], [12, 25]]) timers.setTimeout(() => fail(depth), delay)`

/** Returns for each error the number of frames of this package, and the frames of the program. */
function framesOn(entry: string): (program: string) => Promise<{ ours: number; own: string[] }[]> {
  const outcomeOf = inOneProcess({
    prelude: preludeOf(entry),
    programs: [ONE, ...ALL, BESIDE_CLEARED, THROWING],
    env: virtualClock(),
  })
  return async (program) => {
    const { code, stderr, lines } = await outcomeOf(program)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return lines.map((line) => JSON.parse(line))
  }
}

const nativeFrames = framesOn('node:timers')

describe.each(ENTRIES)('%s', (entry) => {
  const frames = framesOn(entry)

  it.each([
    ['one timer is due', ONE, SLEEPS.flatMap(() => DEPTHS)],
    ['others that were due were cleared or refreshed', BESIDE_CLEARED, [3]],
  ])('shows as many callers as natively if %s', async (_title, program, depths) => {
    const native = await nativeFrames(program)
    expect(native).toHaveLength(depths.length)
    for (const [i, { own }] of native.entries()) expect(own.length).toBeGreaterThan(Math.min(depths[i]!, 8))
    expect(await frames(program)).toEqual(native)
  })

  it.each(ALL)('shows at most two frames of its own if many timers are due: %s', async (program) => {
    const native = await nativeFrames(program)
    const shown = await frames(program)
    expect(shown).toHaveLength(SLEEPS.length * DEPTHS.length * MANY)
    for (const [i, { ours, own }] of shown.entries()) {
      expect(ours).toBeLessThanOrEqual(2)
      const callers = native[i]!.own
      expect(own.length).toBeGreaterThanOrEqual(Math.min(callers.length, LEAST_CALLERS))
      expect(own.slice(0, callers.length)).toEqual(callers.slice(0, own.length))
    }
    expect(shown.some(({ ours }) => ours > 0)).toBe(true)
    expect(shown.filter(({ ours }) => ours === 0).length).toBeGreaterThanOrEqual(shown.length / MANY)
  })

  it('shows as many frames of the program as natively if a callback throws', async () => {
    const [native, shown] = await Promise.all([nativeFrames(THROWING), frames(THROWING)])
    expect(shown.map(({ own }) => own)).toEqual(native.map(({ own }) => own))
    expect(native).toHaveLength(3)
  })
})

const MANY_DUE = 'for (let i = 0; i < 3; i++) timers.setTimeout(() => {}, 5); busyWait(20)'
const UNCAUGHT = programsOf(`
  # a callback
  timers.setTimeout(() => { throw new Error('thrown') }, 5)
  # a callback, beside others
  timers.setTimeout(() => { throw new Error('thrown') }, 5); ${MANY_DUE}
  # a callback, of an interval
  timers.setInterval(() => { throw new Error('thrown') }, 5); ${MANY_DUE}
  # a callback, an error of the engine
  timers.setTimeout(() => { null.property }, 5); ${MANY_DUE}
  # a next tick of a callback
  timers.setTimeout(() => process.nextTick(() => { throw new Error('thrown') }), 5)
  # a microtask of a callback
  timers.setTimeout(() => queueMicrotask(() => { throw new Error('thrown') }), 5); ${MANY_DUE}
  # an async function
  const wait = async () => { await promises.setTimeout(5); throw new Error('thrown') }
  wait(); ${MANY_DUE}`)

it.each(UNCAUGHT)('shows the line of the program first for an uncaught error of %s', async (_title, use) => {
  const headOn = async (entry: string): Promise<string[]> => {
    const { code, stderr } = await run(preludeOf(entry) + use, [], virtualClock())
    expect(code).toBe(1)
    // Without the third line, whose mark stands below the place of the throw natively, and below that of `new Error` with the addon.
    return stderr.split('\n').slice(0, 2)
  }
  const [native, ...ours] = await Promise.all(['node:timers', ...ENTRIES].map(headOn))
  expect(native![0]).toMatch(/eval|^$/)
  expect(ours).toEqual(ENTRIES.map(() => native))
})
