import { fork } from 'node:child_process'
import * as wheel from '../contenders/wheel.mjs'
import { measureBytes } from '../parts/hold.mjs'
import { refreshAll } from '../parts/refresh.mjs'
import { setAndFire } from '../parts/set-fire.mjs'
import { addToTurns, EVERYDAY, MASS } from '../parts/turns.mjs'
import { formatCount } from '../report/format.mjs'
import { inTurn } from '../runner/in-turn.mjs'
import { nanosecondsEach } from '../runner/statistics.mjs'

/** Native timers come first, because the others are compared with them. */
const contenders = {
  native: async () => wheel.handles(await import('node:timers')),
  handles: async () => wheel.handles(await import('timeout-wheel')),
  numbers: async () => wheel.numbers(await import('timeout-wheel')),
}

/** The option by which a process learns which contender it measures. */
export const CHILD = '--contender'

const loops = { addToTurns, refreshAll, measureBytes, setAndFire }
const timed = { unit: 'ns', turns: 7 }
const inTurnsOf = (label, work, size) => ({
  ...{ label: `${label}, ${formatCount(size)} in a turn`, ...timed },
  ...{ loop: 'addToTurns', options: { work, size, count: 60_000 }, figure: (nanoseconds) => nanoseconds },
})
/** What is measured. The last two have one turn, because earlier ones in the same process would change their figures. */
const works = [
  inTurnsOf('set and clear', 'setClear', EVERYDAY),
  inTurnsOf('set and clear', 'setClear', MASS),
  inTurnsOf('refresh', 'refresh', EVERYDAY),
  inTurnsOf('refresh', 'refresh', MASS),
  {
    ...{ label: 'refresh one of 200,000 pending', ...timed, figure: nanosecondsEach },
    ...{ loop: 'refreshAll', options: { count: 200_000, batch: MASS, delay: 60_000 } },
  },
  {
    ...{ label: 'a pending timer', unit: 'bytes', turns: 1 },
    ...{ loop: 'measureBytes', options: { count: 200_000, delay: 60_000 } },
    // Some lines of Node do not count memory outside the heap, but the process does.
    figure: ({ heap, resident }) => Math.max(heap, resident),
  },
  {
    ...{ label: 'set and fire, CPU each', unit: 'ns', turns: 1 },
    ...{ loop: 'setAndFire', options: { count: 300_000, longest: 1_200 }, figure: ({ cpu }) => cpu },
  },
]

/** In the process of one contender: runs the loop that each message names, and sends its result. */
export async function serve(id) {
  const timers = await contenders[id]()
  // One loop at a time: the next message comes after the answer.
  process.on('message', async ({ loop, options }) => {
    process.send(await loops[loop](timers, options))
  })
  process.on('disconnect', () => process.exit())
}

const ask = (child, { loop, options, figure }) =>
  new Promise((resolve, reject) => {
    const onExit = (code) => reject(new Error(`a process that measures '${loop}' ended with code ${code}`))
    child.once('exit', onExit)
    child.once('message', (result) => {
      child.off('exit', onExit)
      resolve({ figure: figure(result, options) })
    })
    child.send({ loop, options })
  })

/** Each work with the medians of `contenders`, which take turns. `program` serves one that follows the argument `CHILD`. */
export async function measure(program, onStart) {
  const measured = []
  for (const { turns, ...work } of works) {
    onStart(work.label)
    const subjects = Object.keys(contenders).map((id) => ({ id, child: undefined }))
    try {
      const rows = await inTurn(subjects, { turns, warmUp: turns > 1 }, (subject) => {
        // Not before its first turn, so that the start of one process does not disturb another.
        subject.child ??= fork(program, [CHILD, subject.id])
        return ask(subject.child, work)
      })
      measured.push({ ...work, medians: rows.map(({ values }) => values.figure.median) })
    } finally {
      for (const { child } of subjects) child?.kill()
    }
  }
  return measured
}
