/** The paths of the browsers; undefined if a browser is not installed. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findOnPath } from '../step.mjs'

export const findChromium = () =>
  process.env.TIMEOUT_WHEEL_CHROMIUM ?? findOnPath('chromium', 'chromium-browser', 'google-chrome')

export const findFirefox = () => process.env.TIMEOUT_WHEEL_FIREFOX ?? findOnPath('firefox-esr', 'firefox')

/** The browser that the driver of WebKitGTK runs. It is in a folder with the version of the library. */
export const findMiniBrowser = () =>
  ['/usr/lib', '/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/libexec']
    .filter(existsSync)
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name, 'MiniBrowser')))
    .find((path) => /webkit2?gtk-/.test(path) && existsSync(path))
