import { launchByPuppeteer } from './puppeteer.mjs'

/** What puppeteer turns off and these tests are about: a hidden tab is throttled here as it is on a person's screen. */
const THROTTLING = [
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
]

/** @param {string} program */
export function launchChromium(program, { args = [] } = {}) {
  return launchByPuppeteer('chromium', {
    executablePath: program,
    ignoreDefaultArgs: THROTTLING,
    // No sandbox: it cannot be had as root. No calls home.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--enable-precise-memory-info',
      '--js-flags=--expose-gc',
      ...args,
    ],
  })
}
