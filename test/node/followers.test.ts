/** Signals made by `AbortSignal.any` that follow a signal with a timer: none is lost, and none is kept for ever. */
import { describe } from '@jest/globals'
import { ENTRIES } from './backends.js'
import { printsInOneProcess } from './prints.js'

const preludeOf = (entry: string): string => `
  import { setTimeout, timeoutSignal } from '${entry}'
  import { addAbortListener, EventEmitter, once } from 'node:events'
  // Ways to follow a signal. Nothing refers to the signals in between.
  const any = (...sources) => AbortSignal.any(sources)
  const follow = {
    itself: (source) => source,
    any: (source) => any(source),
    'any in any': (source) => any(any(source)),
    'any in any in any': (source) => any(any(any(source))),
    'any of several': (source) => any(any(new AbortController().signal, source), new AbortController().signal),
    'any of several timers': (source) => any(timeoutSignal(5_000_000), any(source, timeoutSignal(5_000_000))),
  }
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
  const collect = async () => {
    for (let i = 0; i < 2; i++) {
      gc()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  // Its closure holds no source.
  const listener = () => {}
  const listening = (signal) => {
    signal.addEventListener('abort', listener)
    return signal
  }
  // Makes followers in each way, and prints the ways of which some are never collected.
  const findKept = async (ways, make) => {
    const COUNT = 20
    const left = new Map(ways.map((way) => [way, COUNT]))
    const registry = new FinalizationRegistry((way) => left.set(way, left.get(way) - 1))
    for (const way of ways)
      for (let i = 0; i < COUNT; i++) make(follow[way], (signal) => (registry.register(signal, way), signal))
    const isDone = () => [...left.values()].every((count) => count === 0)
    for (let i = 0; i < 100 && !isDone(); i++) {
      await collect()
      await wait(10)
    }
    console.log([...left].filter(([, count]) => count > 0))
  }
  const ways = Object.keys(follow)
  // The timers of the other sources are pending.
  const ofOneTimer = ways.filter((way) => way !== 'any of several timers')
  const others = ofOneTimer.filter((way) => way !== 'itself')`

const PROGRAMS = `
  # aborts a signal with a listener that nothing refers to, after the garbage is collected -> []
  const listen = {
    addEventListener: (signal, call) => signal.addEventListener('abort', call),
    onabort: (signal, call) => { signal.onabort = call },
    addAbortListener: (signal, call) => addAbortListener(signal, call),
    once: (signal, call) => once(new EventEmitter(), 'never', { signal }).catch(call),
  }
  const left = new Set()
  for (const way of ways) {
    for (const [name, add] of Object.entries(listen)) {
      left.add(way + ', ' + name)
      add(follow[way](timeoutSignal(300, { unref: false })), () => {
        if (!left.delete(way + ', ' + name)) console.log(way, name, 'twice')
      })
    }
  }
  await collect()
  await collect()
  await wait(400)
  console.log([...left])
  # collects signals that are aborted, with a listener -> []
  await findKept(ofOneTimer, (follow, register) => listening(register(follow(timeoutSignal(1)))))
  # collects signals that are without a timer, with a listener -> []
  await findKept(ofOneTimer, (follow, register) => {
    const source = timeoutSignal(5_000_000)
    listening(register(follow(source)))
    source.clear()
  })
  # collects signals that are cleared long after those in between were collected -> []
  await findKept(ofOneTimer, (follow, register) => {
    const source = timeoutSignal(5_000_000)
    listening(register(follow(source)))
    setTimeout(() => source.clear(), 100)
  })
  # collects signals that have no listener, while the timer of their source is pending -> []
  const pending = timeoutSignal(5_000_000)
  await findKept(others, (follow, register) => register(follow(pending)))
  # collects signals that have lost their listener, while the timer of their source is pending -> []
  const pending = timeoutSignal(5_000_000)
  await findKept(others, async (follow, register) => {
    const signal = listening(register(follow(pending)))
    await wait(20)
    signal.removeEventListener('abort', listener)
  })`

describe.each(ENTRIES)('%s', (entry) => {
  printsInOneProcess({ prelude: preludeOf(entry), flags: ['--expose-gc'] })(PROGRAMS)
})
