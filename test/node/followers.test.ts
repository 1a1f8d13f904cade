/** Signals made by `AbortSignal.any` that follow a signal with a timer: none is lost, and none is kept for ever. */
import { describe, expect, it } from '@jest/globals'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

/** Ways to follow a signal. Nothing refers to the signals in between. */
const FOLLOW = `
  const follow = {
    itself: (source) => source,
    any: (source) => AbortSignal.any([source]),
    'any in any': (source) => AbortSignal.any([AbortSignal.any([source])]),
    'any in any in any': (source) => AbortSignal.any([AbortSignal.any([AbortSignal.any([source])])]),
    'any of several': (source) =>
      AbortSignal.any([AbortSignal.any([new AbortController().signal, source]), new AbortController().signal]),
    'any of several timers': (source) =>
      AbortSignal.any([timeoutSignal(5_000_000), AbortSignal.any([source, timeoutSignal(5_000_000)])]),
  }
`

const COLLECT = `
  const collect = async () => {
    for (let i = 0; i < 2; i++) {
      gc()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
`

const HELD = `
  const listen = {
    addEventListener: (signal, call) => signal.addEventListener('abort', call),
    onabort: (signal, call) => { signal.onabort = call },
    addAbortListener: (signal, call) => addAbortListener(signal, call),
    once: (signal, call) => once(new EventEmitter(), 'never', { signal }).catch(call),
  }
  const left = new Set()
  for (const [way, followed] of Object.entries(follow)) {
    for (const [name, add] of Object.entries(listen)) {
      left.add(way + ', ' + name)
      add(followed(timeoutSignal(DELAY, { unref: false })), () => {
        if (!left.delete(way + ', ' + name)) console.log(way, name, 'twice')
      })
    }
  }
  await collect()
  await collect()
  process.on('exit', () => console.log([...left]))
`

/**
 * Makes followers in each way, and prints the ways of which some are never collected.
 *
 * @param use makes a follower and returns it
 */
const collected = (use: string): string => `
  const COUNT = 20
  const left = new Map(Object.keys(follow).map((way) => [way, COUNT]))
  const registry = new FinalizationRegistry((way) => left.set(way, left.get(way) - 1))
  const pending = timeoutSignal(5_000_000)
  // Its closure holds no source.
  const listener = () => {}
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
  const use = async (way, follow) => { ${use} }
  for (const [way, followed] of Object.entries(follow))
    for (let i = 0; i < COUNT; i++) use(way, followed)
  const isDone = () => [...left.values()].every((count) => count === 0)
  for (let i = 0; i < 100 && !isDone(); i++) {
    await collect()
    await wait(10)
  }
  console.log([...left].filter(([, count]) => count > 0))
`

describe.each(ENTRIES)('%s', (entry) => {
  const program = (...parts: string[]) =>
    run(
      `
      import { setTimeout, timeoutSignal } from '${entry}'
      import { addAbortListener, EventEmitter, once } from 'node:events'
      ${FOLLOW} ${COLLECT} ${parts.join('\n')}
    `,
      ['--expose-gc'],
    )

  it('aborts a signal with a listener that nothing refers to, after the garbage is collected', async () => {
    const outcome = await program(HELD.replace('DELAY', '300'))
    expect(outcome).toEqual({ ...CLEAN, lines: ['[]'] })
  }, 60_000)

  it.each([
    [
      'aborted, with a listener',
      `
        const signal = follow(timeoutSignal(1))
        signal.addEventListener('abort', listener)
        registry.register(signal, way)
      `,
    ],
    [
      'without a timer, with a listener',
      `
        const source = timeoutSignal(5_000_000)
        const signal = follow(source)
        signal.addEventListener('abort', listener)
        registry.register(signal, way)
        source.clear()
      `,
    ],
    [
      'cleared long after those in between were collected',
      `
        const source = timeoutSignal(5_000_000)
        const signal = follow(source)
        signal.addEventListener('abort', listener)
        registry.register(signal, way)
        setTimeout(() => source.clear(), 100)
      `,
    ],
  ])(
    'collects signals that are %s',
    async (_, use) => {
      const clear = use.replaceAll('timeoutSignal(5_000_000)', 'timeoutSignal(4_000_000)')
      // The timers of the other sources are pending.
      const outcome = await program(
        collected(`if (way === 'any of several timers') return left.set(way, 0)\n${clear}`),
      )
      expect(outcome).toEqual({ ...CLEAN, lines: ['[]'] })
    },
    60_000,
  )

  it.each([
    ['have no listener', 'registry.register(follow(pending), way)'],
    [
      'have lost their listener',
      `
        const signal = follow(pending)
        signal.addEventListener('abort', listener)
        registry.register(signal, way)
        await wait(20)
        signal.removeEventListener('abort', listener)
      `,
    ],
  ])(
    'collects signals that %s, while the timer of their source is pending',
    async (_, use) => {
      const others = `if (way === 'itself' || way === 'any of several timers') return left.set(way, 0)`
      const outcome = await program(collected(`${others}\n${use}`))
      expect(outcome).toEqual({ ...CLEAN, lines: ['[]'] })
    },
    60_000,
  )
})
