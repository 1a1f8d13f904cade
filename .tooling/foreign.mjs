/** Runs Node for other platforms on Linux for x64: for arm64 in QEMU, for Windows in Wine. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { nodeOfLine } from './nodes.mjs'
import { setUp } from './setup.mjs'
import { root, run } from './step.mjs'

const WINE_PREFIX = join(root, 'build/wine')
/** Wine 8 runs Node 20, but not Node 24. */
const LINE = 20

const PLATFORMS = {
  'linux-arm64': (node, args) => run('qemu-aarch64-static', ['-L', '/usr/aarch64-linux-gnu', node, ...args]),
  'win32-x64': (node, args) => {
    mkdirSync(WINE_PREFIX, { recursive: true })
    const env = { WINEPREFIX: WINE_PREFIX, WINEDEBUG: '-all' }
    // Node refuses to start on the version that Wine pretends to be by default.
    const key = ['reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/t', 'REG_SZ', '/d', 'win10', '/f']
    run('wine', key, { quiet: true, env })
    return run('wine', [node, ...args.map((arg) => arg.replace(/^\//, 'Z:/'))], { quiet: true, env })
  },
}

/** The other platforms whose addon can be tested here. */
export const FOREIGN_PLATFORMS = Object.keys(PLATFORMS)

/** Runs Node for another platform. Returns its exit code. */
export function runForeign(platform, args) {
  setUp([`run-${platform}`])
  return PLATFORMS[platform](nodeOfLine(LINE, platform), args)
}
