/** Builds the addon for a platform, and checks what it needs. */
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { cmakeBuild } from './cmake.mjs'
import { setUp } from './setup.mjs'
import { fail, isOnPath, platform, root } from './step.mjs'

const MAX_BYTES = 150_000

/** The platforms that this system can build the addon for, besides its own. Each has a preset of CMake. */
export const CROSS_PLATFORMS = ['linux-arm64', 'win32-x64'].filter((one) => one !== platform)

const pathOf = (target) => `prebuilds/${target}/timeout_wheel.node`

function outputOf(program, args) {
  const { status, stdout } = spawnSync(program, args, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout : ''
}

/** The addon must need no C++ library, so that it loads beside any, and must bind the functions of libuv when it is loaded. */
function checkLinuxAddon(file) {
  if (!isOnPath('readelf') || !isOnPath('nm')) return
  const dynamic = outputOf('readelf', ['-d', file])
  if (/NEEDED.*(stdc\+\+|libgcc|libc\+\+)/.test(dynamic)) fail(`${file} needs a C++ library:\n${dynamic}`)
  if (!/BIND_NOW/.test(dynamic)) fail(`${file} is not linked with -z now`)
  const wanted = outputOf('nm', ['-D', '--undefined-only', file])
  const foreign = wanted
    .split('\n')
    .filter((line) => / U (_Z|__cxa_(?!finalize|atexit)|__gxx|_Unwind)/.test(line))
  if (foreign.length > 0) fail(`${file} needs symbols of a C++ library:\n${foreign.join('\n')}`)
}

/** Every Windows has these libraries. */
const WINDOWS_LIBRARIES = ['KERNEL32.dll', 'msvcrt.dll', 'node.exe']

function checkWindowsAddon(file) {
  const names = outputOf('x86_64-w64-mingw32-objdump', ['-p', file]).matchAll(/DLL Name: (\S+)/g)
  const needed = Array.from(names, ([, name]) => name).sort()
  if (needed.join() !== WINDOWS_LIBRARIES.join()) fail(`${file} needs ${needed.join(', ')}`)
}

/**
 * Builds the addon for a platform: this one, or one of CROSS_PLATFORMS. Returns its path.
 *
 * @param {{ isFresh?: boolean }} how `isFresh`: compiles everything again
 */
export function buildAddonFor(target, { isFresh = false } = {}) {
  const preset = target === platform ? 'addon' : `addon-${target}`
  setUp(target === platform ? ['addon'] : ['addon', preset])
  if (isFresh) rmSync(join(root, 'build', preset), { recursive: true, force: true })
  const file = pathOf(target)
  // A preset that was built for another folder of prebuilds is up to date without this file.
  if (!existsSync(join(root, file))) rmSync(join(root, 'build', preset), { recursive: true, force: true })
  cmakeBuild(preset)
  if (target.startsWith('linux-')) checkLinuxAddon(file)
  if (target.startsWith('win32-')) checkWindowsAddon(file)
  const { size } = statSync(join(root, file))
  if (size > MAX_BYTES) fail(`${file} has ${size} bytes, and the limit is ${MAX_BYTES}`)
  return file
}
