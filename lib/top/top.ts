/** `timeout-wheel top`: starts a program and shows its timers while it runs. */
import { clearTimeout, setTimeout } from 'node:timers'
import { parseArgs } from 'node:util'
import { blocks, screen, type Terminal } from './output.js'
import { startProgram } from './program.js'

export const usage = `Usage: timeout-wheel top [--once] [--seconds <n>] <program> [arguments]

Starts a program of Node with the timers of timeout-wheel, and shows them once
a second: rates, lateness, the slowest callbacks. In a terminal the view is
redrawn, and what the program prints is shown below it. Otherwise each view is
a block of text on standard output, and what the program prints goes to standard
error. Exits with the code of the program.

  --once         print one block when the program has ended
  --seconds <n>  end the program by SIGTERM after n seconds
  -h, --help     print this`

/** The longest time of Node's timers, in seconds. A longer one would end the program at once. */
const MOST_SECONDS = Math.floor((2 ** 31 - 1) / 1000)

interface Command {
  readonly once: boolean
  /** Infinity: as long as the program runs. */
  readonly seconds: number
  /** The program and its arguments. */
  readonly command: readonly string[]
}

const OPTIONS = {
  once: { type: 'boolean' },
  seconds: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

/** Reads the arguments after `top`. @throws Error with the argument that is wrong */
export function readCommand(args: string[]): Command | 'help' {
  // The options of the program follow its name.
  const { tokens } = parseArgs({ args, options: OPTIONS, strict: false, tokens: true })
  const first = tokens.find(({ kind }) => kind === 'positional')?.index ?? args.length
  const { values } = parseArgs({ args: args.slice(0, first), options: OPTIONS })
  if (values.help) return 'help'
  const command = args.slice(first)
  if (command.length === 0) throw new Error('the program is missing')
  const { once = false, seconds: text } = values
  const seconds = text === undefined ? Number.POSITIVE_INFINITY : Number(text)
  const isTime = seconds > 0 && (seconds <= MOST_SECONDS || text === undefined)
  if (!isTime) throw new Error(`--seconds must be a number above 0, at most ${MOST_SECONDS}, got '${text}'`)
  return { once, seconds, command }
}

/** Runs the program. Returns its exit code. */
export async function run({ once, seconds, command }: Command): Promise<number> {
  const { stdout, stderr } = process
  const output = stdout.isTTY && !once ? screen(stdout as Terminal) : blocks(stdout, stderr, once)
  const program = startProgram(command, once, output)
  const timer =
    seconds === Number.POSITIVE_INFINITY ? undefined : setTimeout(() => program.end(), seconds * 1000)
  // A terminal sends its signals to the program too. The command waits for the program.
  const wait = (): void => {}
  const forward = (signal: NodeJS.Signals): void => void program.signal(signal)
  process.on('SIGINT', wait).on('SIGTERM', forward).on('SIGHUP', forward)
  const { code, hasView } = await program.ended
  clearTimeout(timer)
  output.end()
  if (!hasView) console.error('timeout-wheel top: the program has ended without a report')
  return code
}
