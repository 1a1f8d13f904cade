import { join } from 'node:path'
import { outputOf } from '../../.tooling/child.cjs'

/**
 * Runs the text of an ES module in bench/, and returns the value that it passes to `show`. It needs a process, because Jest
 * loads no ES modules here.
 */
export async function inBench<T>(source: string): Promise<T> {
  const text = `const show = (value) => console.log(JSON.stringify(value))\n${source}`
  const output = await outputOf(process.execPath, ['--input-type=module', '--eval', text], {
    cwd: join(__dirname, '../../bench'),
    limit: 60_000,
  })
  return JSON.parse(output) as T
}
