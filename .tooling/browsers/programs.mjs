/** The paths of the browsers; undefined if a browser is not installed. */
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export function findOnPath(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync)
}

export function findChromium() {
  return process.env.TIMEOUT_WHEEL_CHROMIUM ?? findOnPath('chromium', 'chromium-browser', 'google-chrome')
}

export function findFirefox() {
  return process.env.TIMEOUT_WHEEL_FIREFOX ?? findOnPath('firefox-esr', 'firefox')
}

/** The browser that the driver of WebKitGTK runs. It is in a folder with the version of the library. */
export function findMiniBrowser() {
  return ['/usr/lib', `/usr/lib/${DEBIAN_TRIPLETS[process.arch]}`, '/usr/libexec']
    .filter(existsSync)
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => /^webkit(2)?gtk-/.test(name))
        .map((name) => join(folder, name, 'MiniBrowser')),
    )
    .find(existsSync)
}

const DEBIAN_TRIPLETS = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' }
