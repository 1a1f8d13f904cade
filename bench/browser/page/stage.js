/** Runs loops with contenders. The timers of a contender are made for the first loop that needs them, and stay. */

const timers = {}

globalThis.stage = async (name, loop, options) => {
  const { make } = await import(`/page/contenders.js?${name}`)
  const loops = await import(`/page/loops.js?${name}`)
  if (loop in loops.withoutTimers) return loops.withoutTimers[loop]()
  timers[name] ??= make()
  return loops[loop](timers[name], options)
}
