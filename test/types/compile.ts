/** What is wrong in programs that use the package: see compile-all.cjs. */
import { join } from 'node:path'
import { outputOf } from '../../.tooling/child.cjs'

/** Compiles programs, each with the words of a command line of `tsc`. Returns the problems of each, and how many declarations were checked. */
export async function compile(
  folder: string,
  programs: readonly string[][],
): Promise<{ problems: string; checked: number }[]> {
  const all = programs.map((words) => ({ folder, words }))
  const args = [join(__dirname, 'compile-all.cjs'), JSON.stringify(all)]
  return JSON.parse(await outputOf(process.execPath, args, { limit: 60_000 }))
}
