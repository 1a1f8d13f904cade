/**
 * Random programs on processes that share a store, against a model of it: no timer is early, none is lost, and none is started again
 * without a reason. In calm programs nothing fails, and none is late. TIMEOUT_WHEEL_SEED=n replays one.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jest } from '@jest/globals'
import { FAILED } from '../../lib/durable/common/rows.js'
import type { DurableRun } from '../../lib/durable/common/types.js'
import { type Engine, makeEngine } from '../../lib/durable/engine/engine.js'
import { scaled } from '../scale.js'
import { type Connect, onPostgres, onSqlite } from './connections.js'
import { newDatabase, type TestDatabase } from './database.js'
import { Process, World } from './world.js'

/** In memory, because no power is lost here. */
const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'timeout-wheel-model-'))
afterAll(() => rmSync(folder, { recursive: true }))

const EXPECTED = /^(fault|fails|the lease|the handler of|the store of)/

/** Texts of all kinds of characters and lengths, as keys and as data. */
const KEYS = ['a', 'ключ', '⏰', 'Zoë\x01\xff']
const DATA = [null, '', 'a'.repeat(13), '時計\0', '\ud800', 'ñ'.repeat(700), 'x'.repeat(70_000)]

const how = { timeout: 1_000, backoff: 300, deaths: 1_000 }

/** Returns how late the latest timer was, in milliseconds. */
async function runProgram(seed: number, steps: number, isCalm: boolean, connect: Connect): Promise<number> {
  const world = new World(seed)
  if (isCalm) world.slowest = 20
  jest.spyOn(Math, 'random').mockImplementation(() => world.random())
  jest.spyOn(crypto, 'getRandomValues').mockImplementation((bytes) => {
    ;(bytes as Uint8Array).forEach((_, i, all: Uint8Array) => {
      all[i] = world.int(256)
    })
    return bytes
  })
  const running: { process: Process; engine: Engine; names: string[]; paused: Set<string> }[] = []
  const wrong: unknown[] = []
  let [isAtEnd, late] = [false, 0]
  const options = {
    // So long that no sign of life hides a claim that is not made.
    lease: isCalm ? 60_000 : 1_000 + world.int(3_000),
    retention: Infinity,
    onError: (error: Error) => EXPECTED.test(error.message) || wrong.push(error),
  }
  const prefetch = 1 + (world.int(3) === 0 ? world.int(4) : world.int(40))
  function handle(process: Process, run: DurableRun): Promise<void> | undefined {
    const { id, name, due, attempt, key, data } = run
    if (running.find((one) => one.process === process)?.paused.has(name)) wrong.push([name, 'is paused'])
    const fault = world.model.start(id, due.getTime(), attempt, process.now())
    if (fault !== undefined) wrong.push(new Error(`${id} ${fault}`))
    const row = world.model.rows.get(id)
    const isSame =
      row === undefined || (row.key === (key ?? null) && row.claimed === (JSON.stringify(data) ?? null))
    if (!isSame) wrong.push([row, run])
    if (!isAtEnd) late = Math.max(late, process.now() - due.getTime())
    const fails = !isAtEnd && !isCalm && world.int(4) === 0
    if (!fails) world.model.succeeded.add(id)
    if (isAtEnd || isCalm) return undefined
    return new Promise((resolve, reject) => {
      const end = () => (fails ? reject(new Error('fails')) : resolve())
      world.after(world.int(10) === 0 ? world.int(3_000) : world.int(200), process, end)
    })
  }
  async function open(): Promise<void> {
    const process = new Process(world, await connect(world.now))
    const horizon = 200 + world.int(5_000)
    const engine = makeEngine(process.store, process, { ...options, horizon, pause: horizon / 2 })
    const concurrency = isCalm ? 100 : 1 + world.int(5)
    const run = (one: DurableRun) => handle(process, one)
    const on = (name: string) => {
      if (running.every((one) => one.engine !== engine)) return
      engine.on(name, run as never, { ...how, prefetch, concurrency, retries: 2 })
    }
    const opened = () => {
      const some = isCalm ? [] : ['a']
      const names = isAtEnd || running.length === 0 || world.int(3) > 0 ? ['a', 'b'] : some
      running.push({ process, engine, names, paused: new Set() })
      for (const name of names) world.after(isCalm ? 0 : world.int(500), process, () => on(name))
    }
    engine.start().then(opened, () => process.stop())
    await world.run(1_000)
  }
  /** Does one thing at random. */
  async function act(): Promise<void> {
    const i = world.int(running.length)
    if (running[i] === undefined) return open()
    const { process, engine } = running[i]
    if (process.isStopped) return
    const name = world.int(3) === 0 ? 'b' : 'a'
    const key = world.int(2) === 0 ? null : KEYS[world.int(4)]!
    const chance = world.int(isCalm ? 65 : 80)
    if (chance < 55) {
      const due = process.now() + (world.int(4) === 0 ? world.int(50) : world.int(6_000))
      const every = key !== null && !isCalm && world.int(4) === 0
      const rule = every ? JSON.stringify({ every: 500 + world.int(2) * 700 }) : null
      // Mostly one whose handler may run.
      const busy = [...world.model.rows.values()].find((row) => row.owner !== 0 && row.due <= process.now())
      const updates = every && world.int(2) === 0
      const replaces = updates ? 'update' : 'replace'
      const ifExists = world.int(4) === 0 ? 'keep' : replaces
      const text = DATA[world.int(3) === 0 ? world.int(DATA.length) : 0]!
      const data = text === null ? null : JSON.stringify(text)
      const which = updates && busy !== undefined && busy.key !== null ? busy : { name, key }
      engine.set([{ name: which.name, key: which.key, due, data, rule, ifExists }]).catch(() => {})
    } else if (chance < 60) engine.clear(name, KEYS[world.int(4)]!).catch(() => {})
    else if (chance < 63) engine.retry([...world.model.rows.keys()].at(-1) ?? '').catch(() => {})
    else if (chance < 67) {
      if (isCalm && running.filter(({ names }) => names.length > 1).length < 2) return
      running.splice(i, 1)
      // Real time must not matter, so the time limit is long and all handlers end.
      if (chance < 65) engine.close(60_000).catch((error) => wrong.push(error))
      else process.stop()
    } else if (chance < 70) {
      process.isStopped = true
      world.after(world.int(8_000), undefined, () => {
        process.isStopped = false
      })
    } else if (chance < 73)
      world.setClock(world.int(10) === 0 ? world.int(8e6) - 4e6 : world.int(4_000) - 2_000)
    else if (chance < 76) {
      const [isPaused, inAll] = [world.int(2) === 0, world.int(2) === 0]
      if (!inAll && isPaused) running[i].paused.add(name)
      else if (!inAll) running[i].paused.delete(name)
      engine.pause(name, isPaused, inAll).catch(() => {})
    } else world.faults = chance < 78 ? 0.2 : 0
  }
  await open()
  for (let i = 0; i < steps; i++) {
    if (world.int(20) === 0 && running.length < 3) await open()
    for (let n = world.int(3); n >= 0; n--) await act()
    await world.run(world.int(300))
  }
  // Then all goes well, until nothing is left.
  world.faults = 0
  isAtEnd = true
  for (const process of world.processes) process.isStopped = false
  // Not always: it claims from the first row on, as those that run must do by themselves.
  if (running.every(({ names }) => names.length < 2)) await open()
  // Those that are opening, and pauses that come late.
  else await world.run(2_000)
  for (const { engine, paused } of running) {
    paused.clear()
    for (const name of ['a', 'b'])
      for (const inAll of [true, false]) engine.pause(name, false, inAll).catch(() => {})
  }
  const dues = () => [...world.model.rows.values()].map(({ due }) => due).filter((due) => due < FAILED)
  for (let i = 0; i < 30 && dues().length > 0; i++) {
    for (const { key, name, rule } of world.model.rows.values())
      if (rule !== null)
        running
          .at(-1)!
          .engine.clear(name, key!)
          .catch(() => {})
    const wait = Math.max(...dues()) - world.wall
    if (i % 5 === 4 && wait > 0) world.setClock(wait)
    await world.run(3_000)
  }
  for (const process of world.processes) process.stop()
  expect({ wrong, left: dues() }).toEqual({ wrong: [], left: [] })
  return late
}

const SEED = Number(process.env.TIMEOUT_WHEEL_SEED ?? 0)
const seedsUpTo = (count: number) => (SEED > 0 ? [SEED] : Array.from({ length: count }, (_, i) => i + 1))

async function runPrograms(
  isCalm: boolean,
  seeds: number[],
  steps: number,
  connectTo: (seed: number) => Promise<Connect>,
): Promise<void> {
  for (const seed of seeds) {
    const late = await runProgram(seed, steps, isCalm, await connectTo(seed)).catch((error) => {
      throw new Error(`seed ${seed}: ${error.stack}`)
    })
    if (isCalm && late >= 1_000) throw new Error(`seed ${seed}: ${late} ms late`)
  }
}

it.each([false, true])('keeps its promises in random programs on SQLite; calm: %s', (isCalm) =>
  runPrograms(isCalm, seedsUpTo(scaled(10, 100)), 150, async (seed) =>
    onSqlite(join(folder, `${isCalm}${seed}.db`)),
  ),
)

let database: TestDatabase
beforeAll(async () => {
  database = await newDatabase()
})
afterAll(() => database.close())

// PGlite is slow.
it.each([false, true])('keeps its promises in random programs on PostgreSQL; calm: %s', (isCalm) =>
  runPrograms(isCalm, seedsUpTo(scaled(1, 20)), scaled(60, 150), (seed) =>
    onPostgres(database, `model_${isCalm}_${seed}`),
  ),
)
