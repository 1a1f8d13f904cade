/** Where this process runs, and whether another one of the same place has ended. Only Linux says it. */
import { readFileSync, readlinkSync } from 'node:fs'
import type { Place } from './store.js'

function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** When a process started, in ticks of the kernel since its own start: the 22nd field. The second can contain spaces and brackets. */
const beganOf = (pid: number | 'self'): string | null =>
  attempt(() => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ')[19]!)

export const findPlace = (): Place => ({
  boot: attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()),
  space: attempt(() => readlinkSync('/proc/self/ns/pid')),
  pid: process.pid,
  began: beganOf('self'),
})

/**
 * Whether a process has certainly ended: one of the same machine and pid namespace. A system can hide what other users run, but not that it
 * is there.
 */
export function hasEnded({ boot, space, pid, began }: Place, here: Place): boolean {
  const isHere = boot !== null && boot === here.boot && space !== null && space === here.space
  if (!isHere || began === null) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true
  }
  const found = beganOf(pid)
  return found !== null && found !== began
}
