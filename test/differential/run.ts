/** Runs a program in a new process, under a virtual clock. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { virtualClock } from './clock.js'
import type { Program } from './program.js'

/**
 * The timers of a program: Node's, ours on one of the builds of the core, or Node's beside an idle wheel on WebAssembly with
 * an empty microtask for each timer. A wheel on WebAssembly needs such microtasks, and V8 has tasks for its compilation. If
 * there are any, Node runs queued work in another order after an exception.
 */
export type Subject = 'node' | 'node-beside-wasm' | 'native' | 'wasm'

export interface Outcome {
  lines: string[]
  code: number | null
  signal: string | null
  stderr: string
}

const ROOT = join(__dirname, '..', '..')
/** A limit of real time. Programs take almost none, unless a timer is lost or repeats endlessly. */
const TIME_LIMIT = 20_000

/** @param fault a fault of faults.cjs that the timers get */
export async function runOn(subject: Subject, program: Program, fault?: string): Promise<Outcome> {
  // The log contains the warnings. Printed warnings would contain the process id.
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
