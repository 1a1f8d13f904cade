/** The site that `npm run site` builds: its links, its search, and the demo in it. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { launch } from '../../.tooling/browsers/index.mjs'
import { serve } from '../../.tooling/browsers/server.mjs'
import { mustRun, root } from '../../.tooling/step.mjs'

/** The folder of the site on its host, as on a host that has several sites. */
const BASE = '/some/where/'
const FOLDER = join(root, 'build/site')
/** Milliseconds for the build on a busy machine. */
const PATIENCE = 600_000

let server, browser, url, page, problems

beforeAll(async () => {
  await mustRun(process.execPath, ['.tooling/site.mjs', `--base=${BASE}`], { quiet: true })
  ;[server, browser] = await Promise.all([serve(), launch('chromium')])
  url = server.mount(BASE, FOLDER)
}, PATIENCE)

afterAll(async () => {
  await browser?.close()
  await server?.close()
})

/** A new page, and all that goes wrong in it. */
beforeEach(async () => {
  problems = []
  page = await browser.open('about:blank')
  const report = (text) => problems.push(`${page.url()}: ${text}`)
  page.on('pageerror', (error) => report(error.message))
  page.on('console', (message) => report(message.text()))
  page.on('request', (one) => one.url().startsWith(url) || one.url().startsWith('data:') || report(one.url()))
  page.on('response', (one) => one.status() < 400 || report(`${one.status()} for ${one.url()}`))
})

/** Opens a page, waits until its scripts have taken it over, and says what it contains. */
async function visit(address) {
  await page.goto(address)
  // Only the charts and the demo have none.
  await page.waitForFunction(
    () => document.querySelector('#app')?.__vue_app__ !== undefined || !document.querySelector('#app'),
  )
  return page.evaluate(() => ({
    anchors: Array.from(document.querySelectorAll('[id]'), ({ id }) => id),
    links: Array.from(document.querySelectorAll('a[href], iframe'), ({ href, src }) => href ?? src),
    missingPictures: Array.from(document.images, ({ src, naturalWidth }) => naturalWidth === 0 && src).filter(
      Boolean,
    ),
    width: document.scrollingElement.scrollWidth,
  }))
}

it('has no page that its links miss, no dead link or anchor, no missing picture and no error, and fits a phone', async () => {
  await page.setViewport({ width: 360, height: 740 })
  const contents = new Map()
  const links = [`${url}index.html`]
  // The list grows while the loop runs.
  for (const link of links) {
    const [address] = link.split('#')
    const path = address.slice(url.length).replace(/(^|\/)$/, '$1index.html')
    if (!link.startsWith(server.url) || contents.has(path)) continue
    const content = await visit(url + path)
    contents.set(path, content)
    links.push(...content.links)
    problems.push(...content.missingPictures.map((picture) => `${path} does not show ${picture}`))
    if (content.width > 360) problems.push(`${path} is ${content.width} pixels wide`)
  }
  for (const [from, content] of contents)
    for (const link of content.links.filter((one) => one.startsWith(url) && one.includes('#'))) {
      const [path, anchor] = link.slice(url.length).split('#')
      const target = contents.get(path.replace(/(^|\/)$/, '$1index.html'))
      if (!target.anchors.includes(decodeURIComponent(anchor)))
        problems.push(`${from} links to ${path}#${anchor}`)
    }
  expect(problems).toEqual([])
  const isPage = (name) => name.endsWith('.html') && name !== '404.html'
  expect([...contents.keys()].sort()).toEqual(readdirSync(FOLDER, { recursive: true }).filter(isPage).sort())
})

it('finds a word, and opens the place where it stands', async () => {
  await visit(`${url}index.html`)
  await page.click('#local-search button')
  await page.waitForSelector('#localsearch-input')
  await page.type('#localsearch-input', 'reschedule')
  // The first letters find other places before.
  const isFound = () => document.querySelector('.result.selected mark')?.textContent === 'reschedule'
  await page.waitForFunction(isFound)
  await page.keyboard.press('Enter')
  // The address changes before the page does.
  const heading = await page.waitForSelector('main [id^="reschedule"]')
  expect(await heading.evaluate((one) => location.hash === `#${one.id}`)).toBe(true)
  expect(problems).toEqual([])
})

/** Whether this implementation runs, and each of its cards shows a number. */
const hasNumbers = (name) => {
  const numbers = [...document.querySelectorAll(`[data-quantity] .${name} b`)]
  const isRunning = document.documentElement.dataset.running === name
  return isRunning && numbers.length > 0 && numbers.every((one) => /^[\d.]+$/.test(one.textContent))
}

it('runs the demo, which shows that the wheel re-arms for less', async () => {
  await page.setViewport({ width: 1280, height: 924 })
  await visit(`${url}demo.html`)
  const element = await page.waitForSelector('iframe')
  const demo = await element.contentFrame()
  for (const name of ['native', 'wheel'])
    await demo.waitForFunction(hasNumbers, { timeout: 120_000, polling: 100 }, name)
  const rearm = (name) => demo.$eval(`[data-quantity=rearm] .${name} b`, (one) => Number(one.textContent))
  expect(await rearm('wheel')).toBeLessThan(await rearm('native'))
  expect(problems).toEqual([])
  // For docs/contributing/demo.webp.
  await element.screenshot({ path: join(root, 'build/demo.webp'), type: 'webp', quality: 30 })
})
