/** Runs the contract in a window and in a worker of a real browser, and reports each of its tests under its own name. */
import { fileURLToPath } from 'node:url'
import { launch } from '../../.tooling/browsers/index.mjs'
import { ISOLATED, serve } from '../../.tooling/browsers/server.mjs'
import { bundleContract, SPECS } from './contract/bundle.mjs'
import { leftOutOn } from './contract/left-out.mjs'
import { ENGINE } from './engine.mjs'

const DIST = fileURLToPath(new URL('../../dist', import.meta.url))
const CONTEXTS = ['window', 'worker']
/** The time limit from one outcome to the next, in milliseconds. */
const PATIENCE = 120_000

/** TIMEOUT_WHEEL_SPEC=order runs only that specification. */
const only = process.env.TIMEOUT_WHEEL_SPEC
/** What depends on the clock and the event loop of a worker. The rest of the code is the same in a window. */
const OF_A_WORKER = 'delays order timeout with-timeout'.split(' ')
for (const name of [only ?? SPECS[0], ...OF_A_WORKER]) {
  if (!SPECS.includes(name)) throw new Error(`there is no specification ${name}: ${SPECS.join(', ')}`)
}
const isEverywhere = only !== undefined || process.env.TIMEOUT_WHEEL_CONTEXTS === 'all'
const specsIn = (context) =>
  SPECS.filter(
    (name) =>
      (only === undefined || name === only) &&
      (context === 'window' || isEverywhere || OF_A_WORKER.includes(name)),
  )

const START = `
  import('/contract.js').then(
    () => runContract('/outcomes'),
    (error) => fetch('/outcomes', { method: 'POST', body: JSON.stringify({ error: error + '\\n' + error.stack }) }),
  )`
const PAGES = {
  window: '<script type="module" src="/start.js"></script>',
  worker: '<script>new Worker("/start.js", { type: "module" })</script>',
}

/** Collects the outcomes until `runContract` posts its end. @returns {Promise<import('./contract/runner.ts').Outcome[]>} */
function collect(site) {
  const outcomes = []
  return new Promise((resolve, reject) => {
    const giveUp = () =>
      reject(new Error(`no outcome for ${PATIENCE / 1000} s; the last was: ${outcomes.at(-1)?.name}`))
    let guard = setTimeout(giveUp, PATIENCE)
    site.receive('/outcomes', ({ outcome, error, end }) => {
      clearTimeout(guard)
      if (end) resolve(outcomes)
      else if (error !== undefined) reject(new Error(`the contract could not be loaded: ${error}`))
      else {
        outcomes.push(outcome)
        guard = setTimeout(giveUp, PATIENCE)
      }
    })
  })
}

async function runContract(context) {
  // A browser each: of two windows of one browser, one would be hidden. An isolated page has the finest clock.
  const [browser, site] = await Promise.all([launch(ENGINE), serve(ISOLATED)])
  try {
    const body = await bundleContract(specsIn(context), '/dist/browser.mjs', leftOutOn(ENGINE))
    site.mount('/dist/', DIST)
    site.put('/contract.js', body)
    site.put('/start.js', START)
    const outcomes = collect(site)
    await browser.open(site.page('/index.html', `contract in a ${context}`, PAGES[context]))
    return { context, version: browser.version, results: await outcomes }
  } finally {
    await browser.close()
    await site.close()
  }
}

const ends = await Promise.allSettled(CONTEXTS.map(runContract))
for (const { reason } of ends) if (reason !== undefined) throw reason
const runs = ends.map(({ value }) => value)

for (const { context, version, results } of runs) {
  describe(`the contract in a ${context} of ${version}`, () => {
    for (const spec of specsIn(context)) {
      describe(spec, () => {
        for (const { name, leftOut, failure } of results.filter((one) => one.spec === spec)) {
          if (leftOut !== undefined) it.skip(`${name} (left out: ${leftOut})`, () => {})
          else
            it(name, () => {
              if (failure !== undefined) throw new Error(failure)
            })
        }
      })
    }
  })
}

for (const entry of leftOutOn(ENGINE).filter(({ spec }) => specsIn('window').includes(spec))) {
  it(`leaves out existing tests: ${entry.spec}, ${entry.reason}`, () => {
    for (const { results } of runs.filter(({ context }) => specsIn(context).includes(entry.spec))) {
      const skipped = results.filter(({ spec, leftOut }) => spec === entry.spec && leftOut === entry.reason)
      expect(skipped.length).toBeGreaterThanOrEqual(entry.titles?.length ?? 1)
    }
  })
}
