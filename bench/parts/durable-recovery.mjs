/** A process or the server fails: how many jobs are late, lost or run twice. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { partOf, query, row, SECOND } from '../durable/part.mjs'
import { atMost } from '../runner/bars.mjs'

/** Of the process that is killed or stopped. */
const LEASE = 10 * SECOND

/** Ends the server as a crash does. It is started again at once. */
async function crash({ url }) {
  const [{ data_directory: folder }] = await query(url, 'SHOW data_directory')
  process.kill(Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGQUIT')
}

/** What happens to one of the two processes, or to the server. */
const FAULTS = {
  'kill -9': ({ victim }) => victim.kill('SIGKILL'),
  'stopped for 13 s': async ({ victim }) => {
    victim.kill('SIGSTOP')
    await sleep(LEASE + 3 * SECOND)
    victim.kill('SIGCONT')
  },
  'server restarted': ({ postgres }) => crash(postgres),
}

export default partOf({
  name: 'durable-recovery',
  title: 'Durable timers: recovery',
  note:
    'Two processes with a lease of 10 s hold 5,000 jobs that are due within eight seconds. After four seconds a fault happens. "latest": the ' +
    'longest time from a due time to a start.',
  metrics: [
    { key: 'latest', label: 'latest', unit: 'ms' },
    { key: 'lost', label: 'lost', unit: '' },
    { key: 'twice', label: 'twice', unit: '' },
    { key: 'early', label: 'early', unit: '' },
  ],
  subjects: ['sqlite', 'postgres'].flatMap((store) =>
    Object.keys(FAULTS)
      .filter((way) => store === 'postgres' || way !== 'server restarted')
      .map((way) => row(store, { way, against: 'none' })),
  ),
  get bars() {
    return this.subjects.flatMap(({ id, label }) => [
      atMost(LEASE + 2 * SECOND, `${label}: latest`, 'latest', id),
      atMost(0, `${label}: lost`, 'lost', id),
      atMost(5, `${label}: twice`, 'twice', id),
      atMost(0, `${label}: early`, 'early', id),
    ])
  },
  turns: 3,
  async measure(launch, subject, { postgres }) {
    const logs = mkdtempSync(join(tmpdir(), 'timeout-wheel-logs-'))
    const count = 5_000
    const options = { lease: LEASE }
    const [first, second] = [await launch({ options }), await launch({ options })]
    await first.call('handle', { file: join(logs, '1') })
    await second.call('handle', { file: join(logs, '2') })
    await Promise.all(
      [first, second].map(({ call }, i) =>
        call('fill', { count: count / 2, first: (i * count) / 2, from: SECOND, to: 9 * SECOND }),
      ),
    )
    await sleep(4 * SECOND)
    await FAULTS[subject.way]({ victim: second.child, postgres })
    /** The number of the job and the lateness of each start. */
    const starts = () =>
      readdirSync(logs)
        .flatMap((file) => readFileSync(join(logs, file), 'utf8').split('\n').filter(Boolean))
        .map((line) => line.split(' ').map(Number))
    const idsOf = (some) => new Set(some.map(([id]) => id))
    for (let waited = 0; waited < 3 * LEASE && idsOf(starts()).size < count; waited += 500) await sleep(500)
    // Those that would run twice do so by then.
    await sleep(2 * SECOND)
    const all = starts()
    rmSync(logs, { recursive: true })
    const lost = count - idsOf(all).size
    const late = all.map(([, ms]) => ms)
    return {
      latest: Math.max(...late),
      lost,
      twice: all.length - count + lost,
      early: late.filter((ms) => ms < 0).length,
    }
  },
})
