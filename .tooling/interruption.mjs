/** Notices that a run of the tests has to stop. */
import { readFileSync } from 'node:fs'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
/** Milliseconds between two looks at npm. */
const INTERVAL = 500

const read = (id, name) => {
  try {
    return readFileSync(`/proc/${id}/${name}`, 'utf8')
  } catch {
    return '' // The process has ended, or this is not Linux.
  }
}

/** The parent of a process. Its name, in parentheses, may contain spaces. */
const parentOf = (id) => read(id, 'stat').split(') ').at(-1)?.split(' ')[1]

/** The processes from this one up to npm. npm starts a script with `sh -c`, and some shells stay. */
function ancestors() {
  const parent = process.ppid
  const isShell = read(parent, 'cmdline').split('\0')[1] === '-c'
  return [parent, ...(isShell ? [parentOf(parent)] : [])].join()
}

/**
 * Calls a function once: when the minutes are over, at a signal that interrupts, or when the npm that runs this script has ended.
 * A killed npm tells nobody.
 *
 * @param {number} minutes
 * @param {(why: string) => void} stop
 */
export function whenStopped(minutes, stop) {
  // The output may have nobody to read it any more.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  for (const signal of SIGNALS) process.once(signal, () => stop(`it got ${signal}`))
  setTimeout(() => stop(`it took ${minutes} minutes`), minutes * 60_000).unref()
  if (process.env.npm_lifecycle_event === undefined) return
  const first = ancestors()
  const watch = setInterval(() => {
    if (ancestors() === first) return
    clearInterval(watch)
    stop('npm has ended')
  }, INTERVAL)
  watch.unref()
}
