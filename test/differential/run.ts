/** Runs a program in a process of its own, under a virtual clock. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { virtualClock } from './clock.js'
import type { Program } from './program.js'

/**
 * What a program runs on: Node's own timers, or ours on one of the builds of the core; or Node's beside an idle wheel on
 * WebAssembly, with an empty microtask for each timer that is set. A wheel on WebAssembly needs these, and for its compilation
 * V8 has tasks; after an exception Node runs what is queued in another order where there are any.
 */
export type Subject = 'node' | 'node-beside-wasm' | 'native' | 'wasm'

export interface Outcome {
  lines: string[]
  code: number | null
  signal: string | null
  stderr: string
}

const ROOT = join(__dirname, '..', '..')
/** Of real time. Programs take none, unless one of their timers is lost or goes on without end. */
const TIME_LIMIT = 20_000

/** @param fault one of faults.cjs, which the timers have then */
export async function runOn(subject: Subject, program: Program, fault?: string): Promise<Outcome> {
  // Warnings are in the log; what is printed of them has the number of the process.
  const args = [subject, ...(fault === undefined ? [] : [fault])]
  const child = spawn(process.execPath, ['--no-warnings', join(__dirname, 'child.cjs'), ...args], {
    cwd: ROOT,
    timeout: TIME_LIMIT,
    killSignal: 'SIGKILL',
    env: { ...process.env, ...virtualClock(program.stalls) },
  })
  const closed = once(child, 'close')
  child.stdin.end(JSON.stringify(program))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code, signal] = await closed
  return { lines: stdout.split('\n').slice(0, -1), code, signal, stderr }
}
