/** Builds the addon for a platform, and checks what it needs. */
import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { cmakeBuild } from './cmake.mjs'
import { fail, isOnPath, outputOf, platform, root } from './step.mjs'

const MAX_BYTES = 150_000

/** The platforms whose addon the package contains. */
export const PLATFORMS = ['linux-x64', 'linux-arm64', 'win32-x64']
/** Those that have a preset of CMake with a cross compiler, which Linux has. */
export const CROSS_PLATFORMS = PLATFORMS.slice(1).filter((one) => one !== platform)

/** The addon must need no C++ library, so that it loads beside any, and must bind the functions of libuv when it is loaded. */
async function checkLinuxAddon(file) {
  if (!isOnPath('readelf') || !isOnPath('nm')) return
  const dynamic = await outputOf('readelf', ['-d', file])
  if (/NEEDED.*(stdc\+\+|libgcc|libc\+\+)/.test(dynamic)) fail(`${file} needs a C++ library:\n${dynamic}`)
  if (!/BIND_NOW/.test(dynamic)) fail(`${file} is not linked with -z now`)
  const wanted = await outputOf('nm', ['-D', '--undefined-only', file])
  const foreign = wanted.match(/.* U (_Z|__cxa_(?!finalize|atexit)|__gxx|_Unwind).*/g)
  if (foreign !== null) fail(`${file} needs symbols of a C++ library:\n${foreign.join('\n')}`)
}

/** Every Windows has these libraries. */
const WINDOWS_LIBRARIES = ['KERNEL32.dll', 'msvcrt.dll', 'node.exe']

async function checkWindowsAddon(file) {
  const headers = await outputOf('x86_64-w64-mingw32-objdump', ['-p', file])
  const needed = Array.from(headers.matchAll(/DLL Name: (\S+)/g), ([, name]) => name).sort()
  if (needed.join() !== WINDOWS_LIBRARIES.join()) fail(`${file} needs ${needed.join(', ')}`)
}

/** Ends the script if this system cannot build the addons of all platforms. */
export function checkBuildable() {
  const possible = [platform, ...(process.platform === 'linux' ? CROSS_PLATFORMS : [])]
  const impossible = PLATFORMS.filter((target) => !possible.includes(target))
  if (impossible.length === 0) return
  fail(
    `The addon for ${impossible.join(', ')} cannot be built here (${platform}), only for ${possible.join(', ')}.\n` +
      'Debian for x64 builds it for each platform of the package.',
  )
}

/** Builds the addon for a platform: this one, or one of CROSS_PLATFORMS. Returns its path. */
export async function buildAddonFor(target) {
  const preset = target === platform ? 'addon' : `addon-${target}`
  const file = `prebuilds/${target}/timeout_wheel.node`
  // A preset that was built for another folder of prebuilds is up to date without this file.
  if (!existsSync(join(root, file))) rmSync(join(root, 'build', preset), { recursive: true, force: true })
  await cmakeBuild(preset)
  if (target.startsWith('linux-')) await checkLinuxAddon(file)
  if (target.startsWith('win32-')) await checkWindowsAddon(file)
  const { size } = statSync(join(root, file))
  if (size > MAX_BYTES) fail(`${file} has ${size} bytes, and the limit is ${MAX_BYTES}`)
  return file
}
