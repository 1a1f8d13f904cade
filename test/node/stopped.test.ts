/** A process can be stopped for weeks: by SIGSTOP, with its container, or with its virtual machine. Timers run in time after that. */
import { stoppedClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

const DAY = 24 * 3_600_000
/** Starts and ends. Below, within and above the longest delay of libuv and of a single timer of Node, 2^31 ms. */
const STOPS = [0.01, 1, 24.8, 24.9, 49.8, 120].map((days, i) => {
  const start = (i + 1) * 500 * DAY
  return [start, Math.round(start + days * DAY)] as const
})

/** Before, during and after each stop, sets timers of each kind. Prints those that ran early, late, out of order or never. */
const PROGRAM = `
  const now = () => performance.now()
  const sleepUntil = async (time) => {
    for (let left; (left = time - now()) > 0; )
      await new Promise((resolve) => globalThis.setTimeout(resolve, Math.min(Math.ceil(left), 2 ** 30)))
  }
  const KINDS = {
    handle: (wheel, ms, note) => wheel.setTimeout(note, { delay: ms }),
    refreshed: (wheel, ms, note) => wheel.setTimeout(note, { delay: ms }).refresh(),
    rescheduled: (wheel, ms, note) => void wheel.reschedule(wheel.schedule(note, Math.min(ms, 1e6)), ms),
    member: (wheel, ms, note) => void wheel.group(note, ms).add(0),
    signal: (wheel, ms, note) => void wheel.signal(ms, { unref: false }).addEventListener('abort', note),
  }
  async function round([from, to], sleeps) {
    const wheel = new TimerWheel({ tick })
    const pending = new Set()
    let last = 0
    const set = (when, ms) => {
      for (const [kind, setOne] of Object.entries(KINDS)) {
        const name = [(to - from) + ' ms', sleeps, kind, ms, when].join()
        const due = now() + ms
        pending.add(name)
        setOne(wheel, ms, () => {
          pending.delete(name)
          // Times of years have no finer digits.
          if (now() < due - 2 ** -10) console.log('early', name)
          // The end of a tick, and the whole milliseconds of the event loop.
          if (now() > Math.max(due, to) + 2 * tick + 2) console.log('late', name)
          if (due + 2 * tick + 2 < last) console.log('out of order', name)
          last = Math.max(last, due)
        })
      }
    }
    const stop = to - from
    await sleepUntil(from - 1000)
    for (const part of [0.3, 0.9, 1]) set('before', Math.round(2000 + stop * part))
    for (const ms of [1, 1000, 40 * ${DAY}]) set('before', stop + 2000 + ms)
    if (sleeps) await sleepUntil(from + 500)
    else {
      await sleepUntil(from - 1)
      while (now() < to);
    }
    for (const ms of [1, 1000, 40 * ${DAY}]) set('after', ms)
    await sleepUntil(to + 60 * ${DAY})
    for (const name of pending) console.log('lost', name)
    wheel.stop()
  }
  // libuv can wait on after a longer sleep.
  for (const [i, [from, to]] of stops.entries()) await round([from, to], i % 2 === 0 && to - from < 2 ** 31)
  console.log('done')`

// Stops in which the process sleeps, or runs JavaScript.
it.concurrent.each(ENTRIES.flatMap((entry) => [1, 0.05].map((tick) => [entry, tick] as const)))(
  'runs no timer early or late, however long the process was stopped: %s, ticks of %d ms',
  async (entry, tick) => {
    const stops = STOPS.flatMap(([start, end]) => [
      [start, end] as const,
      [start + 250 * DAY, end + 250 * DAY] as const,
    ])
    const head = `import { TimerWheel } from '${entry}'
      const [tick, stops] = ${JSON.stringify([tick, stops])}`
    // V8 tries to reduce the memory of an idle program every eight seconds until its other threads have helped. On the virtual clock that
    // can be millions of times in a month, in which these threads have no time to help.
    const outcome = await run(head + PROGRAM, ['--no-memory-reducer', '--no-warnings'], stoppedClock(stops))
    expect(outcome).toEqual({ ...CLEAN, lines: ['done'] })
  },
)
