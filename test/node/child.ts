/** Runs a script in a new process that can import the package by its name. */
import { join } from 'node:path'
import { run as runProgram } from '../../.tooling/child.cjs'

export interface Outcome {
  code: number | null
  signal: string | null
  /** The printed lines. */
  lines: string[]
  stderr: string
}

export const ROOT = join(__dirname, '..', '..')
/** Milliseconds until a process counts as hanging. It is less than a minute: some programs set an unreferenced timer of a minute. */
const TIME_LIMIT = 50_000

/** @param script the text of an ES module */
export function run(script: string, nodeFlags: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  return runNode([...nodeFlags, '--input-type=module', '--eval', script], env)
}

/** Runs Node with these arguments. */
export function runNode(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  return collect(process.execPath, args, env)
}

/** Runs the text of a shell script, in which the arguments are "$0" "$@". */
export function runShell(script: string, args: string[]): Promise<Outcome> {
  return collect('sh', ['-c', script, ...args], {})
}

async function collect(program: string, args: string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  const { code, signal, stdout, stderr } = await runProgram(program, args, {
    cwd: ROOT,
    limit: TIME_LIMIT,
    env: { ...process.env, ...env },
  })
  const lines = stdout.split('\n').filter((line) => line !== '')
  return { code, signal, lines, stderr }
}
