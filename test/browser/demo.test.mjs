/** The demo runs on a desktop screen and on a phone. */
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals'
import { launch } from '../../.tooling/browsers/index.mjs'
import { serve } from '../../.tooling/browsers/server.mjs'
import { mustRun, root } from '../../.tooling/step.mjs'
import { countLit, openDemo, PHONE, textOf, waitForCount, waitForNumbers, waitForTurn } from './demo/page.mjs'
import { describeOn } from './engine.mjs'

describeOn(['chromium'], 'the demo', 'it is one page for a person to look at', () => {
  let browser
  let site
  let url
  let opened

  beforeAll(async () => {
    await mustRun(process.execPath, ['bench/demo/run.mjs', '--build'], { quiet: true })
    site = await serve()
    // Under an address that the build does not know.
    url = site.mount('/some/where/', join(root, 'build/demo'))
    browser = await launch('chromium')
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  async function open(viewport) {
    opened = await openDemo(browser, url, viewport)
    return opened.page
  }
  afterEach(async () => {
    const { page, problems } = opened
    await page.close()
    expect(problems).toEqual([])
  })

  it('measures the implementations in turn while cells expire, and shows that the wheel re-arms for less', async () => {
    const page = await open()
    for (const implementation of ['native', 'wheel']) {
      await waitForTurn(page, implementation)
      await waitForNumbers(page, implementation)
      await waitForCount(page, 'ran-out', 100)
    }
    const rearm = async (name) => Number(await textOf(page, `[data-quantity=rearm] .${name} b`))
    expect(await rearm('wheel')).toBeLessThan(await rearm('native'))
    expect(await countLit(page)).toBeGreaterThan(500)
    await waitForTurn(page, 'native')
    // For docs/contributing/demo.webp.
    await page.screenshot({ path: join(root, 'build/demo.webp'), type: 'webp', quality: 30 })
  })

  it("fits a phone's width, with targets that are large enough for a finger and switch between the timers", async () => {
    const page = await open(PHONE)
    await page.tap('.switch .wheel')
    await waitForNumbers(page, 'wheel')
    await page.tap('.switch .native')
    await waitForTurn(page, 'native')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width)
    const small = await page.$$eval('.switch label, .range input, .check, summary', (targets) =>
      targets.map((one) => one.getBoundingClientRect().height).filter((height) => height < 24),
    )
    expect(small).toEqual([])
  })
})
