/** The process that a page lives in, as Linux sees it: what its main thread has run for, and the memory that it alone has. */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/** @param {number | string} pid @param {string} file @returns {string | undefined} undefined: the process has ended */
function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error)
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw error
  }
}

/** @param {string} pid */
function parentOf(pid) {
  const stat = read(pid, 'stat')
  // The name, in brackets, may hold anything.
  return stat === undefined ? undefined : Number(stat.slice(stat.lastIndexOf(')') + 1).split(' ')[2])
}

/**
 * @param {number} ancestor
 * @returns {number[]} the processes that descend from it
 */
function descendantsOf(ancestor) {
  const parents = new Map()
  for (const name of readdirSync('/proc')) {
    if (/^\d+$/.test(name)) parents.set(Number(name), parentOf(name))
  }
  /** @param {number | undefined} pid @returns {boolean} */
  const descends = (pid) => pid !== undefined && (pid === ancestor || descends(parents.get(pid)))
  return [...parents.keys()].filter((pid) => pid !== ancestor && descends(pid))
}

/**
 * @param {number} pid
 * @returns {number} milliseconds that the main thread of a process has run
 */
export function mainThreadTime(pid) {
  const schedule = read(pid, `task/${pid}/schedstat`)
  return schedule === undefined ? Number.NaN : Number(schedule.split(' ')[0]) / 1e6
}

/**
 * @param {number} pid
 * @returns {number} resident bytes that no other process shares
 */
export function privateMemory(pid) {
  const rollup = read(pid, 'smaps_rollup') ?? ''
  const kilobytes = [...rollup.matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB$/gm)].map(([, number]) =>
    Number(number),
  )
  if (kilobytes.length !== 2) throw new Error(`process ${pid} does not tell its memory`)
  return (kilobytes[0] + kilobytes[1]) * 1024
}

/** A machine that is used by others may let no process run for half of a time. */
const MOST_TRIES = 50

/** In the command lines of the processes that run pages: Chromium's, Firefox's, WebKit's. */
const RUNS_PAGES = /--type=renderer|-contentproc|WebKitWebProcess/

/**
 * The process in which a page runs its script: the one of those for pages whose main thread runs while the page does.
 *
 * @param {import('../../.tooling/browsers/index.mjs').Browser} browser
 * @param {import('../../.tooling/browsers/index.mjs').Page} page
 */
export async function processOf(browser, page) {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    // Each time: a process may be given its command line after it was forked.
    const candidates = descendantsOf(browser.pid).filter((pid) => RUNS_PAGES.test(read(pid, 'cmdline') ?? ''))
    const times = () => candidates.map(mainThreadTime)
    const started = times()
    const spun = await page.evaluate(spin)
    const ended = times()
    await setTimeout(spun)
    const rested = times()
    // One that runs as well while the page rests has something else to do: the browser may be starting still.
    const gains = candidates.map((_pid, i) => 2 * ended[i] - started[i] - rested[i])
    const most = gains.indexOf(Math.max(...gains))
    if (gains[most] > spun / 2) return candidates[most]
  }
  throw new Error(`no process of ${browser.name} has run the page, or the machine is too busy to tell`)
}

/** In the page. @returns how long it took, in milliseconds */
function spin() {
  const start = performance.now()
  while (performance.now() - start < 400);
  return performance.now() - start
}
