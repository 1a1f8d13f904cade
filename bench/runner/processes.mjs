/** The processes that are measured, and the messages to and from them. */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import * as child from '../../.tooling/child.cjs'
import { root } from '../../.tooling/step.mjs'

/** Milliseconds that a process may live. A part uses it for hours at most, and `patience` limits each of its answers. */
const LIMIT = 12 * 3_600_000

const options = ({ stdio, env = {} }) => ({ cwd: root, stdio, env: { ...process.env, ...env }, limit: LIMIT })

/** Starts a program of Node with a message channel. `heap`: mebibytes of the JavaScript heap. `env` is added to the environment. */
const startNode = (file, args, { heap, execArgv = [], env } = {}) => {
  const limit = heap === undefined ? [] : [`--max-old-space-size=${heap}`]
  const how = options({ stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env })
  return child.start(process.execPath, [...execArgv, ...limit, file, ...args], how).process
}

const CHILD = fileURLToPath(new URL('../child.mjs', import.meta.url))

export const startChild = (part, name, subject, options = {}, how = {}) =>
  startNode(CHILD, [part, name, subject, JSON.stringify(options)], how)

export const outputOf = (program, args, how = {}) => child.outputOf(program, args, options(how))

export const runHere = async (program, args) =>
  (await child.start(program, args, options({ stdio: 'inherit' })).ended).code ?? 1

/** The next message of a child. Rejects if it is a failure, if the child ends before, or after `patience` seconds. */
export const nextMessage = (child, { patience = 120 } = {}) =>
  new Promise((resolve, reject) => {
    const name = child.spawnargs.slice(-4).join(' ')
    const finish = (settle, value) => {
      clearInterval(clock)
      child.off('exit', onExit).off('message', onMessage)
      settle(value)
    }
    const giveUp = (reason) => {
      child.kill('SIGKILL')
      finish(reject, new Error(reason))
    }
    const onExit = (code) => giveUp(`${name} ended with code ${code} and no result`)
    const onMessage = (message) =>
      message?.failure === undefined ? finish(resolve, message) : giveUp(message.failure)
    // Counted in seconds that this process has run, so that a stop of the machine or of this process does not count.
    let waited = 0
    const clock = setInterval(() => {
      if (++waited >= patience) giveUp(`${name} sent no result within ${patience} s`)
    }, 1_000)
    child.once('exit', onExit).once('message', onMessage)
  })

export function ask(child, message, how) {
  const answer = nextMessage(child, how)
  child.send(message)
  return answer
}

async function toItsEnd(child, how) {
  const [message] = await Promise.all([nextMessage(child, how), once(child, 'exit')])
  return message
}

export const runChild = (part, name, subject, options, how) =>
  toItsEnd(startChild(part, name, subject, options, how), how)

/** Runs a program of Node whose subject is its own start, and returns the one message that it sends. */
export const runProgram = (name, args, how) =>
  toItsEnd(startNode(fileURLToPath(new URL(`../programs/${name}`, import.meta.url)), args, how), how)

/** Windows cannot stop processes. */
const canSuspend = process.platform !== 'win32'

/**
 * Starts a process for each subject, because in a shared one the engine would compile the code for all of them at once. `measure` gets a
 * function that runs a function of the part in one of them. The others are stopped meanwhile: some rivals visit all of their timers
 * twice a second, which takes caches and memory bandwidth.
 */
export async function withOwnProcesses(subjects, part, measure, how) {
  const children = new Map()
  try {
    for (const subject of subjects) {
      children.set(subject, startChild(part, 'serve', subject.subject ?? subject.id, {}, how))
    }
    return await measure(async (subject, name, options) => {
      const child = children.get(subject)
      if (canSuspend) child.kill('SIGCONT')
      const answer = await ask(child, { name, options }, how)
      if (canSuspend) child.kill('SIGSTOP')
      return answer
    })
  } finally {
    for (const child of children.values()) child.kill('SIGKILL')
  }
}
