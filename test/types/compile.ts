/** What is wrong in programs that use the package: see compile-all.cjs. */
import { join } from 'node:path'
import { outputOf, run } from '../../.tooling/child.cjs'

export interface Compiled {
  problems: string
  /** How many declarations of the package were checked. */
  checked: number
}

const LIMIT = 120_000

/** Compiles programs, each with the words of a command line of `tsc`. @param typescript the path of the package */
export async function compile(folder: string, programs: string[][], typescript: string): Promise<Compiled[]> {
  const args = [join(__dirname, 'compile-all.cjs'), typescript, folder, JSON.stringify(programs)]
  return JSON.parse(await outputOf(process.execPath, args, { limit: LIMIT }))
}

/** The same by the command `tsc`, with all checks: TypeScript 7 has no other interface. @param typescript the path of the package */
export async function compileByTsc(folder: string, words: string[], typescript: string): Promise<Compiled> {
  const options = '--ignoreConfig --noEmit --declaration --listFiles --pretty false'.split(' ')
  const args = [join(typescript, 'bin/tsc'), ...options]
  const { stdout, stderr } = await run(process.execPath, [...args, ...words], { cwd: folder, limit: LIMIT })
  const isForeign = /^(bundled:|[^\s(]*\/?node_modules\/(?!timeout-wheel\/))/
  const lines = stdout.split('\n')
  const problems = lines.filter((line) => /(^|: )error TS\d+: /.test(line) && !isForeign.test(line))
  const declarations = lines.filter((line) => /\/timeout-wheel\/dist\/.*\.d\.[mc]ts$/.test(line))
  return { problems: problems.join('\n') + stderr, checked: declarations.length }
}
