/** Runs Node for other platforms on Linux for x64: for arm64 in QEMU, for Windows in Wine. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeOfLine } from './runtimes.mjs'
import { setUp } from './setup.mjs'
import { root, run } from './step.mjs'

/** Wine 8 runs Node 20, but not Node 24. */
const LINE = 20

const IN_QEMU = '#!/bin/sh\nexec qemu-aarch64-static -L /usr/aarch64-linux-gnu "$(dirname "$0")/node" "$@"\n'

/** Node starts by a script: the kernel starts no program of another platform, but it starts scripts. */
function runInQemu(node, args, limit) {
  const script = `${node}-in-qemu`
  if (!existsSync(script)) writeFileSync(script, IN_QEMU, { mode: 0o755 })
  return run(script, args, { limit })
}

/**
 * Makes the registry: a short program that Wine runs first would be killed with its group before it is complete. Node refuses to start on
 * the version of Windows that Wine pretends to be by default. The server writes the registry when it ends.
 */
const SET_UP = [
  'wine wineboot --init',
  'wine reg add HKCU\\Software\\Wine /v Version /t REG_SZ /d win10 /f',
  'wineserver -w',
]

/** The output goes through a file: under Wine, Node refuses a pipe. */
async function runInWine(node, args, limit) {
  const folder = join(root, 'build/wine')
  const file = join(folder, `output-${process.pid}.txt`)
  const env = { WINEPREFIX: join(folder, 'windows-10'), WINEDEBUG: '-all' }
  mkdirSync(folder, { recursive: true })
  const registry = join(env.WINEPREFIX, 'user.reg')
  const isSetUp = existsSync(registry) && readFileSync(registry, 'utf8').includes('"Version"="win10"')
  const commands = (isSetUp ? [] : SET_UP).map((command) => command.split(' '))
  // Wine has a drive Z with all files.
  commands.push(['wine', node, ...args.map((word) => word.replace(/^\//, 'Z:/'))])
  for (const command of commands) {
    const code = await run('sh', ['-c', 'exec "$@" >"$0" 2>&1', file, ...command], { env, limit })
    if (code === 0) continue
    process.stderr.write(readFileSync(file, 'utf8'))
    return code
  }
  return 0
}

/** Runs Node for another platform. @param {number} limit milliseconds @returns {Promise<number>} its exit code */
export async function runForeign(platform, args, limit) {
  await setUp([`run-${platform}`])
  const runNode = platform === 'win32-x64' ? runInWine : runInQemu
  return runNode(await nodeOfLine(LINE, platform), args, limit)
}
