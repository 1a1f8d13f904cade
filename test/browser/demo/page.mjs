/** Helpers for tests of the demo: they open it in a tab, wait for it, and read its state. */
/** @typedef {import('puppeteer-core').Page} Page */

/** Milliseconds to wait for steps that take seconds on an idle machine. */
const PATIENCE = 120_000

const DESK = { width: 1280, height: 860 }
export const PHONE = { width: 360, height: 740, deviceScaleFactor: 2, isMobile: true, hasTouch: true }

/** Opens the demo at a URL with a slash at its end. `problems` grows with errors of the page, and with requests outside of its folder. */
export async function openDemo(browser, url, viewport = DESK) {
  const page = await browser.open('about:blank')
  const problems = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warn') problems.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) problems.push(request.url())
  })
  await page.setViewport(viewport)
  await page.goto(`${url}index.html`)
  return { page, problems }
}

export const textOf = (page, selector) => page.$eval(selector, (element) => element.textContent)

/** Waits until `code`, called in the page, returns true. */
const waitFor = (page, code, ...args) =>
  page.waitForFunction(code, { timeout: PATIENCE, polling: 100 }, ...args)

/** Waits until an implementation runs. */
export const waitForTurn = (page, implementation) =>
  waitFor(page, (expected) => document.documentElement.dataset.running === expected, implementation)

/** Waits until every card of an implementation shows a number. */
export const waitForNumbers = (page, implementation) =>
  waitFor(
    page,
    (name) => {
      const numbers = [...document.querySelectorAll(`[data-quantity] .${name} b`)]
      return numbers.length > 0 && numbers.every((one) => /^[\d.]+$/.test(one.textContent))
    },
    implementation,
  )

/** Waits until one of the two counts below the grid is above `least`. */
export const waitForCount = (page, id, least) =>
  waitFor(
    page,
    (which, bound) => Number(document.getElementById(which).textContent.replaceAll(',', '')) > bound,
    id,
    least,
  )

/** Counts the lit cells. All others are nearly grey, flashing or not. */
export const countLit = (page) =>
  page.evaluate(() => {
    const cells = document.getElementById('cells')
    // Read a copy, because the page's own canvas does not support fast reads.
    const copy = new OffscreenCanvas(cells.width, cells.height).getContext('2d')
    copy.drawImage(cells, 0, 0)
    const { data } = copy.getImageData(0, 0, cells.width, cells.height)
    let count = 0
    for (let at = 0; at < data.length; at += 4) {
      if (Math.abs(data[at] - data[at + 2]) > 100) count++
    }
    return count
  })
