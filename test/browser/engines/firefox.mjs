import { launchByPuppeteer } from './puppeteer.mjs'

/** @param {string} program */
export function launchFirefox(program) {
  return launchByPuppeteer('firefox', { browser: 'firefox', executablePath: program })
}
