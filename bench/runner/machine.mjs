import { readFileSync } from 'node:fs'
import os from 'node:os'
import { outputOf } from '../../.tooling/child.cjs'

/**
 * The machine and the versions with which a result was measured.
 *
 * @typedef {object} Environment
 * @property {{ cpu: string, cores: number, memory: string, os: string }} machine
 * @property {string} node
 * @property {string} version  Of this package.
 * @property {string | null} commit  Followed by `+` if the tree had changes; null outside a repository.
 * @property {string} date
 */

const root = new URL('../../', import.meta.url)

/** @param {string[]} args */
const git = async (...args) => (await outputOf('git', args, { cwd: root, limit: 60_000 })).trim()

async function findCommit() {
  try {
    const commit = await git('rev-parse', '--short=12', 'HEAD')
    const changes = await git('status', '--porcelain', '--', '.', ':(exclude)bench/results')
    return changes === '' ? commit : `${commit}+`
  } catch {
    return null
  }
}

/** @returns {Promise<Environment>} */
export async function describeEnvironment() {
  const cpus = os.cpus()
  return {
    machine: {
      cpu: cpus[0]?.model.trim() ?? 'unknown',
      cores: os.availableParallelism(),
      memory: `${Math.round(os.totalmem() / 2 ** 30)} GiB`,
      os: `${os.type()} ${os.release().split('.', 2).join('.')} ${os.arch()}`,
    },
    node: process.version,
    version: JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).version,
    commit: await findCommit(),
    date: new Date().toISOString(),
  }
}

/** The number of files, sockets included, that a process may have open; Infinity if it is unknown. */
export function openFilesLimit() {
  try {
    const limit = readFileSync('/proc/self/limits', 'utf8').match(/^Max open files\s+(\d+)/m)?.[1]
    return limit === undefined ? Infinity : Number(limit)
  } catch {
    return Infinity // no Linux
  }
}
