/**
 * Tests that are one program each, which prints lines and ends without an error:
 *
 *     prints('title', 'a line', 'another line')`the program`
 */
import { expect, it } from '@jest/globals'
import { CLEAN } from './backends.js'
import { type Outcome, run } from './child.js'
import { inOneProcess, type Programs } from './one-process.js'

type Tests = (
  title: string,
  ...lines: string[]
) => (program: string | TemplateStringsArray, ...values: unknown[]) => void

const testsOf =
  (outcomeOf: (program: string) => Promise<Outcome>, add?: (program: string) => void): Tests =>
  (title, ...lines) =>
  (program, ...values) => {
    const text = typeof program === 'string' ? program : String.raw({ raw: program }, ...values)
    add?.(text)
    it(title, async () => expect(await outcomeOf(text)).toEqual({ ...CLEAN, lines }))
  }

/** Each program is an ES module, and has its own process. */
export const printsWith = (flags: string[], env: NodeJS.ProcessEnv = {}, prelude = ''): Tests =>
  testsOf((program) => run(prelude + program, flags, env))

export const prints = printsWith([])

/** The programs share a process: see `inOneProcess`. */
export function printsInOneProcess(shared: Omit<Programs, 'programs'>): Tests {
  const programs: string[] = []
  return testsOf(inOneProcess({ ...shared, programs }), (program) => programs.push(program))
}
