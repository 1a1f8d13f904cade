import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { toRow } from '../runner/harness.mjs'
import { nextMessage, startChild } from '../runner/processes.mjs'

/** @import { ChildProcess } from 'node:child_process' */

const watched = 10
/** Seconds in which a new process compiles code on other threads and collects garbage. They are not measured. */
const settling = 20

/** @type {import('../runner/harness.mjs').Subject} */
const empty = { id: 'empty', label: 'no timer at all', group: 'native' }

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'idle',
  metrics: [
    { key: 'wakeUps', label: 'wake-ups of the loop', unit: '' },
    { key: 'threads', label: 'of other threads', unit: '' },
  ],

  describe: () => ({
    title: `Idle: one timer an hour away, watched for ${watched} s`,
    note:
      'How often the main thread woke, and all other threads together: the voluntary context switches that Linux counts ' +
      'for each thread. They are read from another process, so that the reading wakes no thread. All processes are ' +
      'watched at the same time, after a rest.',
  }),

  async run(contenders, settings, progress) {
    if (!existsSync('/proc/self/task')) {
      progress.skip('idle', 'wake-ups are read from /proc, which exists only on Linux')
      return []
    }
    const compared = [empty, ...contenders.filter(({ api }) => api !== 'handlesWithoutContext')]
    const children = compared.map(({ id }) => startChild('idle.mjs', id === empty.id ? [] : [id]))
    try {
      progress.show('idle: settling')
      await Promise.all(children.map((child) => nextMessage(child)))
      await sleep(settling * 1000)
      const turns = settings.turns ?? 7
      /** @type {Record<string, number>[][]} */
      const samples = children.map(() => [])
      for (let turn = 1; turn <= turns; turn++) {
        progress.show(`idle: turn ${turn} of ${turns}`)
        const before = children.map(countSwitches)
        await sleep(watched * 1000)
        for (const [i, { main, others }] of children.map(countSwitches).entries()) {
          samples[i].push({ wakeUps: main - before[i].main, threads: others - before[i].others })
        }
      }
      return compared.map((contender, i) => toRow(contender, samples[i]))
    } finally {
      for (const child of children) child.kill()
    }
  },
}

/** @param {ChildProcess} child */
function countSwitches({ pid }) {
  const counts = { main: 0, others: 0 }
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')
    const switches = Number(status.match(/^voluntary_ctxt_switches:\s*(\d+)/m)?.[1])
    counts[Number(thread) === pid ? 'main' : 'others'] += switches
  }
  return counts
}
