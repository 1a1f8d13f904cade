/** The program that `timeout-wheel top` shows: how it is started, asked for a report, and ended. */
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { clearTimeout, setTimeout } from 'node:timers'
import type { Report } from './report.js'

/** Milliseconds from one report to the next. */
const INTERVAL = 1000
/** The descriptors in the program of the reports, and of the requests for one. */
const REPORTS = 3
const REQUESTS = 4
/** How many milliseconds a program has to answer a request. One whose loop is blocked never does. */
const ANSWER_WITHIN = 1000
/** How many milliseconds after SIGTERM the program is killed. */
export const KILL_AFTER = 5000
/**
 * How many milliseconds after the end of the program its output is read. What it has printed is there already, but a process that it
 * leaves behind can hold the output open.
 */
const READ_FOR = 1000

interface Ended {
  readonly code: number
  /** Milliseconds from the last report to the end; undefined: there was no report. */
  readonly age: number | undefined
  /** SIGTERM did not end the program. */
  readonly isKilled: boolean
}

/** The exit code of a shell for a program that a signal has ended. */
export const codeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

/** The report in a line. A program that is killed can leave a part of a line, which is none. */
export function reportIn(line: string): Report | undefined {
  try {
    return JSON.parse(line) as Report
  } catch {
    return undefined
  }
}

function start(program: string, args: string[]): ChildProcess {
  const agent = new URL('./top-agent.mjs', import.meta.url).href
  const env = { ...process.env, TIMEOUT_WHEEL_TOP: `${REPORTS}:${REQUESTS}:${INTERVAL}` }
  const flags = [...process.execArgv, '--import', agent]
  return spawn(process.execPath, [...flags, program, ...args], {
    env,
    stdio: ['inherit', 'pipe', 'pipe', 'pipe', 'pipe'],
  })
}

export class Program {
  readonly stdout: Readable
  readonly stderr: Readable
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  readonly #requests: Writable
  /** The last report, and when it came. */
  #report: Report | undefined
  #reportAt = 0
  /** Resolves the wait for the answer to a request. */
  #answer = (): void => {}
  #hasExited = false
  #isEnding = false
  #isKilled = false
  #killer: NodeJS.Timeout | undefined

  /** @param receive called with each report */
  constructor(program: string, args: string[], receive: (report: Report) => void) {
    const child = start(program, args)
    this.#child = child
    this.stdout = child.stdout!
    this.stderr = child.stderr!
    this.#requests = child.stdio[REQUESTS] as Writable
    // The program can end before it reads a request.
    this.#requests.on('error', () => {})
    createInterface({ input: child.stdio[REPORTS] as Readable }).on('line', (line) => {
      const report = reportIn(line)
      if (report !== undefined) receive(this.#keep(report))
    })
    this.ended = this.#wait()
  }

  #keep(report: Report): Report {
    this.#report = report
    this.#reportAt = performance.now()
    this.#answer()
    return report
  }

  /** Asks for a report, which is the last if the program does not handle the signal, and then sends the signal. */
  async signal(signal: NodeJS.Signals): Promise<void> {
    await new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, ANSWER_WITHIN)
      this.#answer = () => {
        clearTimeout(limit)
        resolve()
      }
      if (this.#hasExited) this.#answer()
      else this.#requests.write('?')
    })
    this.#child.kill(signal)
  }

  /** Ends the program, even one that ignores SIGTERM. */
  async end(): Promise<void> {
    this.#isEnding = true
    await this.signal('SIGTERM')
    if (this.#hasExited) return
    this.#killer = setTimeout(() => {
      this.#isKilled = this.#child.kill('SIGKILL')
    }, KILL_AFTER)
  }

  #wait(): Promise<Ended> {
    return new Promise((resolve, reject) => {
      this.#child.on('error', reject).on('exit', (code, signal) => {
        const exitAt = performance.now()
        this.#hasExited = true
        this.#answer()
        clearTimeout(this.#killer)
        const done = (): void => {
          clearTimeout(limit)
          for (const stream of this.#child.stdio) stream?.destroy()
          resolve(this.#outcome(exitAt, code, signal))
        }
        const limit = setTimeout(done, READ_FOR)
        // After all of its output.
        this.#child.on('close', done)
      })
    })
  }

  #outcome(exitAt: number, code: number | null, signal: NodeJS.Signals | null): Ended {
    const isOurs = this.#isEnding && (signal === 'SIGTERM' || this.#isKilled)
    const age = this.#report?.isLast ? 0 : Math.max(exitAt - this.#reportAt, 0)
    return {
      code: isOurs ? 0 : (code ?? codeOf(signal!)),
      age: this.#report === undefined ? undefined : age,
      isKilled: this.#isKilled,
    }
  }
}
