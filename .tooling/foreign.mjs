/** Runs Node for other platforms on Linux for x64: for arm64 in QEMU, for Windows in Wine. */
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { start } from './child.cjs'
import { nodeOfLine } from './nodes.mjs'
import { setUp } from './setup.mjs'
import { root, run } from './step.mjs'

/** Wine 8 runs Node 20, but not Node 24. */
const LINE = 20

/** A script that starts Node in QEMU. The kernel starts no program of another platform, but it starts scripts. */
function writeScript(node) {
  const script = join(root, 'build/qemu/node')
  mkdirSync(dirname(script), { recursive: true })
  writeFileSync(script, `#!/bin/sh\nexec qemu-aarch64-static -L /usr/aarch64-linux-gnu '${node}' "$@"\n`, {
    mode: 0o755,
  })
  return script
}

function runInQemu(node, args, limit) {
  const script = writeScript(node)
  return run(script, args, { limit, env: { TIMEOUT_WHEEL_FOREIGN_NODE: script } })
}

/** Wine has a drive Z with all files. */
const onDriveZ = (word) => word.replace(/^\//, 'Z:/')

/** The output goes through a file: under Wine, Node refuses a pipe. */
async function runInWine(node, args, limit) {
  const folder = join(root, 'build/wine')
  const file = join(folder, 'output.txt')
  const env = { ...process.env, WINEPREFIX: join(folder, 'prefix'), WINEDEBUG: '-all' }
  mkdirSync(folder, { recursive: true })
  const wine = async (words) => {
    const output = openSync(file, 'w')
    const child = start('wine', words, { stdio: ['ignore', output, output], env, limit })
    closeSync(output)
    const code = await child.ended.then(
      ({ code, signal }) => (signal === null ? code : `${signal}`),
      (error) => error.message,
    )
    if (code !== 0) process.stderr.write(`${readFileSync(file, 'utf8')}wine: ${code}\n`)
    return typeof code === 'number' ? code : 1
  }
  // Node refuses to start on the version of Windows that Wine pretends to be by default.
  const windows10 = ['/v', 'Version', '/t', 'REG_SZ', '/d', 'win10', '/f']
  const code = await wine(['reg', 'add', 'HKCU\\Software\\Wine', ...windows10])
  return code || wine([node, ...args.map(onDriveZ)])
}

const PLATFORMS = { 'linux-arm64': runInQemu, 'win32-x64': runInWine }

/** The other platforms whose addon can be tested here. */
export const FOREIGN_PLATFORMS = Object.keys(PLATFORMS)

/**
 * Runs Node for another platform. A program that starts Node itself finds it in the variable TIMEOUT_WHEEL_FOREIGN_NODE, if it
 * cannot start its own file.
 *
 * @param {string} platform
 * @param {string[]} args
 * @param {number} limit  Milliseconds.
 * @returns {Promise<number>} its exit code
 */
export async function runForeign(platform, args, limit) {
  await setUp([`run-${platform}`])
  return PLATFORMS[platform](await nodeOfLine(LINE, platform), args, limit)
}
