import { readFileSync } from 'node:fs'
import os from 'node:os'
import { findCommit } from './freshness.mjs'

export async function describeEnvironment() {
  const cpu = os.cpus()[0]?.model.trim() ?? 'unknown'
  const memory = `${Math.round(os.totalmem() / 2 ** 30)} GiB`
  const system = `${os.type()} ${os.release().split('.', 2).join('.')} ${os.arch()}`
  return {
    date: new Date().toISOString(),
    node: process.version,
    version: JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version,
    commit: await findCommit(),
    machine: `${cpu}, ${os.availableParallelism()} cores, ${memory}, ${system}`,
  }
}

/** The number of files, sockets included, that a process may have open; Infinity if it is unknown. */
export function openFilesLimit() {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return Number(limits.match(/^Max open files\s+(\d+)/m)?.[1] ?? Infinity)
  } catch {
    return Infinity // no Linux
  }
}
