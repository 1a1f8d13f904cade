/** Uses the demo as a person does: by pointer, by keyboard, on a desktop screen and on a phone. */
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals'
import { launch } from '../../.tooling/browsers/index.mjs'
import { serve } from '../../.tooling/browsers/server.mjs'
import { mustRun, root } from '../../.tooling/step.mjs'
import {
  countLit,
  openDemo,
  PHONE,
  textOf,
  waitFor,
  waitForCount,
  waitForNumbers,
  waitForTurn,
} from './demo/page.mjs'
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

  async function open(wishes) {
    opened = await openDemo(browser, url, wishes)
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

  it('changes the number of cells by the keyboard', async () => {
    const page = await open()
    await page.focus('#count')
    for (const [key, cells] of Object.entries({ Home: 1000, ArrowRight: 2000 })) {
      await page.keyboard.press(key)
      const hasCells = (count) => {
        const { width, height } = document.getElementById('cells')
        return width * height >= count && width * (height - 1) < count
      }
      await waitFor(page, hasCells, cells)
      expect(await textOf(page, 'h1 .count')).toBe(cells.toLocaleString('en'))
    }
  })

  it('moves nothing with reduced motion until arrow keys or the pointer touch cells', async () => {
    const page = await open({ still: true })
    await page.click('.switch .wheel')
    await waitForCount(page, 'ran-out', 100)
    expect(await page.$eval('#sweep', (input) => input.checked)).toBe(false)
    expect(await countLit(page)).toBe(0)

    await page.focus('#sweep')
    await page.keyboard.press('Tab')
    const columns = []
    for (let i = 0; i < 4; i++) {
      await page.keyboard.press('ArrowRight')
      columns.push(Number((await textOf(page, '#position')).match(/^Row \d+, column (\d+)$/)[1]))
    }
    expect(columns).toEqual([...new Set(columns)].sort((a, b) => a - b))
    await waitForCount(page, 'rearmed', 0)
    const byKeys = await countLit(page)
    expect(byKeys).toBeGreaterThan(10)

    const { x, y, width } = await (await page.$('#grid')).boundingBox()
    await page.mouse.move(x + 20, y + 40)
    await page.mouse.move(x + width - 20, y + 40, { steps: 20 })
    await waitForCount(page, 'rearmed', 200)
    expect(await countLit(page)).toBeGreaterThan(byKeys)
  })

  it('shows the focus on every element that the keyboard reaches', async () => {
    const page = await open({ still: true })
    const reached = []
    for (let i = 0; i < 5; i++) {
      await page.keyboard.press('Tab')
      reached.push(
        await page.evaluate(() => {
          const focused = document.activeElement
          const { outlineStyle, outlineWidth } = getComputedStyle(focused.closest('.switch label') ?? focused)
          const what = focused.id || focused.getAttribute('name') || focused.localName
          return `${what}: ${outlineWidth} ${outlineStyle}`
        }),
      )
    }
    const expected = ['timers', 'count', 'sweep', 'grid', 'summary']
    expect(reached).toEqual(expected.map((what) => `${what}: 3px solid`))
    await page.keyboard.press('Enter')
    expect(await page.$eval('details', (details) => details.open)).toBe(true)
  })

  it("fits a phone's width, with targets that are large enough for a finger and switch between the timers", async () => {
    const page = await open({ viewport: PHONE, dark: true })
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
