/** The package stays within its bytes in a page: bundled, minified and compressed. */
import { join } from 'node:path'
import { beforeAll, expect, it } from '@jest/globals'
import { outputOf } from '../../../.tooling/child.cjs'

let sizes: Record<string, number>
beforeAll(async () => {
  const program = join(__dirname, '../../../.tooling/size.mjs')
  sizes = JSON.parse(await outputOf(process.execPath, [program], { limit: 120_000 }))
})

// `setTimeout` and `clearTimeout` pay for nothing else. The other parts share most of their bytes with them.
it.each([
  ['the WebAssembly module', 'wasm', 4990],
  ['all that the package exports', 'whole', 15850],
  ['TimerWheel and the setTimeout family', 'main', 12240],
  ['setTimeout and clearTimeout', 'family', 6870],
  ['timeoutSignal', 'signals', 6675],
  ['withTimeout', 'withTimeout', 7030],
  ['an export that needs no wheel', 'backend', 100],
  ['what sets the budget of a wheel that nobody uses', 'configure', 600],
  ['TimeoutMap, with the shared wheel', 'map', 9560],
  ['timerGroup, with the shared wheel', 'group', 6875],
  ['TimerWheel', 'wheel', 12000],
])('keeps %s within its bytes', (_, part, most) => {
  expect(sizes[part]).toBeLessThanOrEqual(most)
})
