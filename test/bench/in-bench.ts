import { join } from 'node:path'
import { outputOf, run } from '../../.tooling/child.cjs'

const options = { cwd: join(__dirname, '../../bench'), limit: 60_000 }

/** Runs a program of Node in bench/. */
export const runInBench = (args: string[]): ReturnType<typeof run> => run(process.execPath, args, options)

/** Runs the text of an ES module, which Jest does not load, in bench/. Returns the value that it passes to `show`. */
export async function inBench<T>(source: string): Promise<T> {
  const text = `const show = (value) => console.log(JSON.stringify(value))\n${source}`
  return JSON.parse(await outputOf(process.execPath, ['--input-type=module', '--eval', text], options)) as T
}
