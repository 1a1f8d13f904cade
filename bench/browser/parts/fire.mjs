import { formatCount } from '../../report/format.mjs'
import { contendersOf } from '../contenders.mjs'
import { barsOf, measureInTurn } from '../part.mjs'
import { mainThreadTime, processOf } from '../processes.mjs'

/** Milliseconds: the time for setting the timers, and the time span in which they are then due. */
const AHEAD = 3_000
const SPAN = 3_000

/** So many timers must have run before the figure counts as reached. */
const ENOUGH = 1_000_000

/** @type {import('../part.mjs').Part} */
export default {
  name: 'fire',
  metrics: [
    { key: 'thread', label: 'main thread per timer', unit: 'ns' },
    { key: 'early', label: 'early', unit: '' },
    { key: 'earliest', label: 'earliest', unit: 'ms', digits: 3 },
    { key: 'middle', label: 'late p50', unit: 'ms', digits: 2 },
    { key: 'p99', label: 'late p99', unit: 'ms', digits: 2 },
  ],

  describe: ({ fired }) => ({
    title: `In pages: firing ${formatCount(fired)} timers`,
    note:
      `${formatCount(fired)} timers are due at random times within 3 s, ${formatCount(Math.round(fired / 3))} a second. ` +
      "Main thread: the CPU time of the main thread of the page's process, by the count of the kernel, from the time when " +
      'all timers are set until the last has run. Each callback reads the clock. Early: a timer that ran before its time ' +
      'by more than a step of the clock.',
  }),

  async measure(theatre, settings, progress) {
    const stage = await theatre.stage()
    const pid = await processOf(await theatre.start(), stage.page)
    const resolution = await stage.runWithout('native', 'clockResolution')
    const options = { count: settings.fired, batch: 10_000, ahead: AHEAD, span: SPAN }
    const rows = await measureInTurn(
      contendersOf(theatre.engine, 'window', ['native', 'handles', 'numbers']),
      { name: `${theatre.engine}: fire`, turns: settings.turns ?? 7, progress },
      async ({ name }) => {
        await stage.run(name, 'setToFire', options)
        const before = mainThreadTime(pid)
        const seen = await stage.run(name, 'whenFired', { resolution })
        return { thread: ((mainThreadTime(pid) - before) * 1e6) / settings.fired, ...seen }
      },
    )
    await stage.close()
    return rows
  },

  bars: (rows, { fired }) =>
    barsOf(rows, (row) => {
      const { max, turns } = row.values.early
      return {
        what: 'timers that ran early',
        figure: `${max === 0 ? 'none' : `up to ${formatCount(max)} a turn`} of ${formatCount(fired * turns)}`,
        wanted: `none of ${formatCount(ENOUGH)}`,
        reached: max > 0 ? false : fired * turns >= ENOUGH ? true : null,
      }
    }),
}
