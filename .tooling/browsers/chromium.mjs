import { launchByPuppeteer } from './puppeteer.mjs'

/** Flags by which puppeteer turns throttling off. They are removed, because hidden tabs are throttled for users too. */
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
    // The sandbox does not work as root. Background networking is off.
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
