/**
 * A test tool fakes the timers of a page before the package is loaded, as `cy.clock()` before `cy.visit()` and `page.clock.install()` before
 * `page.goto()` do. Then the tool moves the timers of the package. test/page/drivers/fake-timers.test.ts has all kinds of timers, without a browser.
 */
import { createRequire } from 'node:module'
import { build } from 'esbuild'
import { describeOn } from './engine.mjs'
import { usePages } from './pages.mjs'

const pages = usePages()

beforeAll(async () => {
  const stdin = {
    contents: "export { install } from '@sinonjs/fake-timers'",
    resolveDir: new URL('.', import.meta.url).pathname,
  }
  const options = { bundle: true, write: false, format: 'esm', external: ['util'] }
  const { outputFiles } = await build({ stdin, ...options })
  pages.site.put('/fake-timers.mjs', outputFiles[0].text)
})

/** What `cy.clock()` fakes. */
const CYPRESS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date']

describe.each([
  ['all of a page, as sinon does by default', undefined, 'leaves the timers of the page in place'],
  ['what cy.clock() fakes', CYPRESS, 'leaves the timers of the page in place'],
  ['setTimeout alone', ['setTimeout', 'clearTimeout'], 'has replaced nothing'],
])('a tool that fakes %s', (_, toFake, warning) => {
  const before = `
    import { install } from '/fake-timers.mjs'
    globalThis.warnings = []
    // If setTimeout alone is faked, the tool warns of the number of no timer, by which register looks for tools.
    console.warn = (text) => text.startsWith('FakeTimers: ') || warnings.push(text)
    globalThis.native = setTimeout
    globalThis.clock = install(${JSON.stringify({ toFake })})
  `

  it('keeps its timers, and says so once, if the page loads timeout-wheel/register', async () => {
    const told = await pages.run(
      async () => {
        const { clock, native, warnings } = globalThis
        const fake = setTimeout
        const { register } = await import('/dist/register-browser.mjs')
        const isKept = [register(), setTimeout === fake]
        let ran = 0
        for (let n = 1; n <= 12; n++) setTimeout(() => ran++, 250 * n)
        clock.tick(3_000)
        clock.uninstall()
        // Ours call the functions of the page, so they cannot become these.
        const isBack = [register(), setTimeout === native]
        await new Promise((resolve) => setTimeout(resolve, 5))
        return { isKept, ran, isBack, warnings }
      },
      { before },
    )
    const warnings = [expect.stringContaining(`timeout-wheel/register ${warning}`)]
    expect(told).toEqual({ isKept: [false, true], ran: 12, isBack: [false, true], warnings })
  })
})

it('fakes the timers of a page that has loaded timeout-wheel/register, and gives ours back', async () => {
  const told = await pages.run(async ({ setTimeout: own }) => {
    const { install } = await import('/fake-timers.mjs')
    await import('/dist/register-browser.mjs')
    const ours = setTimeout
    // Timers that were set before go on in real time.
    const real = new Promise((resolve) => ours(resolve, 5, 'real'))
    const direct = new Promise((resolve) => own(resolve, 5, 'real'))
    const clock = install()
    let ran = 0
    for (let n = 1; n <= 12; n++) setTimeout(() => ran++, 250 * n)
    clock.tick(3_000)
    const first = [await real, await direct]
    clock.uninstall()
    return { ran, first, isBack: setTimeout === ours }
  })
  expect(told).toEqual({ ran: 12, first: ['real', 'real'], isBack: true })
})

describeOn(
  ['chromium'],
  'page.clock of Playwright',
  'Playwright drives other engines only in builds of its own',
  () => {
    let browser
    beforeAll(async () => {
      const folder = process.env.TIMEOUT_WHEEL_PLAYWRIGHT
      if (folder === undefined) throw new Error('Playwright is missing: run `npm test -- browser-chromium`')
      const { chromium } = createRequire(import.meta.url)(folder)
      browser = await chromium.connectOverCDP(pages.browser.endpoint)
    })
    afterAll(() => browser?.close())

    it.each(['runFor', 'fastForward'])('moves the timers of a page by %s', async (move) => {
      const page = await browser.newPage()
      await page.clock.install({ time: 0 })
      await page.clock.pauseAt(1_000)
      await page.goto(pages.site.page(`/playwright/${move}.html`, 'test', ''))
      await page.evaluate(async () => {
        const { setTimeout, TimerWheel } = await import('/dist/browser.mjs')
        globalThis.ran = []
        const began = performance.now()
        const note = (n) => globalThis.ran.push([n, performance.now() - began])
        for (let n = 1; n <= 12; n++) setTimeout(note, 250 * n, n)
        new TimerWheel({ driver: 'worker' }).schedule(note, 3_000, 13)
      })
      await page.clock[move](2_999)
      const early = await page.evaluate(() => globalThis.ran.splice(0))
      await page.clock[move](1)
      const late = await page.evaluate(() => globalThis.ran)
      await page.close()
      // `fastForward` runs all timers at its end.
      expect(early).toEqual(
        Array.from({ length: 11 }, (_, n) => [n + 1, move === 'runFor' ? 250 * (n + 1) : 2_999]),
      )
      expect(late.sort()).toEqual([12, 13].map((n) => [n, 3_000]))
    })
  },
)
