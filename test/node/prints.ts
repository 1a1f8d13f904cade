/**
 * Tests that are one program each, which prints lines and ends without an error. See `programsOf` for the text that has them.
 *
 *     prints(`
 *       # title -> a line | another line
 *       the program
 *       # title of the next one`)
 */
import { CLEAN } from './backends.js'
import { type Outcome, run } from './child.js'
import { inOneProcess, type Programs, programsOf } from './one-process.js'

type Tests = (text: string) => void

const testsOf =
  (outcomeOf: (program: string) => Promise<Outcome>, add?: (program: string) => void): Tests =>
  (text) => {
    for (const [title, program, lines] of programsOf(text)) {
      add?.(program)
      it(title, async () => expect(await outcomeOf(program)).toEqual({ ...CLEAN, lines }))
    }
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
