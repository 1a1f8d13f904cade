/** Runs a script in a new process that can import the package by its name. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'

export interface Outcome {
  code: number | null
  signal: string | null
  /** The printed lines. */
  lines: string[]
  stderr: string
}

export const ROOT = join(__dirname, '..', '..')
/**
 * Kills hanging processes. Shorter than the timers of a minute that no program may wait for, and long enough for a busy
 * machine.
 */
const TIME_LIMIT = 50_000

/** @param script the text of an ES module */
export function run(script: string, nodeFlags: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  return runNode([...nodeFlags, '--input-type=module', '--eval', script], env)
}

/** Runs Node with these arguments. */
export function runNode(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  return runProgram(process.execPath, args, env)
}

/** Runs the text of an ES module with a limit of open files. */
export function runWithDescriptors(limit: number, script: string): Promise<Outcome> {
  const node = [process.execPath, '--input-type=module', '--eval', script]
  return runProgram('sh', ['-c', `ulimit -n ${limit} && exec "$0" "$@"`, ...node], {})
}

function runProgram(program: string, args: string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      { cwd: ROOT, timeout: TIME_LIMIT, env: { ...process.env, ...env } },
      (_error, stdout, stderr) => {
        const lines = stdout.split('\n').filter((line) => line !== '')
        resolve({ code: child.exitCode, signal: child.signalCode, lines, stderr })
      },
    )
  })
}
