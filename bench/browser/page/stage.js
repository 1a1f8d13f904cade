/** Runs loops with contenders. A contender is made for its first loop and stays. */

const stages = new Map()

async function open(name) {
  const [{ load }, loops] = await Promise.all([
    import(`/page/contenders.js?${name}`),
    import(`/page/loops.js?${name}`),
  ])
  return { make: await load(), loops, timers: undefined }
}

/** `runWithout`: runs a function that needs no timers, so that the contender makes no wheel. */
globalThis.stage = async (action, name, loop, options) => {
  if (!stages.has(name)) stages.set(name, await open(name))
  const stage = stages.get(name)
  if (action === 'runWithout') return stage.loops[loop](options)
  stage.timers ??= stage.make()
  return stage.loops[loop](stage.timers, options)
}
