import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * Runs the text of an ES module in bench/, and returns the value that it passes to `show`. It needs a process, because Jest
 * loads no ES modules here.
 */
export function inBench<T>(source: string): T {
  const text = `const show = (value) => console.log(JSON.stringify(value))\n${source}`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', text], {
    cwd: join(__dirname, '../../bench'),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as T
}
