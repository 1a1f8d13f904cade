import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const watched = 10
/** Seconds in which a new process compiles code on other threads and collects garbage. They are not measured. */
const settling = 20

export default {
  name: 'idle',
  title: `Idle: one timer an hour away, watched for ${watched} s`,
  note:
    'How often the main thread woke, and all other threads together: the voluntary context switches that Linux counts for each ' +
    'thread. They are read from another process, so that the reading wakes no thread. All processes are watched at the same time, ' +
    'after a rest.',
  metrics: [
    { key: 'wakeUps', label: 'wake-ups of the loop', unit: '' },
    { key: 'threads', label: 'of other threads', unit: '' },
  ],
  bars: [
    {
      work: 'idle for 10 s: wake-ups beyond those of no timer',
      ...{ metric: 'wakeUps', row: 'addon-handles', kind: 'above', base: 'empty', value: 0 },
    },
  ],
  needs: () =>
    existsSync('/proc/self/task') ? undefined : 'wake-ups are read from /proc, which exists only on Linux',
  takes: ({ api }) => api !== 'handlesWithoutContext',
  first: { id: 'empty', label: 'no timer at all', group: 'native' },
  turns: 7,

  /** Measures all subjects at the same time. */
  async together(subjects, { startChild, nextMessage }, turns) {
    const children = subjects.map(({ id }) => startChild('idle', 'rest', id))
    try {
      await Promise.all(children.map((child) => nextMessage(child)))
      await sleep(settling * 1000)
      return await turns(async () => {
        const before = children.map(countSwitches)
        await sleep(watched * 1000)
        return children.map(countSwitches).map(({ main, others }, i) => ({
          wakeUps: main - before[i].main,
          threads: others - before[i].others,
        }))
      })
    } finally {
      for (const child of children) child.kill()
    }
  },
}

function countSwitches({ pid }) {
  const counts = { main: 0, others: 0 }
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')
    const switches = Number(status.match(/^voluntary_ctxt_switches:\s*(\d+)/m)?.[1])
    counts[Number(thread) === pid ? 'main' : 'others'] += switches
  }
  return counts
}

/** Sets one timer an hour away, or none for the subject `empty`, sends a message, and does nothing more. */
export function rest(timers) {
  if (timers !== 'empty') timers.set(() => {}, 3_600_000)
  process.send('idle')
}
