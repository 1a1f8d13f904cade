import { fork } from 'node:child_process'
import { nanosecondsEach, summarize } from '../runner/statistics.mjs'

/** Native timers come first, because the others are compared with them. */
export const contenders = ['native', 'handles', 'numbers']

/** The argument that tells a process its contender. */
export const CHILD = '--contender'

const loop = {
  ...{ unit: 'ns', turns: 7, figure: nanosecondsEach },
  options: { count: 200_000, batch: 1_000, delay: 60_000 },
}
/** What is measured. `fresh`: each turn needs a process of its own. */
const works = [
  { label: 'set and clear, at once', loop: 'setAndClearAtOnce', ...loop },
  { label: 'set and clear, 1,000 in flight', loop: 'setAndClearLater', ...loop },
  { label: 'refresh one of 200,000 pending', loop: 'refreshAll', ...loop },
  {
    ...{ label: 'a pending timer', unit: 'bytes', turns: 1, fresh: true },
    ...{ loop: 'measureBytes', options: { count: 200_000, delay: 60_000 } },
    // Some lines of Node do not count memory outside the heap, but the process does.
    figure: ({ heap, resident }) => Math.max(heap, resident),
  },
  {
    ...{ label: 'set and fire, CPU each', unit: 'ns', turns: 1, fresh: true },
    ...{ loop: 'setAndFire', options: { count: 300_000, longest: 1_200 }, figure: ({ cpu }) => cpu },
  },
]

const ask = (child, { loop, options, figure }) =>
  new Promise((resolve, reject) => {
    const onExit = (code) => reject(new Error(`a process that measures '${loop}' ended with code ${code}`))
    child.once('exit', onExit)
    child.once('message', (result) => {
      child.off('exit', onExit)
      resolve(figure(result, options))
    })
    child.send({ loop, options })
  })

/**
 * Measures the works: medians in the order of `contenders`. The contenders take turns, each in its own process. The first turn of
 * each loop is dropped. `program` is the file that serves a contender if it gets the argument `CHILD`.
 */
export async function measure(program, onStart) {
  const start = (id) => fork(program, [`${CHILD}=${id}`])
  const children = contenders.map(start)
  try {
    const medians = new Map()
    for (const work of works) {
      onStart(work)
      const samples = contenders.map(() => [])
      for (let turn = work.fresh ? 1 : 0; turn <= work.turns; turn++) {
        for (const [i, id] of contenders.entries()) {
          const child = work.fresh ? start(id) : children[i]
          const figure = await ask(child, work)
          if (work.fresh) child.kill()
          if (turn > 0) samples[i].push(figure)
        }
      }
      medians.set(
        work,
        samples.map((some) => summarize(some).median),
      )
    }
    return medians
  } finally {
    for (const child of children) child.kill()
  }
}
