import { fork } from 'node:child_process'
import { summarize } from '../runner/statistics.mjs'

/**
 * @import { ChildProcess } from 'node:child_process'
 * @import { Work } from './works.mjs'
 */

/** Native timers come first, because the others are compared with them. */
export const contenders = ['native', 'handles', 'numbers']

/** The argument that tells a process its contender. */
export const CHILD = '--contender'

/**
 * @param {ChildProcess} child
 * @param {Work} work
 * @returns {Promise<number>}
 */
const ask = (child, { loop, options, figure }) =>
  new Promise((resolve, reject) => {
    /** @param {number | null} code */
    const onExit = (code) => reject(new Error(`a process that measures '${loop}' ended with code ${code}`))
    child.once('exit', onExit)
    child.once('message', (result) => {
      child.off('exit', onExit)
      resolve(figure(result, options))
    })
    child.send({ loop, options })
  })

/**
 * Measures the works. The contenders take turns, each in its own process. The first turn of each loop is dropped.
 *
 * @param {string} program  The file that serves a contender if it gets the argument `CHILD`.
 * @param {Work[]} works
 * @param {(work: Work) => void} onStart
 * @returns {Promise<Map<Work, number[]>>} medians in the order of `contenders`
 */
export async function measure(program, works, onStart) {
  const start = (/** @type {string} */ id) => fork(program, [`${CHILD}=${id}`])
  const children = contenders.map(start)
  try {
    /** @type {Map<Work, number[]>} */
    const medians = new Map()
    for (const work of works) {
      onStart(work)
      /** @type {number[][]} */
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
