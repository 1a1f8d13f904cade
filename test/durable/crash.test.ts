/** Processes that are killed at random moments: each timer that was stored runs, and none is early. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from '@jest/globals'
import { start } from '../../.tooling/child.cjs'
import { scaled } from '../scale.js'

const LEASE = 1_000
const KILLS = scaled(20, 100)

const folder = mkdtempSync(join(tmpdir(), 'timeout-wheel-durable-'))
afterAll(() => rmSync(folder, { recursive: true }))

let processes = 0
/** Starts a process that sets timers for some seconds. */
function launch(store: string, seconds: number): ReturnType<typeof start> {
  const args = [store, `crash_${process.pid}`, LEASE, seconds, join(folder, `${++processes}.log`)].map(String)
  return start(process.execPath, [join(__dirname, 'crash-child.mjs'), ...args], { limit: 120_000 })
}

const STORES = [process.env.TIMEOUT_WHEEL_POSTGRES, join(folder, 'timers.db')].filter(
  (store) => store !== undefined,
)

it.each(STORES)(
  `loses no timer in ${KILLS} kills of one to three processes on %s, and a stop beyond the lease`,
  async (store) => {
    const first = processes + 1
    const lives = Array.from({ length: KILLS }, () => 300 + Math.random() * 1_200)
    const lane = async (): Promise<void> => {
      for (let ms = lives.pop(); ms !== undefined; ms = lives.pop()) {
        const child = launch(store, 3_600)
        setTimeout(() => child.process.kill('SIGKILL'), ms)
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
    const wrong: string[] = []
    for (let process = first; process <= processes; process++) {
      const text = readFileSync(join(folder, `${process}.log`), 'utf8')
      for (const line of text.split('\n').slice(0, -1)) {
        const [what, id = '', due, time] = line.split(' ')
        if (what === 'set') set.add(id)
        else if (what === 'start') {
          const before = starts.get(id) ?? []
          // A second start is right only after a process that has died, or was stopped, before it had acknowledged the first.
          if (Number(time) < Number(due) || before.includes(process)) wrong.push(line)
          starts.set(id, [...before, process])
        } else if (what === 'error' && id !== 'ERR_DURABLE_LEASE') wrong.push(line)
      }
    }
    expect({ wrong, neverRan: [...set].filter((id) => !starts.has(id)) }).toEqual({ wrong: [], neverRan: [] })
    const repeated = [...starts.values()].filter(({ length }) => length > 1).length
    console.info(`${set.size} timers, ${repeated} started again after ${KILLS} kills`)
    expect(set.size).toBeGreaterThan(KILLS * 10)
  },
)
