/** Runs the contract in a window and in a dedicated worker of a browser. */
import { fileURLToPath } from 'node:url'
import { ISOLATED, serve } from '../../../.tooling/browsers/server.mjs'
import { bundleContract } from './bundle.mjs'
import { leftOutOn } from './left-out.mjs'

const DIST = fileURLToPath(new URL('../../../dist', import.meta.url))

/** The time limit from one outcome to the next, in milliseconds. */
const PATIENCE = 120_000

export const CONTEXTS = ['window', 'worker']

const START = `
  import('/contract.js').then(
    () => runContract('/outcomes'),
    (error) => fetch('/outcomes', { method: 'POST', body: JSON.stringify({ error: error + '\\n' + error.stack }) }),
  )`

/** Collects the outcomes until `runContract` posts its end. */
function collect(site, path) {
  const outcomes = []
  const done = new Promise((resolve, reject) => {
    let guard
    const wait = () => {
      clearTimeout(guard)
      guard = setTimeout(() => {
        const last = outcomes.at(-1)?.name ?? 'none'
        reject(new Error(`no outcome for ${PATIENCE / 1000} s; the last was: ${last}`))
      }, PATIENCE)
    }
    wait()
    site.receive(path, ({ outcome, error, end }) => {
      wait()
      if (outcome !== undefined) outcomes.push(outcome)
      if (error !== undefined) reject(new Error(`the contract could not be loaded: ${error}`))
      if (error !== undefined || end) clearTimeout(guard)
      if (end) resolve(outcomes)
    })
  })
  return done
}

/**
 * @param {import('../../../.tooling/browsers/index.mjs').Browser} browser
 * @param {string} context one of CONTEXTS
 * @param {string[]} specs
 * @returns {Promise<import('./runner.ts').Outcome[]>}
 */
export async function runContract(browser, context, specs) {
  // An isolated page has the finest clock.
  const site = await serve(ISOLATED)
  try {
    site.mount('/dist/', DIST)
    site.put('/contract.js', {
      body: await bundleContract(specs, '/dist/browser.mjs', leftOutOn(browser.name)),
    })
    site.put('/nothing.json', { body: 'null' })
    site.put('/start.js', { body: START })
    const start =
      context === 'window'
        ? '<script type="module" src="/start.js"></script>'
        : '<script>new Worker("/start.js", { type: "module" })</script>'
    const outcomes = collect(site, '/outcomes')
    const page = await browser.open(site.page('/index.html', `contract in a ${context}`, start))
    try {
      return await outcomes
    } finally {
      await page.close()
    }
  } finally {
    await site.close()
  }
}
