/** Documented differences from Node that cannot be removed. If one disappears, the documentation has to change too. */
import { virtualClock } from '../differential/clock.js'
import { ENTRIES } from './backends.js'
import { inOneProcess, programsOf } from './one-process.js'

/** `is` takes a value, what it is on timers of Node, and what it is on ours. */
const PROGRAMS = programsOf(`
  # a handle has other own keys, and no enumerable ones on its prototype
  const t = setTimeout(() => {}, 5)
  is(['_idleTimeout' in t, Object.keys(t).includes('_idleTimeout'), '_idleTimeout' in { ...t }], [true, true, true], [true, false, false])
  const inherited = []
  for (const key in t) if (!Object.hasOwn(t, key)) inherited.push(key)
  is(inherited, ['close'], [])
  const fields = '_idleTimeout,_idleStart,_onTimeout,_timerArgs,_repeat,_destroyed'
  is(fields.split(',').every((name) => name in t), true, true)
  # a handle can be converted to JSON while it is pending
  const caught = (fn) => { try { return typeof fn() } catch ({ name }) { return name } }
  const t = setTimeout(() => {}, 5)
  is(caught(() => JSON.stringify({ t })), 'TypeError', 'string')
  t.close()
  is(caught(() => JSON.stringify({ t })), 'string', 'string')
  is(caught(() => structuredClone(setTimeout(() => {}, 5))), 'DataCloneError', 'DataCloneError')
  # a handle has another class, which is an AsyncResource
  const t = setTimeout(() => {}, 5), { constructor } = globalThis.setTimeout(() => {}, 5)
  is([t instanceof constructor, t instanceof AsyncResource], [true, false], [false, true])
  is([t.constructor.name, t instanceof t.constructor], ['Timeout', true], ['Timeout', true])
  is(t.constructor === setInterval(() => {}, 5).close().constructor, true, true)
  # a handle hides its symbols from util.inspect
  is(/^ +\\[?Symbol\\(/m.test(inspect(setTimeout(() => {}, 5))), true, false)
  # a written delay and a written repetition of a handle have no effect
  const t = setTimeout(() => {}, 5), repeated = setInterval(() => {}, 5)
  t._idleTimeout = 7; t._repeat = 7; repeated._repeat = null
  is([t._idleTimeout, t._repeat, repeated._repeat], [7, 7, null], [5, null, 5])
  clearTimeout(t); clearInterval(repeated)
  # a handle has no start while it is not pending
  const t = setTimeout(() => {
    is([typeof t._idleStart, t.refresh()._idleStart > 0], ['number', true], ['object', true])
    t.close(); t._idleStart = 5
    is(t._idleStart, 5, null)
  }, 1)
  # an init hook sees a handle without its fields, and another object when a timer that has run is set again
  const made = [], hook = createHook({
    init(_id, type, _trigger, resource) { if (type === 'Timeout') made.push([resource, typeof resource._onTimeout]) },
  })
  hook.enable(); const t = setTimeout(() => {}, 2); hook.disable()
  process.once('beforeExit', () => {
    hook.enable(); t.refresh(); hook.disable()
    const [[first, field], [second]] = made
    is([field, first === t, second === t, made.length], ['function', true, true, 2], ['undefined', true, false, 2])
    is(second.constructor === t.constructor, true, true)
  })
  # an uncaught exception that nothing watches lets listeners of exit run outside of the context of its callback
  const storage = new AsyncLocalStorage()
  process.on('exit', () => is(storage.getStore(), 'store', undefined))
  storage.run('store', () => setTimeout(() => { throw new Error('thrown') }, 2))`)

describe.each(['node:timers', ...ENTRIES])('%s', (entry) => {
  const outcomeOf = inOneProcess({
    prelude: `
      import { AsyncLocalStorage, AsyncResource, createHook } from 'node:async_hooks'
      import { inspect, isDeepStrictEqual } from 'node:util'
      import { clearInterval, clearTimeout, setInterval, setTimeout } from '${entry}'
      const is = (value, native, ours) =>
        console.log(isDeepStrictEqual(value, '${entry}' === 'node:timers' ? native : ours) ? 'as documented' : value)`,
    programs: PROGRAMS.map(([, program]) => program),
    env: virtualClock(),
  })

  it.each(PROGRAMS)('%s', async (_title, program) => {
    const { lines } = await outcomeOf(program)
    expect(lines).toEqual([expect.anything(), ...lines.slice(1)].map(() => 'as documented'))
  })
})
