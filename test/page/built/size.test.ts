/** The package stays within its bytes in a page: bundled, minified and compressed. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { outputOf } from '../../../.tooling/child.cjs'

const FAMILY = 'backend, clearInterval, clearTimeout, configure, setInterval, setTimeout'
// `setTimeout` and `clearTimeout` pay for nothing else. The other parts share most of their bytes with them.
const PARTS: [what: string, imports: string, most: number][] = [
  ['all that the package exports', '*', 16000],
  ['TimerWheel and the setTimeout family', `{ TimerWheel, ${FAMILY} }`, 12710],
  ['setTimeout and clearTimeout', '{ clearTimeout, setTimeout }', 7625],
  ['timeoutSignal', '{ timeoutSignal }', 7245],
  ['withTimeout', '{ withTimeout }', 7570],
  ['an export that needs no wheel', '{ backend }', 100],
  ['what sets the budget of a wheel that nobody uses', '{ configure }', 600],
  ['TimeoutMap, with the shared wheel', '{ TimeoutMap }', 9815],
  ['timerGroup, with the shared wheel', '{ timerGroup }', 7765],
  ['TimerWheel', '{ TimerWheel }', 12455],
  ['setLongTimeout, with the shared wheel', '{ setLongTimeout }', 7555],
]

let sizes: number[]
beforeAll(async () => {
  const args = [join(__dirname, 'sizes.mjs'), ...PARTS.map(([, imports]) => imports)]
  sizes = JSON.parse(await outputOf(process.execPath, args, { limit: 120_000 }))
})

it.each(PARTS.map(([what, , most], i) => [what, i, most] as const))(
  'keeps %s within its bytes',
  (_, i, most) => expect(sizes[i]).toBeLessThanOrEqual(most),
)

it('keeps the WebAssembly module within its bytes', () => {
  const { size } = statSync(join(__dirname, '../../../dist/workerd/timeout_wheel.wasm'))
  expect(size).toBeLessThanOrEqual(5774)
})
