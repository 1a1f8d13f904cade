/** The other runtimes that the tests run on, from the npm packages that carry their programs. */
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fail, mustRun, platform, root, say } from './step.mjs'

/** The package and its program, by platform. */
const DENO = {
  'linux-x64': '@deno/linux-x64-glibc',
  'linux-arm64': '@deno/linux-arm64-glibc',
  'darwin-x64': '@deno/darwin-x64',
  'darwin-arm64': '@deno/darwin-arm64',
  'win32-x64': '@deno/win32-x64',
}
const BUN = {
  'linux-x64': '@oven/bun-linux-x64',
  'linux-arm64': '@oven/bun-linux-aarch64',
  'darwin-x64': '@oven/bun-darwin-x64',
  'darwin-arm64': '@oven/bun-darwin-aarch64',
  'win32-x64': '@oven/bun-windows-x64',
}

const exe = process.platform === 'win32' ? '.exe' : ''
const deno = (version) => ({ version, package: DENO[platform], file: `deno${exe}` })
const bun = (version) => ({ version, package: BUN[platform], file: `bin/bun${exe}` })

/**
 * The oldest and a recent version of each. The timers of Deno differ in each of these three: in 2.6, immediates are late too.
 * The edge host is the one of Next.js: it runs in Node.
 */
export const RUNTIMES = {
  'deno-2.0': deno('2.0.0'),
  'deno-2.6': deno('2.6.8'),
  'deno-2.9': deno('2.9.6'),
  'bun-1.1': bun('1.1.0'),
  'bun-1.4': bun('1.4.5'),
  edge: { version: '5.0.0', package: '@edge-runtime/vm', file: 'package.json' },
}

/**
 * Returns the path of a runtime's file. The first call installs its package into build/runtimes.
 *
 * @param {keyof typeof RUNTIMES} name
 */
export async function fileOfRuntime(name) {
  const { version, package: from, file } = RUNTIMES[name]
  if (from === undefined) fail(`${name} has no package for ${platform}`)
  const folder = join(root, 'build/runtimes', `${name}-${version}`)
  const path = join(folder, 'node_modules', from, file)
  if (!existsSync(path)) {
    say(`runtimes: installing ${from}@${version}`)
    mkdirSync(folder, { recursive: true })
    const options = ['--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts']
    await mustRun('npm', ['install', ...options, `${from}@${version}`], { quiet: true })
  }
  if (!existsSync(path)) fail(`${from}@${version} has no file ${file}`)
  // Some of the packages have forgotten it.
  if (file !== 'package.json') chmodSync(path, 0o755)
  return path
}
