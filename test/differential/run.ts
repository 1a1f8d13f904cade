/** Runs a program in a new process, under a virtual clock. */
import { join } from 'node:path'
import { LimitError, run } from '../../.tooling/child.cjs'
import { type Outcome, ROOT } from '../node/child.js'
import { virtualClock } from './clock.js'
import type { Program } from './program.js'

/**
 * The timers of a program: Node's, ours on one of the builds of the core, or Node's beside an idle wheel on WebAssembly with
 * an empty microtask for each timer. A wheel on WebAssembly needs such microtasks, and V8 has tasks for its compilation. If
 * there are any, Node runs queued work in another order after an exception.
 */
export type Subject = 'node' | 'node-beside-wasm' | 'native' | 'wasm'

/** A limit of real time. Programs take almost none, unless a timer is lost or repeats endlessly. */
const TIME_LIMIT = 20_000

/** @param fault a fault of faults.cjs that the timers get */
export async function runOn(subject: Subject, program: Program, fault?: string): Promise<Outcome> {
  // The log contains the warnings. Printed warnings would contain the process id.
  const args = [subject, ...(fault === undefined ? [] : [fault])]
  const { code, signal, stdout, stderr } = await run(
    process.execPath,
    ['--no-warnings', join(__dirname, 'child.cjs'), ...args],
    {
      cwd: ROOT,
      limit: TIME_LIMIT,
      // No slices, after which a wheel lets other work run first: a documented difference.
      env: { ...process.env, ...virtualClock(program.stalls), TIMEOUT_WHEEL_BUDGET: 'Infinity' },
      input: JSON.stringify(program),
    },
  ).catch((error) => {
    // A fault may make a program endless. Its log so far is compared.
    if (!(error instanceof LimitError)) throw error
    return { code: null, signal: 'SIGKILL', stdout: error.stdout, stderr: error.stderr }
  })
  return { lines: stdout.split('\n').slice(0, -1), code, signal, stderr }
}
