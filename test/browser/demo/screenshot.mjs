/**
 * Makes the picture of the demo in Chromium: docs/contributing/demo.webp.
 *
 *   node test/browser/demo/screenshot.mjs
 */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { launch } from '../../../.tooling/browsers/index.mjs'
import { serve } from '../../../.tooling/browsers/server.mjs'
import { mustRun, root } from '../../../.tooling/step.mjs'
import { openDemo, waitForCount, waitForNumbers, waitForTurn } from './page.mjs'

await mustRun(process.execPath, ['bench/demo/run.mjs', '--build'])
const site = await serve()
const browser = await launch('chromium')
try {
  const url = site.mount('/', join(root, 'build/demo'))
  const { page } = await openDemo(browser, url)
  for (const implementation of ['native', 'wheel', 'native', 'wheel']) {
    await waitForTurn(page, implementation)
    await waitForNumbers(page, implementation)
  }
  // The picture should show most of the second turn, and untouched cells that expire evenly.
  await waitForCount(page, 'ran-out', 8000)
  await setTimeout(5000)
  await page.screenshot({ path: join(root, 'docs/contributing/demo.webp'), type: 'webp', quality: 30 })
} finally {
  await browser.close()
  await site.close()
}
