/**
 * Tests that are one program each, which prints lines and ends without an error:
 *
 *     prints('title', 'a line', 'another line')(`the program`)
 */
import { expect, it } from '@jest/globals'
import { CLEAN } from './backends.js'
import { run } from './child.js'
import { inOneProcess, type Programs } from './one-process.js'

type Tests = (title: string, ...lines: string[]) => (program: string) => void

/** Each program is an ES module, and has its own process. */
export const printsWith =
  (flags: string[], env: NodeJS.ProcessEnv = {}, prelude = ''): Tests =>
  (title, ...lines) =>
  (program) =>
    it(title, async () => expect(await run(prelude + program, flags, env)).toEqual({ ...CLEAN, lines }))

export const prints = printsWith([])

/** The programs share a process: see `inOneProcess`. */
export function printsInOneProcess(shared: Omit<Programs, 'programs'>): Tests {
  const programs: string[] = []
  const outcomeOf = inOneProcess({ ...shared, programs })
  return (title, ...lines) =>
    (program) => {
      programs.push(program)
      it(title, async () => expect(await outcomeOf(program)).toEqual({ ...CLEAN, lines }))
    }
}
