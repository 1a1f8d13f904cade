/** Runs loops with contenders, in the page or in its worker. A contender is made for its first loop and stays. */

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
const call = (action, ...args) => actions[action](...args)

// One call at a time: the next message comes after the answer.
if (typeof document === 'undefined') {
  globalThis.onmessage = async ({ data }) => {
    try {
      postMessage({ value: await call(...data) })
    } catch (error) {
      postMessage({ error: `${error}\n${error.stack}` })
    }
  }
} else {
  let worker
  globalThis.callInWindow = call
  globalThis.callInWorker = (...args) =>
    new Promise((resolve, reject) => {
      worker ??= new Worker(import.meta.url, { type: 'module' })
      worker.onmessage = ({ data: { value, error } }) => {
        if (error === undefined) resolve(value)
        else reject(new Error(error))
      }
      worker.postMessage(args)
    })
}
