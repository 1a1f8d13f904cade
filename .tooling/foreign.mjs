/** Runs Node for other platforms on Linux for x64: for arm64 in QEMU, for Windows in Wine. */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeOfLine } from './nodes.mjs'
import { setUp } from './setup.mjs'
import { fail, root, run } from './step.mjs'

/** Wine 8 runs Node 20, but not Node 24. */
const LINE = 20

function runInQemu(node, args) {
  return run('qemu-aarch64-static', ['-L', '/usr/aarch64-linux-gnu', node, ...args])
}

/** Wine has a drive Z with all files. */
const onDriveZ = (word) => word.replace(/^\//, 'Z:/')

/** The output goes through a file: under Wine, Node refuses a pipe. */
function runInWine(node, args) {
  const folder = join(root, 'build/wine')
  const file = join(folder, 'output.txt')
  mkdirSync(folder, { recursive: true })
  const wine = (words) => {
    const output = openSync(file, 'w')
    const env = { ...process.env, WINEPREFIX: join(folder, 'prefix'), WINEDEBUG: '-all' }
    const { status, error } = spawnSync('wine', words, { stdio: ['ignore', output, output], env })
    closeSync(output)
    if (error !== undefined) fail(`wine could not be run: ${error.message}`)
    if (status !== 0) process.stderr.write(readFileSync(file, 'utf8'))
    return status ?? 1
  }
  // Node refuses to start on the version of Windows that Wine pretends to be by default.
  const windows10 = ['/v', 'Version', '/t', 'REG_SZ', '/d', 'win10', '/f']
  return wine(['reg', 'add', 'HKCU\\Software\\Wine', ...windows10]) || wine([node, ...args.map(onDriveZ)])
}

const PLATFORMS = { 'linux-arm64': runInQemu, 'win32-x64': runInWine }

/** The other platforms whose addon can be tested here. */
export const FOREIGN_PLATFORMS = Object.keys(PLATFORMS)

/** Runs Node for another platform. Returns its exit code. */
export function runForeign(platform, args) {
  setUp([`run-${platform}`])
  return PLATFORMS[platform](nodeOfLine(LINE, platform), args)
}
