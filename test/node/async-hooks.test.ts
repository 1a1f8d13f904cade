/** Each async resource of a handle is destroyed exactly once, whatever its callback does. */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

const uses = {
  'fires once': 'setTimeout(() => {}, 5)',
  'is cleared': 'setTimeout(() => {}, 5).close()',
  'is cleared in its callback': 'const t = setTimeout(() => t.close(), 5)',
  'is refreshed in its callback': 'let n = 0; const t = setTimeout(() => { if (n++ === 0) t.refresh() }, 5)',
  'is refreshed and cleared in its callback': 'const t = setTimeout(() => t.refresh().close(), 5)',
  repeats: 'let n = 0; const t = setInterval(() => { if (++n === 3) t.close() }, 5)',
  'repeats, refreshed in its callback':
    'let n = 0; const t = setInterval(() => { t.refresh(); if (++n === 3) t.close() }, 5)',
  throws: "process.on('uncaughtException', () => {}); setTimeout(() => { throw new Error('thrown') }, 5)",
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
      import { setTimeout, setInterval, TimerWheel } from '${entry}'
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
