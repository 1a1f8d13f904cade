/** `timeout-wheel top`: starts a program and shows its timers while it runs. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import { Blocks, codeOf, Screen, type Terminal, type View } from './views.js'

export const usage = `Usage: timeout-wheel top [--once | --seconds <n>] <program> [arguments]

Starts a program of Node with the timers of timeout-wheel, and shows them once
a second: rates, pending timers by delay, lateness, the slowest callbacks. In a
terminal the view is redrawn, and what the program prints is shown below it.
Otherwise each view is a block of text on standard output, and what the program
prints goes to standard error. Exits with the code of the program.

  --once         print one block when the program has ended
  --seconds <n>  end the program after n seconds
  -h, --help     print this`

const BAD_USAGE = 2
/** Milliseconds from one report to the next. */
const INTERVAL = 1000
/** The descriptor of the reports in the program. */
const REPORTS = 3

interface Command {
  readonly once: boolean
  /** Infinity: as long as the program runs. */
  readonly seconds: number
  readonly program: string
  readonly args: string[]
}

/** Reads the arguments after `top`. @throws Error that names what is wrong */
export function readCommand(args: string[]): Command | 'help' {
  // The options of the program follow its name.
  const { tokens } = parseArgs({
    args,
    options: OPTIONS,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const first = tokens.find(({ kind }) => kind === 'positional')?.index ?? args.length
  const { values } = parseArgs({ args: args.slice(0, first), options: OPTIONS, allowPositionals: true })
  if (values.help) return 'help'
  const [program, ...rest] = args.slice(first)
  if (program === undefined) throw new Error('the program is missing')
  const { once = false, seconds: text } = values
  const seconds = text === undefined ? Number.POSITIVE_INFINITY : Number(text)
  if (!(seconds > 0) || text?.trim() === '')
    throw new Error(`--seconds must be a number above 0, got '${text}'`)
  return { once, seconds, program, args: rest }
}

const OPTIONS = {
  once: { type: 'boolean' },
  seconds: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

function start({ program, args }: Command): ChildProcess {
  const agent = new URL('./top-agent.mjs', import.meta.url).href
  const env = { ...process.env, TIMEOUT_WHEEL_TOP: `${REPORTS}:${INTERVAL}` }
  const flags = [...process.execArgv, '--import', agent]
  return spawn(process.execPath, [...flags, program, ...args], {
    env,
    stdio: ['inherit', 'pipe', 'pipe', 'pipe'],
  })
}

function viewFor({ once }: Command): View {
  const { stdout, stderr } = process
  return stdout.isTTY && !once ? new Screen(stdout as Terminal) : new Blocks(stdout, stderr, once)
}

/** Runs the program. Returns its exit code. */
function run(command: Command): Promise<number> {
  const child = start(command)
  const view = viewFor(command)
  view.connect(child.stdout!, child.stderr!)
  createInterface({ input: child.stdio[REPORTS] as Readable }).on('line', (line) =>
    view.show(JSON.parse(line)),
  )
  let isEnded = false
  const timer =
    command.seconds === Number.POSITIVE_INFINITY
      ? undefined
      : setTimeout(() => {
          isEnded = child.kill()
        }, command.seconds * 1000)
  // A terminal sends its signals to the program too. The view waits for the program.
  const wait = (): void => {}
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal)
  process.on('SIGINT', wait).on('SIGTERM', forward).on('SIGHUP', forward)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    // After all of its output.
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      view.end()
      resolve(isEnded && signal === 'SIGTERM' ? 0 : (code ?? codeOf(signal!)))
    })
  })
}

/** @param args the arguments after `top` */
export async function top(args: string[]): Promise<void> {
  let command: Command | 'help'
  try {
    command = readCommand(args)
  } catch (error) {
    console.error(`timeout-wheel top: ${(error as Error).message}\n\n${usage}`)
    process.exitCode = BAD_USAGE
    return
  }
  if (command === 'help') console.log(usage)
  else process.exitCode = await run(command)
}
