/** Runs the contract on the sources of pages, without a browser, but for the specifications in `OMITTED`. Browsers run those too. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, jest } from '@jest/globals'

/** They need the real clock and event loop of a page. */
const ON_REAL_CLOCK = ['configure', 'order', 'with-timeout']
/** They compare with Node, expect its warnings, or need what only Node has. */
const OF_NODE = ['between-callbacks', 'delays', 'timeout']
const OMITTED = [...ON_REAL_CLOCK, ...OF_NODE]

const CONTRACT = join(__dirname, '../contract')
const SPECIFICATIONS = readdirSync(CONTRACT)
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => file.slice(0, -'.test.ts'.length))

jest.doMock('../contract/builds.js', () => ({ builds: [require('../../lib/entry/browser.js')] }))

it('omits only specifications that exist', () => {
  expect(SPECIFICATIONS).toEqual(expect.arrayContaining(OMITTED))
})

for (const name of SPECIFICATIONS) {
  if (!OMITTED.includes(name)) require(join(CONTRACT, `${name}.test`))
}
