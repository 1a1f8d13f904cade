/** Async hooks see the same events of the same resources on our timers as on Node's. */
import { expect, it } from '@jest/globals'
import { expectLikeNative } from './like-native.js'

/** Logs all events. The type of a resource and the number of its `init` identify it. */
const LOG = `
  import { createHook } from 'node:async_hooks'
  const events = []
  const names = new Map()
  const nameOf = (id) => names.get(id) ?? 'unknown'
  let count = 0
  const hook = createHook({
    init(id, type, trigger) {
      names.set(id, type + ' ' + count++)
      events.push('init ' + nameOf(id) + ' by ' + nameOf(trigger))
      onInit?.(type)
    },
    before(id) { events.push('before ' + nameOf(id)) },
    after(id) { events.push('after ' + nameOf(id)) },
    // Keep these apart: Node reports them in any later turn, and also for files of its loader after garbage collection.
    destroy(id) { if (names.has(id)) destroyed.push(nameOf(id)) },
  })
  const destroyed = []
  let onInit
  const tell = (what) => events.push(what)
  process.on('exit', () => {
    hook.disable()
    // Write all lines at once: at the exit, a pipe accepts few writes.
    log(events.join('\\n'))
    log(destroyed.sort().join())
  })
  // Wait until all modules are loaded.
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
`

const PROGRAMS: [string, string][] = [
  [
    'timers that were set before the hook is enabled',
    `setTimeout(tell, 5, 'runs'); setTimeout(tell, 20, 'runs'); setImmediate(() => hook.enable())`,
  ],
  [
    'timers of several delays',
    `hook.enable(); for (const ms of [9, 3, 80, 3, 500, 1]) setTimeout(tell, ms, ms)`,
  ],
  ['a burst', `hook.enable(); for (let i = 0; i < 60; i++) setTimeout(tell, 5, i)`],
  [
    'timers that are set and cleared',
    `hook.enable(); for (let i = 0; i < 40; i++) clearTimeout(setTimeout(tell, 5))`,
  ],
  [
    'timers that are set in callbacks, ticks and microtasks',
    `hook.enable()
    setTimeout(() => {
      tell('first')
      process.nextTick(() => setTimeout(tell, 7, 'of a tick'))
      queueMicrotask(() => setTimeout(tell, 12, 'of a microtask'))
      setTimeout(() => setImmediate(() => setTimeout(tell, 4, 'of an immediate')), 30)
    }, 3)`,
  ],
  [
    'an interval',
    `hook.enable(); let n = 0; const t = setInterval(() => { tell(n); if (++n === 4) clearInterval(t) }, 3)`,
  ],
  [
    'a timer that is refreshed',
    `hook.enable()
    let n = 0
    const t = setTimeout(() => { tell('runs'); if (++n < 3) t.refresh() }, 5)
    setTimeout(() => t.refresh(), 3)`,
  ],
  [
    'timers without references',
    `hook.enable(); setTimeout(tell, 5, 'runs').unref(); setTimeout(tell, 60, 'last')`,
  ],
  [
    'a hook that sets a timer for each that it sees',
    `let left = 1
    onInit = (type) => { if (type === 'Timeout' && left-- > 0) setTimeout(tell, 5, 'of the hook') }
    hook.enable()
    setTimeout(tell, 5, 'of the program')`,
  ],
  [
    'errors that are handled',
    `process.on('uncaughtException', (error) => tell(error.message))
    hook.enable()
    setTimeout(() => { throw new Error('thrown') }, 5)
    setTimeout(tell, 5, 'next')
    setTimeout(tell, 40, 'last')`,
  ],
  ['timers of beforeExit', `hook.enable(); process.once('beforeExit', () => setTimeout(tell, 5, 'late'))`],
]

it.each(PROGRAMS)('logs the same events for %s', async (_name, program) => {
  const { lines } = await expectLikeNative(`${LOG}${program}`)
  // The program that enables its hook late does not know resources that were made before.
  expect(lines.length).toBeGreaterThan(2)
})
