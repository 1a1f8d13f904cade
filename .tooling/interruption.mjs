/** Notices that a run of the tests has to stop. */
import { readFileSync } from 'node:fs'

const read = (id, name) => {
  try {
    return readFileSync(`/proc/${id}/${name}`, 'utf8')
  } catch {
    return '' // The process has ended, or this is not Linux.
  }
}

/** The processes from this one up to npm. npm starts a script with `sh -c`, and some shells stay. */
function ancestors() {
  const isShell = read(process.ppid, 'cmdline').split('\0')[1] === '-c'
  return `${process.ppid} ${isShell ? read(process.ppid, 'status').match(/^PPid:.*/m) : ''}`
}

/**
 * Calls a function that ends the process: when the minutes are over, at a signal that interrupts, or when the npm that runs this script
 * has ended. A killed npm tells nobody.
 *
 * @param {number} minutes
 * @param {(why: string) => void} stop
 */
export function whenStopped(minutes, stop) {
  // The output may have nobody to read it any more.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop(`it got ${signal}`))
  setTimeout(() => stop(`it took ${minutes} minutes`), minutes * 60_000).unref()
  if (process.env.npm_lifecycle_event === undefined) return
  const first = ancestors()
  setInterval(() => {
    if (ancestors() !== first) stop('npm has ended')
  }, 500).unref()
}
