/**
 * node cliffs.mjs <contender> <world as JSON>: for each message takes one sample of the work that the message names, and sends
 * the time of an operation.
 */

import { openTimers } from '../cliffs/timers.mjs'
import { advance, fire, Population, setFar, warmUp } from '../cliffs/works.mjs'
import { collectGarbage } from '../runner/garbage.mjs'

/** @import { World } from '../cliffs/worlds.mjs' */

const [, , contender, text] = process.argv
/** @type {World} */
const world = JSON.parse(text)

/**
 * @template T
 * @param {() => Promise<T>} make
 */
function once(make) {
  /** @type {Promise<T> | undefined} */
  let made
  return () => {
    made ??= make()
    return made
  }
}

const open = once(async () => {
  const timers = await openTimers(contender, world, false)
  await warmUp(timers)
  return timers
})
const openManual = once(() => openTimers(contender, world, true))
const populate = once(async () => Population.make(await open(), world))
const setFarOnce = once(async () => setFar(await open(), world, world.pending))

/** @type {Record<string, () => Promise<Record<string, number>>>} */
const works = {
  replace: async () => (await populate()).replace(),
  refresh: async () => (await populate()).refresh(),
  fire: async () => {
    await setFarOnce()
    return fire(await open(), world)
  },
  advance: async () => advance(await openManual(), world),
}

process.on('message', async (/** @type {{ loop: string, options: { collect: boolean } }} */ message) => {
  const { loop, options } = message
  if (options.collect) collectGarbage()
  process.send?.(await works[loop]())
})
