/** Each async resource of a handle is destroyed exactly once. async-parity compares other uses with Node. */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

const uses = {
  'is refreshed and cleared in its callback': 'const t = setTimeout(() => t.refresh().close(), 5)',
  'is the only one that its wheel takes':
    'const w = new TimerWheel({ maxPending: 1 }); for (let i = 0; i < 9; i++) try { w.setTimeout(() => {}, 5) } catch {}',
  'is stopped': 'const w = new TimerWheel(); w.setTimeout(() => {}, 5); w.stop()',
  'is stopped in its callback, refreshed':
    'const w = new TimerWheel(); const t = w.setInterval(() => { t.refresh(); w.stop() }, 5)',
}

describe.each(ENTRIES)('%s', (entry) => {
  it.each(Object.entries(uses))('destroys each async resource once: a timer that %s', async (_name, use) => {
    const script = `
      import { AsyncResource, createHook } from 'node:async_hooks'
      import { setTimeout, TimerWheel } from '${entry}'
      const hostSetTimeout = globalThis.setTimeout
      const made = []
      const destroyed = []
      createHook({
        init: (id, type, _trigger, resource) => {
          if (type === 'Timeout' && resource instanceof AsyncResource) made.push(id)
        },
        destroy: (id) => destroyed.push(id),
      }).enable()
      ${use}
      hostSetTimeout(() => {
        const times = made.map((made) => destroyed.filter((id) => id === made).length)
        console.log(times.length > 0 && times.every((n) => n === 1) ? 'once' : times.join())
      }, 200)
    `
    // Node reports destroyed resources in a later turn. The program looks at them in a turn after that.
    const outcome = await run(script, [], virtualClock())
    expect(outcome).toEqual({ ...CLEAN, lines: ['once'] })
  })
})
