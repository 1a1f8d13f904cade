/** The processes that are measured, and the messages to and from them. */

import { fileURLToPath } from 'node:url'
import { start } from '../../.tooling/child.cjs'

/**
 * @import { ChildProcess } from 'node:child_process'
 * @import { Contender } from '../contenders/index.mjs'
 * @import { Row } from './harness.mjs'
 *
 * @typedef {object} ProcessOptions
 * @property {number} [heap]  Limit of the JavaScript heap in mebibytes, instead of Node's own limit.
 * @property {string[]} [execArgv]  Options of Node.
 * @property {Record<string, string>} [env]  Variables that are added to those of this process.
 * @property {number} [patience]  Seconds after which a child that has not answered is ended; 120 if not given.
 * @property {string} [file]  The file of `children/` that `withOwnProcesses` runs for each contender; `loops.mjs` if not given.
 * @property {string[]} [args]  Arguments of that file after the contender.
 */

/**
 * Starts a process for each contender. In a shared process the engine would compile the functions of the package for all
 * contenders at once, which happens in no program. Only the process that is asked runs, and the others are stopped: some rivals
 * visit all of their timers twice a second, and would use caches and memory bandwidth during the measurement.
 *
 * @param {Contender[]} contenders
 * @param {(ask: (contender: Contender, loop: string, options: object) => Promise<any>) => Promise<Row[]>} measure
 *   `ask` runs a function of `loops/` in the process, and returns its result.
 * @param {ProcessOptions} [options]
 */
export async function withOwnProcesses(contenders, measure, options) {
  /** @type {Map<Contender, ChildProcess>} */
  const children = new Map()
  const { file = 'loops.mjs', args = [] } = options ?? {}
  for (const contender of contenders) {
    children.set(contender, startChild(file, [contender.id, ...args], options))
  }
  try {
    return await measure(async (contender, loop, loopOptions) => {
      const child = /** @type {ChildProcess} */ (children.get(contender))
      resume(child)
      const answer = await ask(child, { loop, options: loopOptions }, options)
      suspend(child)
      return answer
    })
  } finally {
    for (const child of children.values()) child.kill('SIGKILL')
  }
}

/** Windows cannot stop processes. */
const canSuspend = process.platform !== 'win32'

/** @param {ChildProcess} child */
const suspend = (child) => canSuspend && child.kill('SIGSTOP')

/** @param {ChildProcess} child */
const resume = (child) => canSuspend && child.kill('SIGCONT')

/** Milliseconds that a process may live. A part uses it for hours at most, and `patience` limits each of its answers. */
const LIMIT = 12 * 3_600_000

/**
 * Starts a file of `children/` with a message channel.
 *
 * @param {string} file
 * @param {(string | number)[]} args
 * @param {ProcessOptions} [options]
 * @returns {ChildProcess}
 */
export const startChild = (file, args, { heap, execArgv = [], env = {} } = {}) =>
  start(
    process.execPath,
    [
      ...execArgv,
      ...(heap === undefined ? [] : [`--max-old-space-size=${heap}`]),
      fileURLToPath(new URL(`../children/${file}`, import.meta.url)),
      ...args.map(String),
    ],
    {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, ...env },
      limit: LIMIT,
    },
  ).process

/**
 * The next message of a child. Rejects if the message is a failure, if the child ends without one, or if it sends none in time.
 *
 * @param {ChildProcess} child
 * @param {ProcessOptions} [options]
 * @returns {Promise<any>}
 */
export const nextMessage = (child, { patience = 120 } = {}) =>
  new Promise((resolve, reject) => {
    const name = child.spawnargs.slice(-3).join(' ')
    /** @param {number | null} code */
    const onExit = (code) => {
      clearInterval(clock)
      reject(new Error(`${name} ended with code ${code} and no result`))
    }
    // Counted in seconds that this process has run, so that a stop of the machine or of this process does not count.
    let waited = 0
    const clock = setInterval(() => {
      if (++waited < patience) return
      clearInterval(clock)
      child.off('exit', onExit)
      child.kill('SIGKILL')
      reject(new Error(`${name} sent no result within ${patience} s`))
    }, 1_000)
    child.once('exit', onExit)
    child.once('message', (/** @type {any} */ message) => {
      clearInterval(clock)
      child.off('exit', onExit)
      if (message?.failure === undefined) return resolve(message)
      child.kill('SIGKILL')
      reject(new Error(message.failure))
    })
  })

/**
 * Sends a message, and returns the answer.
 *
 * @param {ChildProcess} child
 * @param {any} message
 * @param {ProcessOptions} [options]
 * @returns {Promise<any>}
 */
export function ask(child, message, options) {
  const answer = nextMessage(child, options)
  child.send(message)
  return answer
}

/**
 * Runs a child until it ends, and returns the one message that it sends.
 *
 * @param {string} file
 * @param {(string | number)[]} args
 * @param {ProcessOptions} [options]
 * @returns {Promise<any>}
 */
export async function runChild(file, args, options) {
  const child = startChild(file, args, options)
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const message = await nextMessage(child, options)
  await exited
  return message
}
