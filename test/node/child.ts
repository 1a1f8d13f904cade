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

const ROOT = join(__dirname, '..', '..')
const TIME_LIMIT = 20_000

/** `script` is the text of an ES module. */
export function run(script: string, nodeFlags: string[] = []): Promise<Outcome> {
  const flags = [...nodeFlags, '--input-type=module', '--eval', script]
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      flags,
      { cwd: ROOT, timeout: TIME_LIMIT },
      (_error, stdout, stderr) => {
        const lines = stdout.split('\n').filter((line) => line !== '')
        resolve({ code: child.exitCode, signal: child.signalCode, lines, stderr })
      },
    )
  })
}
