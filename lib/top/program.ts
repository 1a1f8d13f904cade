/** The program that `timeout-wheel top` shows: how it is started and ended. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { Output } from './output.js'

/** Milliseconds from one view to the next. Of those with `--once`, only the last is shown: a signal can end the program without another. */
const INTERVAL = 1000
const INTERVAL_ONCE = 100
/** The descriptor of the views in the program. */
const VIEWS = 3
/**
 * How many milliseconds after the end of the program its output is read. What it has printed is there already, but a process that it
 * leaves behind can hold the output open.
 */
const READ_FOR = 1000

/** The view that the agent sends in a line. A program that is killed can leave a part of a line, which is nothing. */
export function viewIn(line: string): string[] | undefined {
  try {
    return JSON.parse(line) as string[]
  } catch {
    return undefined
  }
}

/**
 * @returns `signal` and `end`, and `ended` with the exit code of the program and whether there was a view
 */
export function startProgram(command: readonly string[], isOnce: boolean, output: Output) {
  const agent = new URL('./top-agent.mjs', import.meta.url).href
  const child = spawn(process.execPath, [...process.execArgv, '--import', agent, ...command], {
    env: { ...process.env, TIMEOUT_WHEEL_TOP: [VIEWS, isOnce ? INTERVAL_ONCE : INTERVAL, +isOnce].join(':') },
    stdio: ['inherit', 'pipe', 'pipe', 'pipe'],
  })
  const exit = once(child, 'exit') as Promise<[code: number | null, signal: NodeJS.Signals]>
  const closed = new Promise((resolve) => child.on('close', resolve))
  let hasView = false
  let isEnding = false

  output.connect(child.stdout!)
  output.connect(child.stderr!)
  createInterface({ input: child.stdio[VIEWS] as Readable }).on('line', (line) => {
    const view = viewIn(line)
    if (view === undefined) return
    hasView = true
    output.show(view)
  })

  const signal = (name: NodeJS.Signals): boolean => child.kill(name)
  function end(): void {
    isEnding = true
    signal('SIGTERM')
  }
  const ended = exit.then(async ([code, endedBy]) => {
    await Promise.race([closed, setTimeout(READ_FOR, undefined, { ref: false })])
    for (const stream of child.stdio) stream?.destroy()
    const isOurs = isEnding && endedBy === 'SIGTERM'
    // A shell gives this code to a program that a signal has ended.
    const own = code ?? 128 + constants.signals[endedBy]
    return { code: isOurs ? 0 : own, hasView }
  })
  return { signal, end, ended }
}
