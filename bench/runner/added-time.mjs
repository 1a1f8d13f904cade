/** The time that operations add to turns of an event loop; in pages, to tasks. */
import { nothing } from './turns.mjs'

/** Turns with and without operations alternate in so many blocks, so that a slow spell of the machine affects both. */
const BLOCKS = 10
/** Fewer turns in a block are too short for the clock. */
const LEAST_TURNS = 100

/**
 * @param nextTurn calls a function in the next turn
 * @param clock returns the time, in a unit of the caller
 */
export function addedTimeWith(nextTurn, clock) {
  const timeOf = (turns, work) =>
    new Promise((resolve) => {
      let left = turns
      let start
      const turn = () => {
        if (left-- === 0) return resolve(clock() - start)
        work()
        nextTurn(turn)
      }
      // The first turn ends what `begin` and `end` have left to do.
      nextTurn(() =>
        nextTurn(() => {
          start = clock()
          turn()
        }),
      )
    })

  /**
   * The time that `work` adds to each of at least `turns` turns. It runs between `begin`, which sets timers that stay pending, and
   * `end`, which clears them. So nothing is pending in the turns without work, which are the same for all contenders.
   */
  return async function addedTime(turns, { begin, work, end }) {
    const some = Math.ceil(turns / BLOCKS)
    const others = Math.max(some, LEAST_TURNS)
    let added = 0
    for (let block = 0; block < BLOCKS; block++) {
      const without = await timeOf(others, nothing)
      begin()
      const busy = await timeOf(some, work)
      end()
      added += busy / some - without / others
    }
    return added / BLOCKS
  }
}
