/** Simulates a page for drivers, in virtual time: nested timers, throttling, microtasks and workers. */
import type { TimeoutMapConstructor } from '../../lib/api/timeout-map.js'
import type { TimerWheelConstructor, TimerWheelOptions } from '../../lib/api/wheel.js'
import { timeoutMapClass } from '../../lib/map/timeout-map.js'
import { instantiateWasm } from '../../lib/memory/instantiate-wasm.js'
import { wasmCores } from '../../lib/memory/wasm-core.js'
import { pageHostOf } from '../../lib/page/host.js'
import { configureOn, type Family, familyOn, sharedOn, sharedWheel, wheelOn } from '../../lib/page/timers.js'
import { timerWheelOn } from '../../lib/page/wheel.js'
import { mapEntriesOn, WheelMapTimer } from '../../lib/wheel/map-timer.js'
import { randomFrom } from '../contract/random.js'

/** Runs all queued microtasks. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** The time at which a page begins. */
const START = 1000
/** The last digit of the clock's readings, without which the clock would seem to move in steps. In binary, all sums are exact. */
const DIGIT = 2 ** -10

interface Task {
  due: number
  order: number
  /** The tasks run one after the other, with microtasks between them. */
  callbacks: (() => void)[]
  nesting: number
  isStopped?: boolean
  /** Whether `clearTimeout` can clear it. */
  isTimer?: boolean
}

/** The fate of workers: they run, they fail, or the page has none. */
export type Workers = 'run' | 'fail' | 'none'

export interface Options {
  workers?: Workers
  hidden?: boolean
  /** The step of the page's clock in milliseconds. Default: none. */
  step?: number
  /** Whether the clock moves at a random time within each step, as that of Firefox does. */
  jitters?: boolean
  /** Globals that the page lacks. */
  without?: string[]
  /** Functions and constructors that throw, as in environments that only pretend to have them. */
  throwing?: string[]
  /** Globals with other values. */
  replacing?: Record<string, unknown>
}

export class SimulatedPage {
  time = START
  hidden: boolean
  /** Errors that reached window.onerror. */
  readonly errors: unknown[] = []
  /** The nesting level and the delay of each native timer. */
  readonly timers: { nesting: number; delay: number }[] = []
  messages = 0
  /** What the clock has gone back, in milliseconds. */
  back = 0
  /** The number of running workers. */
  workers = 0
  readonly addresses: string[] = []
  readonly api: Family & {
    readonly TimerWheel: TimerWheelConstructor
    readonly TimeoutMap: TimeoutMapConstructor
    readonly configure: (options: { budget?: number }) => void
  }

  readonly #tasks = new Map<number, Task>()
  readonly #document = new EventTarget()
  readonly #window = new EventTarget()
  /** The scripts of workers by address. */
  readonly #scripts = new Map<string, string>()
  readonly #step: number
  readonly #jitters: boolean
  #lastTask = 0
  #nesting = 0

  constructor({ workers = 'none', hidden = false, step = 0, jitters = false, ...more }: Options = {}) {
    const { without = [], throwing = [] } = more
    this.#step = step
    this.#jitters = jitters
    this.hidden = hidden
    const document = Object.defineProperty(this.#document, 'hidden', { get: () => this.hidden })
    const globals = Object.assign(this.#window, {
      performance: { now: () => this.#read() },
      console: { warn: () => {} },
      setTimeout: (callback: () => void, delay = 0) => this.#setTimeout(callback, delay),
      clearTimeout: (id: unknown) => this.clearTimeout(id),
      document,
      MessageChannel: this.#channelClass(),
      ...(workers === 'none' ? {} : { Worker: this.#workerClass(workers), ...this.#addresses() }),
    })
    for (const name of without) Reflect.deleteProperty(globals, name)
    for (const name of throwing) Reflect.set(globals, name, this.#unsupported(name))
    Object.assign(globals, more.replacing)
    const host = pageHostOf(globals as never)
    const shared = sharedWheel()
    const openCore = wasmCores(instantiateWasm)
    const open = sharedOn(host, openCore, shared)
    this.api = {
      TimerWheel: timerWheelOn(openCore, host, globals as never),
      TimeoutMap: timeoutMapClass(
        mapEntriesOn((client) => new WheelMapTimer(client, wheelOn(open(), shared, host))),
      ),
      ...familyOn(open, host),
      configure: configureOn(shared),
    }
  }

  /** The time since the page began. */
  get elapsed(): number {
    return this.time - START
  }

  /** The number of timers and messages that have not arrived. */
  get awaited(): number {
    return this.#tasks.size
  }

  /** Lets time pass. */
  async run(ms: number): Promise<void> {
    const end = this.time + ms
    await settle()
    for (;;) {
      const [id, task] = this.#next() ?? []
      if (id === undefined || task === undefined || task.due > end) break
      this.#tasks.delete(id)
      this.time = Math.max(this.time, task.due)
      for (const callback of task.callbacks) {
        if (task.isStopped) break
        await this.call(callback, task.nesting)
      }
    }
    this.time = Math.max(this.time, end)
  }

  /** Lets time pass while the page sleeps: its timers stand still, and afterwards wait for the rest of their delays. */
  freeze(ms: number): void {
    this.time += ms
    for (const task of this.#tasks.values()) task.due += ms
  }

  /** Dispatches an event of the page's life cycle. */
  async happen(type: 'visibilitychange' | 'resume' | 'pageshow'): Promise<void> {
    const target = type === 'pageshow' ? this.#window : this.#document
    await this.call(() => target.dispatchEvent(new Event(type)))
  }

  /** The page's native function. Returns the number of the timer. */
  setTimeout(callback: () => void, delay: number): number {
    return this.#setTimeout(callback, delay)
  }

  /** The page's native function. It converts any value to an integer modulo 2^32, as WebIDL says. */
  clearTimeout(id: unknown): void {
    const task = this.#tasks.get((id as number) | 0)
    if (task?.isTimer) this.#tasks.delete((id as number) | 0)
  }

  /** Clears all native timers of the page, as some programs do by trying all ids. */
  clearAllTimers(): void {
    for (let id = 1; id <= this.#lastTask; id++) this.clearTimeout(id)
  }

  /** Calls a callback in a task of its own, as a timer at this nesting level does. */
  async call(callback: () => void, nesting = 0): Promise<void> {
    this.#nesting = nesting
    try {
      callback()
    } catch (error) {
      this.errors.push(error)
    }
    await settle()
    this.#nesting = 0
  }

  #read(): number {
    const time = this.time - this.back
    if (this.#step === 0) return time + DIGIT
    const steps = Math.floor(time / this.#step)
    // A part of a step, the same for all readings in it.
    const part = this.#jitters ? randomFrom(steps)() : 1
    return (time / this.#step - steps < part ? steps : steps + 1) * this.#step
  }

  #next(): [number, Task] | undefined {
    return [...this.#tasks].sort(([, a], [, b]) => a.due - b.due || a.order - b.order)[0]
  }

  #add(task: Partial<Task>): number {
    const order = ++this.#lastTask
    this.#tasks.set(order, { due: this.time, nesting: 0, callbacks: [], ...task, order })
    return order
  }

  #soon(callback: () => void, delay = 0): number {
    return this.#add({ due: this.time + delay, callbacks: [callback] })
  }

  #setTimeout(callback: () => void, delay: number): number {
    const nesting = this.#nesting + 1
    this.timers.push({ nesting, delay })
    let due = this.time + Math.max(delay, nesting > 5 ? 4 : 0)
    // Timers of a hidden page run once a second. After a long time, deeply nested timers run once a minute.
    const grid = nesting > 5 ? 60_000 : 1000
    if (this.hidden) due = Math.ceil(due / grid) * grid
    return this.#add({ due, callbacks: [callback], nesting, isTimer: true })
  }

  #channelClass(): typeof MessageChannel {
    const page = this
    return class {
      port1 = {
        listeners: [] as ((event: Event) => void)[],
        addEventListener(_type: string, listener: (event: Event) => void) {
          this.listeners.push(listener)
        },
        start() {},
      }
      port2 = {
        postMessage: () => {
          page.messages++
          const task = page.#tasks.get(page.#add({}))!
          const event = { stopImmediatePropagation: () => (task.isStopped = true) }
          // The listeners at the time when the message arrives.
          const callbacks = () => this.port1.listeners.map((listener) => () => listener(event as never))
          Object.defineProperty(task, 'callbacks', { get: callbacks })
        },
      }
    } as never
  }

  #unsupported(name: string): () => never {
    return function unsupported() {
      throw new Error(`${name} is not supported here`)
    }
  }

  #addresses(): object {
    const scripts = this.#scripts
    class Blob extends String {
      constructor(parts: string[]) {
        super(parts.join(''))
      }
    }
    const URL = {
      createObjectURL(script: Blob): string {
        const address = `blob:${scripts.size}`
        scripts.set(address, `${script}`)
        return address
      },
      revokeObjectURL: (address: string) => scripts.delete(address),
    }
    return { Blob, URL }
  }

  /** Returns the script of a worker, with its global handler as a property of `self`. */
  #scriptAt(address: string): string {
    return this.#scripts.get(address)!.replace(/\bonmessage=/, 'self.onmessage=')
  }

  #workerClass(workers: Workers): typeof Worker {
    const page = this
    return class {
      onmessage: ((event: { data: unknown }) => void) | undefined
      onerror: ((event: Event) => void) | undefined
      #runs = false
      #scope: { onmessage?: (event: { data: unknown }) => void } = {}

      constructor(address: string) {
        page.addresses.push(address.slice(0, 5))
        if (workers === 'fail') {
          page.#soon(() => this.onerror?.(new Event('error')))
          return
        }
        this.#runs = true
        page.workers++
        page.#soon(() => this.#start(address), 2)
      }

      #start(address: string): void {
        const globals = {
          setTimeout: (callback: (...args: unknown[]) => void, delay: number, ...args: unknown[]) =>
            // Browsers read the delay as a signed number of 32 bits.
            page.#soon(() => callback(...args), Math.max(delay | 0, 0)),
          clearTimeout: (id: number) => page.#tasks.delete(id),
          postMessage: (data: unknown) =>
            page.#soon(() => {
              if (this.#runs) this.onmessage?.({ data })
            }),
          self: this.#scope,
        }
        new Function(...Object.keys(globals), page.#scriptAt(address))(...Object.values(globals))
      }

      postMessage(data: unknown): void {
        page.#soon(() => this.#scope.onmessage?.({ data }))
      }

      terminate(): void {
        if (this.#runs) page.workers--
        this.#runs = false
      }
    } as never
  }
}

/** A page, and a wheel in it. */
export function pageWithWheel(options?: TimerWheelOptions, pageOptions?: Options) {
  const page = new SimulatedPage(pageOptions)
  return { page, wheel: new page.api.TimerWheel(options) }
}

/** Sets timers that are all due after 10 ms. Each adds its number to the returned list, takes a millisecond, and calls `then`. */
export function setBurst(
  page: SimulatedPage,
  timers: { setTimeout(callback: () => void, delay: number): unknown },
  count: number,
  then = (_n: number): void => {},
): number[] {
  const ran: number[] = []
  for (let n = 0; n < count; n++) {
    timers.setTimeout(() => {
      ran.push(n)
      page.time += 1
      then(n)
    }, 10)
  }
  return ran
}

/** Loads a fresh copy of the entry for pages, as a page that has just begun, or a second bundle. */
export function freshEntry(): typeof import('../../lib/entry/browser.js') {
  jest.resetModules()
  return require('../../lib/entry/browser.js')
}
