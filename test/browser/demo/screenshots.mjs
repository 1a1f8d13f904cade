/**
 * Makes the pictures of the demo in Chromium: docs/demo-light.webp and docs/demo-dark.webp.
 *
 *   node test/browser/demo/screenshots.mjs
 */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { launch } from '../../../.tooling/browsers/index.mjs'
import { serve } from '../../../.tooling/browsers/server.mjs'
import { mustRun, root } from '../../../.tooling/step.mjs'
import { openDemo, waitForCount, waitForNumbers, waitForTurn } from './page.mjs'

mustRun(process.execPath, ['bench/demo/run.mjs', '--build'])
const site = await serve()
const browser = await launch('chromium')
try {
  const url = site.mount('/', join(root, 'build/demo'))
  for (const scheme of ['light', 'dark']) {
    const { page } = await openDemo(browser, url, { dark: scheme === 'dark' })
    for (const implementation of ['native', 'wheel', 'native', 'wheel']) {
      await waitForTurn(page, implementation)
      await waitForNumbers(page, implementation)
    }
    // The picture should show most of the second turn, and untouched cells that expire evenly.
    await waitForCount(page, 'ran-out', 8000)
    await setTimeout(5000)
    await page.screenshot({ path: join(root, `docs/demo-${scheme}.webp`), type: 'webp', quality: 60 })
    await page.close()
  }
} finally {
  await browser.close()
  await site.close()
}
