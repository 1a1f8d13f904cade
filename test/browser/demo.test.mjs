/** The demo measures both implementations in turn. */
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { launch } from '../../.tooling/browsers/index.mjs'
import { serve } from '../../.tooling/browsers/server.mjs'
import { mustRun, root } from '../../.tooling/step.mjs'
import { describeOn } from './engine.mjs'

/** Whether this implementation runs, and each of its cards shows a number. */
const hasNumbers = (name) => {
  const numbers = [...document.querySelectorAll(`[data-quantity] .${name} b`)]
  const isRunning = document.documentElement.dataset.running === name
  return isRunning && numbers.length > 0 && numbers.every((one) => /^[\d.]+$/.test(one.textContent))
}

describeOn(['chromium'], 'the demo', 'it is one page for a person to look at', () => {
  it('shows that the wheel re-arms for less, without errors and requests outside of its folder', async () => {
    await mustRun(process.execPath, ['bench/demo/run.mjs', '--build'], { quiet: true })
    const [site, browser] = await Promise.all([serve(), launch('chromium')])
    try {
      // Under an address that the build does not know.
      const url = site.mount('/some/where/', join(root, 'build/demo'))
      const page = await browser.open('about:blank')
      const problems = []
      page.on('pageerror', (error) => problems.push(error.message))
      page.on('console', (message) => problems.push(message.text()))
      page.on('request', (request) => request.url().startsWith(url) || problems.push(request.url()))
      await page.setViewport({ width: 1280, height: 860 })
      await page.goto(`${url}index.html`)
      for (const name of ['native', 'wheel'])
        await page.waitForFunction(hasNumbers, { timeout: 120_000, polling: 100 }, name)
      const rearm = (name) => page.$eval(`[data-quantity=rearm] .${name} b`, (one) => Number(one.textContent))
      expect(await rearm('wheel')).toBeLessThan(await rearm('native'))
      expect(problems.filter((one) => !one.startsWith('data:'))).toEqual([])
      // For docs/contributing/demo.webp.
      await page.screenshot({ path: join(root, 'build/demo.webp'), type: 'webp', quality: 30 })
    } finally {
      await browser.close()
      await site.close()
    }
  })
})
