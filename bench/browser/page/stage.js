/** Runs loops with contenders. A contender is made for its first loop and stays. */

const stages = new Map()

async function open(name) {
  const [{ load }, loops] = await Promise.all([
    import(`/page/contenders.js?${name}`),
    import(`/page/loops.js?${name}`),
  ])
  return { make: await load(), loops, timers: undefined }
}

async function prepare(name) {
  if (!stages.has(name)) stages.set(name, await open(name))
  return stages.get(name)
}

async function run(name, loop, options) {
  const stage = await prepare(name)
  stage.timers ??= stage.make()
  return stage.loops[loop](stage.timers, options)
}

/** Runs a function that needs no timers, so that the contender makes no wheel. */
async function runWithout(name, loop, options) {
  const { loops } = await prepare(name)
  return loops[loop](options)
}

const actions = { run, runWithout }
globalThis.stage = (action, ...args) => actions[action](...args)
