/** Loops over timers that do not fire. `nextTurn` resolves in the next turn of the event loop, in pages in the next task. */
export const nothing = () => {}

function setAndClearBatch(timers, batch, delay) {
  for (let i = 0; i < batch; i++) timers.clear(timers.set(nothing, delay))
}

function fillBatch(timers, batch, delay) {
  for (let i = 0; i < batch.length; i++) batch[i] = timers.set(nothing, delay)
  return batch
}

function clearBatch(timers, batch) {
  for (let i = 0; i < batch.length; i++) timers.clear(batch[i])
}

export function turnsWith(nextTurn) {
  /** Does `work(from, to)` for all of `total`, a batch in each turn. */
  async function inTurns(total, batch, work) {
    for (let from = 0; from < total; from += batch) {
      work(from, Math.min(total, from + batch))
      await nextTurn()
    }
  }

  async function timeTurns(total, batch, work) {
    await nextTurn()
    const start = performance.now()
    await inTurns(total, batch, work)
    return performance.now() - start
  }

  async function setPending(timers, count, nextDelay) {
    const pending = new Array(count)
    await inTurns(count, 10_000, (from, to) => {
      for (let i = from; i < to; i++) pending[i] = timers.set(nothing, nextDelay())
    })
    return pending
  }

  /** A timeout around work that ends at once: each timer is cleared before the next is set. `count` is a multiple of `batch`. */
  const setAndClearAtOnce = (timers, { count, batch, delay }) =>
    timeTurns(count, batch, () => setAndClearBatch(timers, batch, delay))

  /** The request timeouts of a server: each turn sets a batch of timers and clears the batch of the turn before. */
  async function setAndClearLater(timers, { count, batch, delay }) {
    let previous = fillBatch(timers, new Array(batch), delay)
    let next = new Array(batch)
    const elapsed = await timeTurns(count, batch, () => {
      fillBatch(timers, next, delay)
      clearBatch(timers, previous)
      const cleared = previous
      previous = next
      next = cleared
    })
    clearBatch(timers, previous)
    return elapsed
  }

  return { inTurns, timeTurns, setPending, setAndClearAtOnce, setAndClearLater }
}
