/** A process or the server fails: how many jobs are late, lost or run twice. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { partOf, query, row, SECOND } from '../durable/part.mjs'
import { atMost } from '../runner/bars.mjs'

/** Of the process that is killed or stopped. */
const LEASE = 10 * SECOND

/** What happens to one of the two processes, or to the server. */
const FAULTS = {
  'kill -9': ({ victim }) => victim.kill('SIGKILL'),
  'stopped for 13 s': async ({ victim }) => {
    victim.kill('SIGSTOP')
    await sleep(LEASE + 3 * SECOND)
    victim.kill('SIGCONT')
  },
  /** It ends as in a crash, and is started again at once. */
  'server restarted': async ({ postgres }) => {
    const [{ data_directory: folder }] = await query(postgres.url, 'SHOW data_directory')
    process.kill(Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGQUIT')
  },
}

/** The most that each metric may be. */
const MOST = { latest: LEASE + 2 * SECOND, lost: 0, twice: 5, early: 0 }

export default partOf({
  name: 'durable-recovery',
  title: 'Durable timers: recovery',
  note:
    'Two processes with a lease of 10 s hold 5,000 jobs that are due within eight seconds. After four seconds a fault happens. "latest": the ' +
    'longest time from a due time to a start.',
  metrics: Object.keys(MOST).map((key) => ({ key, label: key, unit: key === 'latest' ? 'ms' : '' })),
  subjects: ['sqlite', 'postgres'].flatMap((store) =>
    Object.keys(FAULTS)
      .filter((way) => store === 'postgres' || way !== 'server restarted')
      .map((way) => row(store, { way, against: 'none' })),
  ),
  get bars() {
    return this.subjects.flatMap(({ id, label }) =>
      Object.entries(MOST).map(([metric, most]) => atMost(most, `${label}: ${metric}`, metric, id)),
    )
  },
  turns: 3,
  async measure(launch, { way }, { folder, postgres }) {
    const file = join(folder, `starts-${Date.now()}`)
    const count = 5_000
    const half = { count: count / 2, from: SECOND, to: 9 * SECOND }
    const processes = [await launch({ lease: LEASE }), await launch({ lease: LEASE })]
    for (const { call } of processes) await call('handle', { file })
    await Promise.all(processes.map(({ call }, i) => call('fill', { ...half, first: i * half.count })))
    await sleep(4 * SECOND)
    await FAULTS[way]({ victim: processes[1].child, postgres })
    /** A line for each start: the number of the job, and how late it was. */
    const starts = () => readFileSync(file, 'utf8').split('\n').filter(Boolean)
    const idsOf = (lines) => new Set(lines.map((line) => line.split(' ')[0]))
    for (let waited = 0; waited < 3 * LEASE && idsOf(starts()).size < count; waited += 500) await sleep(500)
    // Those that would run twice do so by then.
    await sleep(2 * SECOND)
    const all = starts()
    const lost = count - idsOf(all).size
    const late = all.map((line) => Number(line.split(' ')[1]))
    return {
      latest: Math.max(...late),
      lost,
      twice: all.length - count + lost,
      early: late.filter((ms) => ms < 0).length,
    }
  },
})
