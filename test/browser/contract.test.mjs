/** Runs the contract in a window and in a worker of a real browser, and reports each of its tests under its own name. */
import { describe, expect, it } from '@jest/globals'
import { launch } from '../../.tooling/browsers/index.mjs'
import { SPECS } from './contract/bundle.mjs'
import { leftOutOn } from './contract/left-out.mjs'
import { CONTEXTS, runContract } from './contract/run.mjs'
import { ENGINE } from './engine.mjs'

/** TIMEOUT_WHEEL_SPEC=order runs only that specification. */
const only = process.env.TIMEOUT_WHEEL_SPEC
const specs = only === undefined ? SPECS : SPECS.filter((name) => name === only)
if (specs.length === 0) throw new Error(`there is no specification ${only}: ${SPECS.join(', ')}`)

/** What depends on the clock and the event loop of a worker. The rest of the code is the same in a window. */
const OF_A_WORKER = 'burst configure delays many-wheels order timeout with-timeout'.split(' ')
for (const name of OF_A_WORKER)
  if (!SPECS.includes(name)) throw new Error(`there is no specification ${name}`)
const isEverywhere = only !== undefined || process.env.TIMEOUT_WHEEL_CONTEXTS === 'all'
const specsIn = (context) =>
  context === 'window' || isEverywhere ? specs : specs.filter((name) => OF_A_WORKER.includes(name))

/** @type {Map<string, { version: string, results: Awaited<ReturnType<typeof runContract>> }>} */
const outcomes = new Map()
// At once, and in a browser each: of two windows of one browser, one would be hidden.
const ends = await Promise.allSettled(
  CONTEXTS.map(async (context) => {
    const browser = await launch(ENGINE)
    try {
      const { version } = browser
      outcomes.set(context, { version, results: await runContract(browser, context, specsIn(context)) })
    } finally {
      await browser.close()
    }
  }),
)
for (const { reason } of ends) if (reason !== undefined) throw reason

for (const context of CONTEXTS) {
  const { version, results } = outcomes.get(context)
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

describe('the list of omitted tests', () => {
  for (const entry of leftOutOn(ENGINE).filter(({ spec }) => specs.includes(spec))) {
    it(`names existing tests: ${entry.spec}, ${entry.reason}`, () => {
      for (const context of CONTEXTS.filter((one) => specsIn(one).includes(entry.spec))) {
        const skipped = outcomes
          .get(context)
          .results.filter(({ spec, leftOut }) => spec === entry.spec && leftOut === entry.reason)
        expect(skipped.length).toBeGreaterThanOrEqual(entry.titles?.length ?? 1)
      }
    })
  }
})
