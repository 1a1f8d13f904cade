/**
 * Runs one program on Node's timers and on each of our builds, each in a new process, and compares the outcomes. Time passes
 * only while a program waits. On the real clock of a busy machine, our slices would end at other callbacks.
 */
import { virtualClock } from '../differential/clock.js'
import { ENTRIES } from './backends.js'
import { type Outcome, run } from './child.js'
import { inOneProcess, programsOf } from './one-process.js'

/** Names that every program may use. It imports all other names itself. */
const PRELUDE = `
  const { setTimeout, clearTimeout, setInterval, clearInterval } = timers
  // Print at the end: printing opens a stream, which async hooks see. In one write: a process that ends loses what does not fit into
  // the socket of its output, which holds few small writes.
  const said = []
  const textOf = (values) => values.map((value) => typeof value === 'string' ? value : inspect(value)).join(' ')
  const sayAll = () => { if (said.length > 0) console.log(said.splice(0).map(textOf).join('\\n')) }
  let note = (values) => said.push(values)
  const log = (...values) => void note(values)
  process.on('exit', () => { sayAll(); note = (values) => console.log(textOf(values)) })
  const busyWait = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); }
`

const preludeOf = (entry: string): string =>
  `import * as timers from '${entry}'\nimport { inspect } from 'node:util'\nconst entry = '${entry}'\n${PRELUDE}`

const runOn = (entry: string, body: string, flags: string[]): Promise<Outcome> =>
  run(preludeOf(entry) + body, flags, virtualClock())

/**
 * Removes the process id, the frames of the code that calls callbacks, and the source line that Node shows first. For our timers, that line
 * is the one that made the error instead of the one that threw it, or a line of our own code.
 */
function comparable(stderr: string): string {
  return stderr
    .replace(/(?:(?:file:|[^\n]*\/dist\/)[^\n]*:\d+\n[^\n]*\n[ \t]*\^+\n|<anonymous_script>:0\n\n)/, '')
    .split('\n')
    .filter((line) => !/^ +at .*(node:internal|node:async_hooks|\/dist\/)/.test(line))
    .join('\n')
    .replaceAll(/\(node:\d+\)/g, '(node)')
}

const SOURCES = ['node:timers', ...ENTRIES]

/** Declares a test for each program of a text, which runs in processes of its own. */
export function eachLikeNative(text: string, prelude = '', flags: string[] = []): void {
  each(text, (entry) => (program) => runOn(entry, prelude + program, flags))
}

/** The same for programs that share processes: see `inOneProcess`. */
export function eachLikeNativeInOne(text: string, prelude = '', after = ''): void {
  const programs = programsOf(text).map(([, program]) => program)
  const shared = { programs, after: `${after}\nsayAll()`, env: virtualClock() }
  each(text, (entry) => inOneProcess({ ...shared, prelude: preludeOf(entry) + prelude }))
}

/** The lines of a program in a text are the first that it must print. */
function each(text: string, runOn: (entry: string) => (program: string) => Promise<Outcome>): void {
  const runs = SOURCES.map(runOn)
  it.each(programsOf(text))('%s', async (_title, program, lines) => {
    const native = expectEqual(await Promise.all(runs.map((run) => run(program))))
    expect(native.lines.slice(0, lines.length)).toEqual(lines)
  })
}

function expectEqual(outcomes: Outcome[]): Outcome {
  const [native, ...ours] = outcomes.map((outcome) => ({ ...outcome, stderr: comparable(outcome.stderr) }))
  // A program that is not run, or prints nothing, compares nothing.
  expect(native!.stderr).not.toMatch(/^SyntaxError|before this program began/m)
  expect([native!.signal, native!.lines.length > 0 || native!.code !== 0]).toEqual([null, true])
  expect(ours).toEqual(ENTRIES.map(() => native))
  return native!
}
