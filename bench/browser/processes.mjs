/** The process of a page, as Linux reports it: CPU time of its main thread, and its private memory. */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(error.code)) return undefined
    throw error
  }
}

/** In milliseconds; NaN if the process has ended. */
export const mainThreadTime = (pid) => Number(read(pid, `task/${pid}/schedstat`)?.split(' ')[0]) / 1e6

export function privateMemory(pid) {
  const found = read(pid, 'smaps_rollup')?.match(/^Private_Clean: +(\d+) kB\nPrivate_Dirty: +(\d+) kB$/m)
  if (!found) throw new Error(`the memory of process ${pid} cannot be read`)
  return (Number(found[1]) + Number(found[2])) * 1024
}

/** On a busy machine a process may run for less than half of the time, and the search is repeated. */
const MOST_TRIES = 50

/** In the command lines of processes that run pages: of Chromium, Firefox and WebKit. */
const RUNS_PAGES = /--type=renderer|-contentproc|WebKitWebProcess/

/** The process that runs the script of a page: of the processes for pages, the one whose main thread runs while the page spins. */
export async function processOf(browser, page) {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    // Read again each time: a process may get its command line after the fork.
    const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    const candidates = all.filter((pid) => RUNS_PAGES.test(read(pid, 'cmdline') ?? ''))
    const times = () => candidates.map(mainThreadTime)
    const started = times()
    const spun = await page.evaluate(() => {
      const start = performance.now()
      while (performance.now() - start < 400);
      return performance.now() - start
    })
    const ended = times()
    await setTimeout(spun)
    const rested = times()
    // A process that also runs while the page rests does other work, such as the start of the browser.
    const gains = candidates.map((_pid, i) => 2 * ended[i] - started[i] - rested[i])
    const most = gains.indexOf(Math.max(...gains))
    if (gains[most] > spun / 2) return candidates[most]
  }
  throw new Error(`no process of ${browser.name} is found that runs the page; the machine may be too busy`)
}
