/**
 * Random programs on processes that share a store, against a model of it: no timer is early, none is lost, and none is started again
 * without a reason. TIMEOUT_WHEEL_SEED=n replays one.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, jest } from '@jest/globals'
import { Engine } from '../../lib/durable/engine.js'
import { Handler } from '../../lib/durable/handler.js'
import { FAILED } from '../../lib/durable/store.js'
import type { DurableRun } from '../../lib/durable/types.js'
import { scaled } from '../scale.js'
import { Process, World } from './world.js'

/** In memory, because no power is lost here. */
const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'timeout-wheel-model-'))
afterAll(() => rmSync(folder, { recursive: true }))

const EXPECTED = /^(fault|handler|the lease|the handler of|the store of)/

class Program {
  readonly world: World
  readonly #path: string
  readonly #options
  readonly running: { process: Process; engine: Engine }[] = []
  readonly wrong: Error[] = []
  /** Milliseconds by which starts were late. */
  late = 0
  starts = 0
  isAtEnd = false
  readonly isCalm: boolean

  constructor(seed: number, isCalm: boolean) {
    this.world = new World(seed)
    this.isCalm = isCalm
    if (isCalm) this.world.slowest = 20
    this.#path = join(folder, `${isCalm}${seed}.db`)
    const { world } = this
    // So long that no sign of life hides a claim that is not made.
    const lease = isCalm ? 60_000 : 1_000 + world.int(3_000)
    const onError = (error: Error) => EXPECTED.test(error.message) || this.wrong.push(error)
    const maxHeld = 1 + (world.int(3) === 0 ? world.int(4) : world.int(40))
    this.#options = { lease, maxHeld, retention: Infinity, onError }
  }

  async open(): Promise<void> {
    const { world } = this
    const process = new Process(world, this.#path)
    const horizon = 200 + world.int(5_000)
    const engine = new Engine(process.store, process, { ...this.#options, horizon, pause: horizon / 2 })
    const concurrency = this.isCalm ? 100 : 1 + world.int(5)
    const handle = (run: DurableRun) => this.#handle(process, run)
    const handler = () =>
      new Handler(handle as never, { concurrency, timeout: 1_000, retries: 2, backoff: 300 })
    engine.start().then(
      () => {
        this.running.push({ process, engine })
        for (const name of this.isAtEnd || this.isCalm || world.int(3) > 0 ? ['a', 'b'] : ['a'])
          world.after(this.isCalm ? 0 : world.int(500), process, () => {
            const isOpen = this.running.some((one) => one.engine === engine)
            if (isOpen) engine.on(name, handler())
          })
      },
      () => process.stop(),
    )
    await world.run(1_000)
  }

  #handle(process: Process, { id, due, attempt }: DurableRun): Promise<void> | undefined {
    const { world } = this
    const wrong = world.model.start(id, due.getTime(), attempt, process.now())
    if (wrong !== undefined) this.wrong.push(new Error(`${id} ${wrong}`))
    this.starts++
    if (!this.isAtEnd) this.late = Math.max(this.late, process.now() - due.getTime())
    const fails = !this.isAtEnd && !this.isCalm && world.int(4) === 0
    if (!fails) world.model.succeeded.add(id)
    if (this.isAtEnd || this.isCalm) return undefined
    return new Promise((resolve, reject) => {
      const end = () => (fails ? reject(new Error('handler fails')) : resolve())
      world.after(world.int(10) === 0 ? world.int(3_000) : world.int(200), process, end)
    })
  }

  /** Does one thing at random. */
  act(): void {
    const { world } = this
    const some = this.running[world.int(this.running.length)]
    if (some === undefined) return void this.open()
    const { process, engine } = some
    if (process.isStopped) return
    const name = world.int(3) === 0 ? 'b' : 'a'
    const key = world.int(2) === 0 ? null : `${world.int(4)}`
    const chance = world.int(this.isCalm ? 65 : 80)
    if (chance < 55) {
      const due = process.now() + (world.int(4) === 0 ? world.int(50) : world.int(6_000))
      const every = key !== null && !this.isCalm && world.int(6) === 0
      const rule = every ? JSON.stringify({ every: 500 + world.int(2_000) }) : null
      const ifExists = world.int(4) === 0 ? 'keep' : 'replace'
      engine.set({ name, key, due, data: null, rule, ifExists }).catch(() => {})
    } else if (chance < 60) engine.clear(name, `${world.int(4)}`).catch(() => {})
    else if (chance < 63) engine.retry([...world.model.rows.keys()].at(-1) ?? 1).catch(() => {})
    else if (chance < 67) {
      if (this.isCalm && this.running.length === 1) return
      this.running.splice(this.running.indexOf(some), 1)
      // Real time must not matter, so the time limit is long and all handlers end.
      if (chance < 65) engine.close(60_000).catch((error) => this.wrong.push(error))
      else process.stop()
    } else if (chance < 70) {
      process.isStopped = true
      world.after(world.int(8_000), undefined, () => (process.isStopped = false))
    } else if (chance < 73)
      world.setClock(world.int(10) === 0 ? world.int(8e6) - 4e6 : world.int(4_000) - 2_000)
    else world.faults = chance < 75 ? 0.2 : 0
  }

  async run(): Promise<void> {
    const { world } = this
    jest.spyOn(Math, 'random').mockImplementation(() => world.random())
    await this.open()
    for (let i = 0; i < 150; i++) {
      if (world.int(20) === 0 && this.running.length < 3) await this.open()
      for (let n = world.int(3); n >= 0; n--) this.act()
      await world.run(world.int(300))
    }
    // Then all goes well, until nothing is left.
    world.faults = 0
    this.isAtEnd = true
    for (const process of world.processes) process.isStopped = false
    await this.open()
    const last = this.running.at(-1)!.engine
    const due = () => [...world.model.rows.values()].map((row) => row.due).filter((time) => time < FAILED)
    for (let i = 0; i < 30 && due().length > 0; i++) {
      for (const { key, name, rule } of world.model.rows.values()) if (rule !== null) last.clear(name, key!)
      if (i % 5 === 0) world.setClock(Math.max(0, Math.max(...due()) - world.wall))
      await world.run(3_000)
    }
    expect(due()).toEqual([])
    for (const process of world.processes) process.stop()
    if (this.wrong.length > 0) throw this.wrong[0]
  }
}

const SEED = Number(process.env.TIMEOUT_WHEEL_SEED ?? 0)
const seeds = SEED > 0 ? [SEED] : Array.from({ length: scaled(10, 150) }, (_, i) => i + 1)

it.each([false, true])(`keeps its promises in random programs; calm: %s`, async (isCalm) => {
  let [starts, late] = [0, 0]
  for (const seed of seeds) {
    const program = new Program(seed, isCalm)
    try {
      await program.run()
      if (isCalm) expect(program.late).toBeLessThan(1_000)
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).stack}`)
    }
    starts += program.starts
    late = Math.max(late, program.late)
  }
  console.info(`${seeds.length} programs, ${starts} starts${isCalm ? `, ${late} ms late at most` : ''}`)
})
