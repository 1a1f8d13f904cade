import { launchByPuppeteer } from './puppeteer.mjs'

/** @param {string} program */
export function launchFirefox(program, { preferences = {} } = {}) {
  return launchByPuppeteer('firefox', {
    browser: 'firefox',
    executablePath: program,
    extraPrefsFirefox: preferences,
  })
}
