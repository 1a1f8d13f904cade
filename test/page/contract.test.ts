/**
 * Runs the contract on the sources of pages, without a browser. Every specification of test/contract runs here unless it is
 * in `OMITTED`. A real browser runs those too: see test/browser/contract.test.mjs.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, jest } from '@jest/globals'

const REAL_CLOCK = 'needs the real clock and event loop of a page'
const PROCESS = 'compares with Node, expects warnings of Node, or starts processes of Node'
const OMITTED: Record<string, string> = {
  'async-context': PROCESS,
  'bad-input': PROCESS,
  'between-callbacks': PROCESS,
  burst: REAL_CLOCK,
  configure: REAL_CLOCK,
  delays: PROCESS,
  'groups-within-ticks': REAL_CLOCK,
  order: REAL_CLOCK,
  throwing: PROCESS,
  timeout: PROCESS,
  'timeout-error': PROCESS,
  'with-timeout': REAL_CLOCK,
}

const CONTRACT = join(__dirname, '../contract')
const SPECIFICATIONS = readdirSync(CONTRACT)
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => file.slice(0, -'.test.ts'.length))

jest.doMock('../contract/builds.js', () => ({ builds: [require('../../lib/entry/browser.js')] }))

it('omits only specifications that exist', () => {
  expect(SPECIFICATIONS).toEqual(expect.arrayContaining(Object.keys(OMITTED)))
})

for (const name of SPECIFICATIONS) {
  if (!Object.hasOwn(OMITTED, name)) require(join(CONTRACT, `${name}.test`))
}
