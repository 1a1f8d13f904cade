/** The package has the real clock if a test tool has faked it before the import. */
import { expect, it } from '@jest/globals'
import { runNode } from '../child.js'

it.each(['native', 'wasm'])('takes the real clock (%s)', async (backend) => {
  const program = `
    const start = process.uptime()
    require('@sinonjs/fake-timers').install()
    require('timeout-wheel/${backend}').setTimeout(() => console.log(process.uptime() - start >= 0.02), 20)`
  expect((await runNode(['-e', program])).lines).toEqual(['true'])
})
