/** Long delays on the event loop: on a virtual clock, months pass at once. test/contract/long-delays has wheels in virtual time. */
import { virtualClock } from '../differential/clock.js'
import { ENTRIES } from './backends.js'
import { printsWith } from './prints.js'

// V8 tries to reduce the memory of an idle program every eight seconds until its other threads have helped: on the virtual clock that can
// be millions of times in a month, in which these threads have no time to help.
for (const entry of ENTRIES)
  printsWith(
    ['--no-memory-reducer'],
    virtualClock(),
  )(`
    # waits for months, and is never early: ${entry} -> set 60 true | refreshed 61 true | last 300 true
    import { clearTimeout, setLongTimeout, setTimeout } from '${entry}'
    const DAY = 24 * 3_600_000
    const start = performance.now()
    const note = (name) => {
      const passed = performance.now() - start
      console.log(name, Math.floor(passed / DAY), passed % DAY < 1_000)
    }
    setLongTimeout(note, 300 * DAY, 'last')
    setLongTimeout(note, 60 * DAY, 'set')
    const refreshed = setLongTimeout(note, 40 * DAY, 'refreshed')
    setTimeout(() => refreshed.refresh(), 21 * DAY)
    clearTimeout(setLongTimeout(note, 50 * DAY, 'cleared'))
    setLongTimeout(note, 400 * DAY, 'unref').unref()`)
