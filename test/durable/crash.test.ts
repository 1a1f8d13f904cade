/** Processes that are killed at random moments: each timer that was stored runs, and none is early. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { start } from '../../.tooling/child.cjs'
import { scaled } from '../scale.js'

const LEASE = 1_000
const KILLS = scaled(20, 100)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'timeout-wheel-durable-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

interface Log {
  set: Map<number, number>
  starts: Map<number, { due: number; time: number; process: number }[]>
  ends: Set<number>
}

/** Reads the lines of a process. */
function read(log: Log, process: number): string[] {
  const lines = readFileSync(join(folder, `${process}.log`), 'utf8')
    .split('\n')
    .slice(0, -1)
  for (const line of lines) {
    const [what, ...numbers] = line.split(' ')
    const [id = 0, due = 0, time = 0] = numbers.map(Number)
    if (what === 'set') log.set.set(id, due)
    else if (what === 'end') log.ends.add(id)
    else if (what === 'start') {
      const starts = log.starts.get(id) ?? []
      starts.push({ due, time, process })
      log.starts.set(id, starts)
    } else if (what === 'error') expect(line).toBe('error ERR_DURABLE_LEASE')
  }
  return lines
}

let started = 0
/** Starts a process that sets timers for some seconds. */
function launch(seconds: number): { number: number; running: ReturnType<typeof start> } {
  const number = ++started
  const args = [join(folder, 'timers.db'), LEASE, seconds, join(folder, `${number}.log`)].map(String)
  const running = start(process.execPath, [join(__dirname, 'crash-child.mjs'), ...args], { limit: 120_000 })
  return { number, running }
}

it(`loses no timer in ${KILLS} kills of one to three processes on one file, and a stop beyond the lease`, async () => {
  const log: Log = { set: new Map(), starts: new Map(), ends: new Set() }
  const lives = Array.from({ length: KILLS }, () => 300 + Math.random() * 1_200)
  const lane = async (): Promise<void> => {
    for (let ms = lives.pop(); ms !== undefined; ms = lives.pop()) {
      const { number, running } = launch(3_600)
      setTimeout(() => running.process.kill('SIGKILL'), ms)
      await running.ended
      read(log, number)
    }
  }
  const stopped = launch(4)
  setTimeout(() => stopped.running.process.kill('SIGSTOP'), 1_000)
  setTimeout(() => stopped.running.process.kill('SIGCONT'), 1_000 + 2 * LEASE)
  await Promise.all([lane(), lane(), lane()])
  // It ends by itself, as does the last one, which runs what is left.
  for (const { number, running } of [stopped, launch(0)]) {
    expect(await running.ended).toEqual({ code: 0, signal: null })
    expect(read(log, number).at(-1)).toBe('closed')
  }

  const neverRan = [...log.set.keys()].filter((id) => !log.starts.has(id))
  const early = [...log.starts.values()].flat().filter(({ due, time }) => time < due)
  // A second start is right only after a process that has died, or was stopped, before it had acknowledged the first.
  const twice = [...log.starts].filter(
    ([, starts]) => new Set(starts.map(({ process }) => process)).size < starts.length,
  )
  expect({ neverRan, early, twice }).toEqual({ neverRan: [], early: [], twice: [] })
  const repeated = [...log.starts.values()].filter((starts) => starts.length > 1).length
  console.info(`${log.set.size} timers, ${repeated} started again after ${KILLS} kills`)
  expect(log.set.size).toBeGreaterThan(KILLS * 10)
})
