/** Processes that are killed at random moments: each timer that was stored runs, none is early, and none runs twice at once. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { start } from '../../.tooling/child.cjs'
import { scaled } from '../scale.js'
import { temporaryFolder } from '../temporary-folder.js'
import { until } from './helpers.js'

const LEASE = 1_000
/** After how many milliseconds at most a process is killed: most after their first timer, some while they start. */
const LIFE = scaled(1_200, 600)
const POSTGRES = process.env.TIMEOUT_WHEEL_CRASHING_POSTGRES
/** Errors after which a process goes on under a new lease. With SQLite it finds out what it owns instead. */
const NEW_LEASE = ['ERR_DURABLE_LEASE']
const NEW_LEASE_OF_SERVER = [...NEW_LEASE, 'ERR_DURABLE_DOUBT']

const folder = temporaryFolder()

let processes = 0
/** Starts a process that sets timers for some seconds. */
function launch(store: string, seconds: number): ReturnType<typeof start> {
  const log = join(folder, `${++processes}.log`)
  // It may be killed before it has made the file.
  writeFileSync(log, '')
  const args = [store, `crash_${process.pid}`, LEASE, seconds, log].map(String)
  return start(process.execPath, [join(__dirname, 'crash-child.mjs'), ...args], { limit: 900_000 })
}

/** Ends the server as a crash does. It is started again at once. */
async function crashServer(): Promise<void> {
  const pool = new pg.Pool({ connectionString: POSTGRES!, max: 1 })
  const { rows } = await pool.query('SHOW data_directory', [])
  await pool.end()
  const [file] = Object.values(rows[0] as Record<string, string>)
  process.kill(Number(readFileSync(join(file!, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGQUIT')
}

const STORES: [store: string, kills: number][] = [[join(folder, 'timers.db'), scaled(20, 1_000)]]
if (POSTGRES !== undefined) STORES.push([POSTGRES, scaled(20, 500)])

it.each(STORES)(
  'loses no timer on %s in %s kills of one to three processes, and a stop beyond the lease',
  async (store, kills) => {
    const isServer = store === POSTGRES
    const newLease = isServer ? NEW_LEASE_OF_SERVER : NEW_LEASE
    const first = processes + 1
    let left = kills
    const lane = async (): Promise<void> => {
      while (left-- > 0) {
        if (isServer && left % 50 === 10) await crashServer()
        const child = launch(store, 3_600)
        const log = join(folder, `${processes}.log`)
        if (left % 5 > 0) await until(() => statSync(log).size > 0)
        await sleep(Math.random() * LIFE)
        child.process.kill('SIGKILL')
        await child.ended
      }
    }
    const stopped = launch(store, 4)
    setTimeout(() => stopped.process.kill('SIGSTOP'), 1_000)
    setTimeout(() => stopped.process.kill('SIGCONT'), 1_000 + 2 * LEASE)
    await Promise.all([lane(), lane(), lane()])
    // It ends by itself, as does the last one, which runs what is left.
    for (const child of [stopped, launch(store, 0)])
      expect(await child.ended).toEqual({ code: 0, signal: null })

    const set = new Set<string>()
    const starts = new Map<string, number[]>()
    const runs = new Map<string, [start: number, end: number][]>()
    const wrong: string[] = []
    /** The number of a lease. A process that is stopped, or whose server was away, has several. */
    let lease = 0
    for (let process = first; process <= processes; process++) {
      lease++
      const text = readFileSync(join(folder, `${process}.log`), 'utf8')
      for (const line of text.split('\n').slice(0, -1)) {
        const [what, id = '', due, time] = line.split(' ')
        if (what === 'set') set.add(id)
        else if (what === 'start') {
          const before = starts.get(id) ?? []
          // A second start is right only if the first lease has ended before the acknowledgement.
          if (Number(time) < Number(due) || before.includes(lease)) wrong.push(`process ${process}: ${line}`)
          starts.set(id, [...before, lease])
        } else if (what === 'end') {
          const [from, to] = [Number(due), Number(time)]
          const others = runs.get(id) ?? []
          // A process that was stopped may have lost its lease meanwhile.
          if (to - from > LEASE / 2) continue
          if (others.some(([start, end]) => from < end && start < to)) wrong.push(`twice at once: ${line}`)
          runs.set(id, [...others, [from, to]])
        } else if (what === 'error' && newLease.includes(id)) lease++
        else if (what === 'error' && !(isServer && id === 'ERR_DURABLE_UNAVAILABLE')) wrong.push(line)
      }
    }
    expect({ wrong, neverRan: [...set].filter((id) => !starts.has(id)) }).toEqual({ wrong: [], neverRan: [] })
    expect(set.size).toBeGreaterThan(kills * 3)
  },
  900_000,
)
