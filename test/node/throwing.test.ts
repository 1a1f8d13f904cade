/**
 * An error that a callback throws reaches `uncaughtException`, and every other due timer still runs. The callbacks of contract/model throw
 * from `advance()`. test/differential has errors of intervals, of queued work, and errors that nothing catches.
 */
import { describe } from '@jest/globals'
import { printsInOneProcess } from './prints.js'

const each = (i: number): string[] => [
  `scheduled ${i} uncaughtException`,
  `ran ${i}`,
  `set ${i} uncaughtException`,
]

describe.each(['native', 'wasm'])('%s', (backend) => {
  const it = printsInOneProcess({
    prelude: `import { TimerWheel } from 'timeout-wheel/${backend}'\nconst wheel = new TimerWheel()`,
  })

  it('reports the errors of callbacks and runs all other callbacks in order', ...[0, 1, 2].flatMap(each))`
    process.on('uncaughtException', (error, origin) => console.log(error.message, origin))
    for (let i = 0; i < 3; i++) {
      wheel.schedule(() => { throw new Error('scheduled ' + i) }, 5)
      wheel.schedule(() => console.log('ran', i), 5)
      wheel.setTimeout(() => { throw new Error('set ' + i) }, 5)
    }
    for (const end = performance.now() + 20; performance.now() < end;);
  `

  it('continues after thousands of callbacks throw', '2000 6000')`
    let caught = 0, ran = 0
    process.on('uncaughtException', () => caught++)
    for (let i = 0; i < 6_000; i++) wheel.schedule(() => { ran++; if (i % 3 === 0) throw new Error('thrown') }, 5)
    while (wheel.pending > 0) await new Promise((resolve) => globalThis.setTimeout(resolve, 1))
    console.log(caught, ran)
  `
})
