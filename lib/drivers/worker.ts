/**
 * Alarms in a dedicated worker, whose timers a page does not throttle while it is hidden. One worker serves all wheels of a
 * module; it ends with the last of them. Until it has said that it runs, and where it never does, the host's timers serve.
 */
import type { Host, HostWorker } from '../host.js'
import { type Alarm, HostAlarm, type OpenAlarm } from './alarm.js'

/** Told a wheel's number and a delay, sets its timer anew; says the number when that is due. Says 0 once it runs. */
const SOURCE =
  'const t={};onmessage=({data:[i,d]})=>{clearTimeout(t[i]);t[i]=setTimeout(()=>{delete t[i];postMessage(i)},d)};postMessage(0)'

/** The worker, and who waits for it. */
class SharedWorker {
  readonly #host: Host
  readonly #waiting = new Map<number, WorkerAlarm>()
  #worker: HostWorker | undefined
  #users = 0
  #isRefused = false
  #lastNumber = 0
  isReady = false

  constructor(host: Host) {
    this.#host = host
  }

  join(): number {
    if (this.#users++ === 0 && !this.#isRefused) {
      this.#worker = this.#host.startWorker?.(SOURCE, this.#hear, this.#fail)
    }
    return ++this.#lastNumber
  }

  leave(number: number): void {
    this.#waiting.delete(number)
    if (--this.#users > 0) return
    this.isReady = false
    this.#worker?.terminate()
    this.#worker = undefined
  }

  /** A wheel waits. Held only for as long, so that one which nobody uses any more can be collected. */
  expect(number: number, alarm: WorkerAlarm): void {
    this.#waiting.set(number, alarm)
  }

  setTimer(number: number, delay: number): void {
    this.#worker?.post([number, delay])
  }

  forget(number: number): void {
    this.#waiting.delete(number)
  }

  readonly #hear = (number: unknown): void => {
    if (number === 0) this.#change(true)
    else this.#waiting.get(number as number)?.ring()
  }

  readonly #fail = (): void => {
    this.#isRefused = true
    this.#change(false)
  }

  #change(isReady: boolean): void {
    this.isReady = isReady
    for (const alarm of this.#waiting.values()) alarm.setAnew()
  }
}

class WorkerAlarm implements Alarm {
  readonly #host: Host
  readonly #shared: SharedWorker
  readonly #number: number
  readonly #wake: () => void
  readonly #fallback: Alarm
  #due = 0

  constructor(host: Host, shared: SharedWorker, wake: () => void) {
    this.#host = host
    this.#shared = shared
    this.#wake = wake
    this.#fallback = new HostAlarm(host, () => this.ring())
    this.#number = shared.join()
  }

  set(due: number): void {
    this.#due = due
    this.#shared.expect(this.#number, this)
    this.setAnew()
  }

  /** By the worker or by the host, as it stands now. */
  setAnew(): void {
    this.#fallback.close()
    if (!this.#shared.isReady) return this.#fallback.set(this.#due)
    this.#shared.setTimer(this.#number, Math.max(Math.ceil(this.#due - this.#host.now()), 0))
  }

  ring(): void {
    this.#shared.forget(this.#number)
    this.#fallback.close()
    this.#wake()
  }

  hold(): void {}

  close(): void {
    this.#fallback.close()
    this.#shared.leave(this.#number)
  }
}

export function workerAlarms(host: Host): OpenAlarm {
  const shared = new SharedWorker(host)
  return (_host, wake) => new WorkerAlarm(host, shared, wake)
}
