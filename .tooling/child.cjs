/**
 * The one way in which tests, benchmarks and tools start a program, so that nothing hangs and nothing is left behind.
 *
 * - Each child has a limit. At the limit it is ended, and the error names the program and the limit.
 * - Each child leads a group of processes. The group ends with the child: no grandchild keeps running or keeps a pipe open.
 * - When this process ends in any way, even by SIGKILL, a guard kills the children that are left.
 *
 * The guard is a small `sh`, one for each process that starts children. Only this process has the write end of its pipe, so the
 * pipe ends with this process. Then the guard kills the groups that it was told of. On Linux it also kills every process whose
 * environment has the mark of this process: a daemon that left its group, and a child that started while this process died.
 * Windows has no `sh` and no groups: there, this process kills its children when it exits.
 *
 * It is CommonJS because Jest cannot load ES modules on Node 20.
 */
const { spawn } = require('node:child_process')
const { randomUUID } = require('node:crypto')
const { basename } = require('node:path')
// Not the globals, which a test may replace.
const { clearTimeout, setTimeout } = require('node:timers')

/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE = 2_000
/** The global function that ends all children. */
const END_CHILDREN = Symbol.for('timeout-wheel.end-children')
const HAS_GROUPS = process.platform !== 'win32'
/** A limit in milliseconds, multiplied by TIMEOUT_WHEEL_PATIENCE: more than 1 for a slow machine, less in tests. */
function patiently(/** @type {number} */ limit, name = 'a program') {
  const milliseconds = limit * Number(process.env.TIMEOUT_WHEEL_PATIENCE ?? 1)
  if (milliseconds > 0 && milliseconds < 2 ** 31) return milliseconds
  throw new RangeError(`${name} needs a limit in milliseconds, got ${limit}`)
}
/** The variable that marks the children of one process. Their own children get another mark if they start them by this file. */
const MARK = 'TIMEOUT_WHEEL_CHILD_OF'
const owner = `${process.pid}-${randomUUID()}`

const GUARD = `
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
# The second round finds a child that had no environment yet.
for round in 1 2; do
  grep -lszxF '${MARK}=${owner}' /proc/[0-9]*/environ | while read -r file; do
    id=\${file#/proc/}
    kill -s KILL "\${id%/environ}"
  done
  sleep 0.1
done`

/**
 * @typedef {object} Options
 * @property {number} limit  Milliseconds after which the child is ended.
 * @property {string | URL} [cwd]
 * @property {NodeJS.ProcessEnv} [env]  The whole environment; that of this process if not given.
 * @property {import('node:child_process').StdioOptions} [stdio]  By default no input, and pipes for the output.
 * @property {string} [input]  The text of its standard input, if `run` starts it.
 *
 * @typedef {{ code: number | null, signal: NodeJS.Signals | null }} End
 * @typedef {End & { stdout: string, stderr: string }} Outcome
 *
 * @typedef {object} Child
 * @property {import('node:child_process').ChildProcess} process
 * @property {Promise<End>} ended  Resolves when the child and its pipes have ended. Rejects if it cannot start, or at its limit.
 * @property {(signal?: NodeJS.Signals) => Promise<void>} end  Ends the group: by the signal, SIGTERM if not given, then by SIGKILL.
 */

/** Rejection of a child that was ended at its limit, with what it wrote if `run` started it. */
class LimitError extends Error {
  stdout = ''
  stderr = ''
}

const children = new Set()
let guard

function startGuard() {
  if (guard !== undefined || !HAS_GROUPS) return
  // Without the mark of the parent, whose guard would kill this one too early.
  const env = { PATH: process.env.PATH }
  guard = spawn('sh', ['-c', GUARD], { stdio: ['pipe', 'ignore', 'ignore'], env, cwd: '/', detached: true })
  guard.unref()
  guard.stdin?.unref()
  // A system without `sh`, or a guard that was killed: the children still end with this process unless it is killed.
  guard.on('error', () => {})
  guard.stdin?.on('error', () => {})
}

const tellGuard = (line) => guard?.stdin?.write(`${line}\n`)

function signalGroup({ pid }, signal) {
  if (pid === undefined) return
  try {
    process.kill(HAS_GROUPS ? -pid : pid, signal)
  } catch (error) {
    // The whole group has ended. (macOS says EPERM if it consists of zombies.)
    if (error.code !== 'ESRCH' && error.code !== 'EPERM') throw error
  }
}

/** Whether the child itself has ended. Then its group was killed, and its id can be that of another process. */
const hasExited = ({ exitCode, signalCode }) => exitCode !== null || signalCode !== null

process.on('exit', () => {
  for (const child of children) if (!hasExited(child.process)) signalGroup(child.process, 'SIGKILL')
})

/** The environment for a child that another library starts, such as a browser. Call `adopt` when it has started. */
function markedEnvironment(env = process.env) {
  startGuard()
  return { ...env, [MARK]: owner }
}

/** Gives a child a limit, and ends its group with it. It must lead a group. Messages contain the name. @returns {Child} */
function adopt(child, name, /** @type {number} */ milliseconds) {
  const closed = new Promise((resolve, reject) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
    child.once('error', (error) => {
      if (child.pid === undefined) reject(new Error(`${name} could not be started: ${error.message}`))
    })
  })
  const end = async (/** @type {NodeJS.Signals} */ signal = 'SIGTERM') => {
    if (!hasExited(child)) signalGroup(child, signal)
    const grace = setTimeout(() => {
      if (!hasExited(child)) signalGroup(child, 'SIGKILL')
      // A process that left the group may hold the other ends.
      for (const stream of child.stdio ?? []) stream?.destroy()
    }, GRACE)
    await closed.catch(() => {})
    clearTimeout(grace)
  }
  let late
  const clock = setTimeout(() => {
    const rest = hasExited(child) ? ': it has exited, but another process keeps its output open' : ''
    late = new LimitError(`${name} did not end within ${milliseconds / 1_000} s${rest}`)
    end()
  }, milliseconds)
  const ended = closed.finally(() => {
    clearTimeout(clock)
    children.delete(adopted)
    if (late) throw late
  })
  // Whoever waits for the child gets the rejection.
  ended.catch(() => {})
  const adopted = { process: child, ended, end }
  if (child.pid === undefined) return adopted
  tellGuard(`+ ${child.pid}`)
  children.add(adopted)
  child.once('exit', () => {
    signalGroup(child, 'SIGKILL')
    tellGuard(`- ${child.pid}`)
  })
  return adopted
}

const nameOf = (program, args) => [basename(program), ...args].join(' ').slice(0, 200)

/** Starts a program. @param {string} program @param {string[]} args @param {Options} options @returns {Child} */
function start(program, args, { limit, env, stdio = ['ignore', 'pipe', 'pipe'], ...options }) {
  const name = nameOf(program, args)
  const milliseconds = patiently(limit, name)
  const child = spawn(program, args, { ...options, stdio, env: markedEnvironment(env), detached: HAS_GROUPS })
  return adopt(child, name, milliseconds)
}

/** Runs a program until it ends, and collects its output. @param {string} program @param {string[]} args @param {Options} options @returns {Promise<Outcome>} */
async function run(program, args, { input, ...options }) {
  const stdio = [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe']
  const child = start(program, args, { stdio, ...options })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    child.process[name]?.setEncoding('utf8').on('data', (part) => {
      output[name] += part
    })
  }
  // A program that reads nothing closes its end.
  child.process.stdin?.on('error', () => {}).end(input)
  try {
    return { ...(await child.ended), ...output }
  } catch (error) {
    if (error instanceof LimitError) {
      Object.assign(error, output)
      error.message += `\n${(output.stdout + output.stderr).slice(-2_000)}`.trimEnd()
    }
    throw error
  }
}

/** Returns the output of a program that must succeed. @type {(...command: Parameters<typeof run>) => Promise<string>} */
async function outputOf(program, args, options) {
  const { code, signal, stdout, stderr } = await run(program, args, options)
  if (code === 0) return stdout
  const end = signal ?? `code ${code}`
  throw new Error(`${nameOf(program, args)} ended with ${end}:\n${stdout}${stderr}`.trimEnd())
}

/** Ends all children of this process. */
async function endAll() {
  await Promise.all([...children].map((child) => child.end()))
  guard?.stdin?.end()
  guard = undefined
}

// Jest loads this file once for each test file, and gives the file its own globals: see jest-runner.cjs.
globalThis[END_CHILDREN] = endAll

module.exports = { adopt, END_CHILDREN, LimitError, markedEnvironment, outputOf, patiently, run, start }
