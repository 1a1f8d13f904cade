/** Runs a script in a process of its own, with the package importable by its name. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'

export interface Outcome {
  code: number | null
  signal: string | null
  /** The lines it printed. */
  lines: string[]
  stderr: string
}

export const ROOT = join(__dirname, '..', '..')
/** For what hangs; below the minute of timers that programs must not wait for, far above what a busy machine takes. */
const TIME_LIMIT = 50_000

/** `script` is the text of an ES module. */
export function run(script: string, nodeFlags: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  return runNode([...nodeFlags, '--input-type=module', '--eval', script], env)
}

/** Runs Node with these arguments. */
export function runNode(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  return runProgram(process.execPath, args, env)
}

/** Runs the text of an ES module where so many files can be open at a time. */
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
