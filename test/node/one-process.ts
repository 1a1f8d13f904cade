/**
 * Runs many programs in one process, because the start of Node takes longer than most programs. They run one after the other: each
 * begins when the event loop of the former is empty, so how long it keeps a process alive can be seen. Unreferenced timers of
 * former programs may still be pending.
 */
import { type Outcome, run } from './child.js'

const END = '<end of a program>'

/** Programs that share a process. */
export interface Programs {
  /** The text that comes first in the module: imports, and names for all programs. */
  readonly prelude: string
  /** The text of a function's body for each program. It may await, but not import. */
  readonly programs: readonly string[]
  /** Statements that run at the start of each program, and at its end. */
  readonly before?: string
  readonly after?: string
  readonly flags?: string[]
  readonly env?: NodeJS.ProcessEnv
}

const scriptOf = ({ prelude, programs, before = '', after = '' }: Programs): string => `
  ${prelude}
  const _programs = [${programs.map((body) => `async () => {${before}\n${body}\n}`).join(',\n')}]
  const _after = () => {${after}}
  {
    let current = 0
    const end = () => {
      _after()
      console.log('${END}')
      console.error('${END}')
      process.removeAllListeners('uncaughtException')
      _programs[++current]?.()
    }
    process.on('beforeExit', () => {
      if (current === _programs.length) return
      // The listeners of a program come first. If they set nothing, there is one more event.
      if (process.listenerCount('beforeExit') > 1) setImmediate(() => {})
      // Node reports the end of async resources in another turn.
      else setImmediate(() => setImmediate(end))
    })
    _programs[0]()
  }`

/** Divides the outcome of the process. The exit code belongs to the programs that did not end, or to the last one. */
function divide({ code, signal, lines, stderr }: Outcome, count: number): Outcome[] {
  const outputs = lines.join('\n').split(END)
  const errors = stderr.split(`${END}\n`)
  return Array.from({ length: count }, (_, i) => {
    const isOver = i < outputs.length - 1 && i < count - 1
    return {
      ...(isOver ? { code: 0, signal: null } : { code, signal }),
      lines: (outputs[i] ?? '').split('\n').filter((line) => line !== ''),
      stderr: errors[i] ?? 'the process ended before this program began',
    }
  })
}

/** Runs the programs at the first call. Returns a function that returns the outcome of a program by its text. */
export function inOneProcess(shared: Programs): (program: string) => Promise<Outcome> {
  const { programs, flags, env } = shared
  let outcomes: Promise<Outcome[]> | undefined
  return async (program) => {
    outcomes ??= run(scriptOf(shared), flags, env).then((outcome) => divide(outcome, programs.length))
    return (await outcomes)[programs.indexOf(program)]!
  }
}

/** The rows of lines below a title. */
const ROWS = /^(?:\s*->.*)*/

/**
 * Reads the programs of a text. A line `# title` begins each. After `->`, there or in rows below, come the lines that the program must
 * print, with ` | ` between them.
 */
export function programsOf(text: string): [title: string, program: string, lines: string[]][] {
  const parts = text.split(/^ *# /m).slice(1)
  return parts.map((part) => {
    const [title, ...first] = part.slice(0, part.indexOf('\n')).split(' -> ')
    const body = part.slice(part.indexOf('\n'))
    const [rows] = ROWS.exec(body)!
    const lines = [...first, ...rows.split(/\s*-> /).slice(1)].flatMap((row) => row.split(' | '))
    return [title!, body.slice(rows.length), lines]
  })
}
