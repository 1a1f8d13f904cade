/** The program that `timeout-wheel top` shows: how it is started, asked for a view, and ended. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { Output } from './output.js'

/** Milliseconds from one view to the next. */
const INTERVAL = 1000
/** The descriptors in the program of the views, and of the requests for one. */
const VIEWS = 3
const REQUESTS = 4
/** How many milliseconds a program has to answer a request. One whose loop is blocked never does. */
const ANSWER_WITHIN = 1000
/** How many milliseconds after SIGTERM the program is killed. */
export const KILL_AFTER = 5000
/**
 * How many milliseconds after the end of the program its output is read. What it has printed is there already, but a process that it
 * leaves behind can hold the output open.
 */
const READ_FOR = 1000

/** The program keeps the command alive. */
const sleep = (ms: number): Promise<void> => setTimeout(ms, undefined, { ref: false })

/** The view that the agent sends in a line. A program that is killed can leave a part of a line, which is nothing. */
export function viewIn(line: string): string[] | undefined {
  try {
    return JSON.parse(line) as string[]
  } catch {
    return undefined
  }
}

/**
 * @returns `signal` and `end`, and `ended` with the exit code of the program, whether there was a view, and whether SIGKILL was needed
 */
export function startProgram(command: readonly string[], isOnce: boolean, output: Output) {
  const agent = new URL('./top-agent.mjs', import.meta.url).href
  const child = spawn(process.execPath, [...process.execArgv, '--import', agent, ...command], {
    env: { ...process.env, TIMEOUT_WHEEL_TOP: [VIEWS, REQUESTS, INTERVAL, +isOnce].join(':') },
    stdio: ['inherit', 'pipe', 'pipe', 'pipe', 'pipe'],
  })
  const exit = once(child, 'exit') as Promise<[code: number | null, signal: NodeJS.Signals]>
  const closed = new Promise((resolve) => child.on('close', resolve))
  let hasView = false
  let isEnding = false
  let isKilled = false

  output.connect(child.stdout!)
  output.connect(child.stderr!)
  const messages = createInterface({ input: child.stdio[VIEWS] as Readable }).on('line', (line) => {
    const view = viewIn(line)
    if (view === undefined) return
    hasView = true
    output.show(view)
  })
  // The program can end before it reads a request.
  const requests = (child.stdio[REQUESTS] as Writable).on('error', () => {})

  /** Asks for a view, which is the last one if the program does not handle the signal, and then sends the signal. */
  async function signal(name: NodeJS.Signals): Promise<void> {
    requests.write('?')
    await Promise.race([once(messages, 'line'), exit, sleep(ANSWER_WITHIN)])
    child.kill(name)
  }
  /** Ends the program, even one that ignores SIGTERM. */
  async function end(): Promise<void> {
    isEnding = true
    await signal('SIGTERM')
    await Promise.race([exit, sleep(KILL_AFTER)])
    // False if the program has ended.
    isKilled = child.kill('SIGKILL')
  }
  const ended = exit.then(async ([code, endedBy]) => {
    await Promise.race([closed, sleep(READ_FOR)])
    for (const stream of child.stdio) stream?.destroy()
    const isOurs = isEnding && (endedBy === 'SIGTERM' || isKilled)
    // A shell gives this code to a program that a signal has ended.
    const own = code ?? 128 + constants.signals[endedBy]
    return { code: isOurs ? 0 : own, hasView, isKilled }
  })
  return { signal, end, ended }
}
