/** Builds the addon for a platform, and checks what it needs. */
import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { cmakeBuild } from './cmake.mjs'
import { fail, findOnPath, outputOf, platform, root } from './step.mjs'

const MAX_BYTES = 80_000

/** The platforms whose addon the package contains. */
export const PLATFORMS = ['linux-x64', 'linux-arm64', 'win32-x64']
/** Those that have a preset of CMake with a cross compiler: only Linux on x64 builds all. */
export const CROSS_PLATFORMS = PLATFORMS.slice(1).filter((one) => one !== platform)

/** The addon must need no C++ library, so that it loads beside any. Node must have each function, which is bound at its first call. */
async function checkLinuxAddon(file) {
  if (findOnPath('readelf') === undefined) return
  const read = (path) => outputOf('readelf', ['--dynamic', '--dyn-syms', '--wide', path])
  const [dynamic, ofNode] = [await read(file), await read(process.execPath)]
  const exported = new Set(ofNode.match(/(?<= \d+ )(uv|napi)_\w+/g))
  const missing = dynamic.match(/(?<= UND )(uv|napi)_\w+/g).filter((name) => !exported.has(name))
  // Some distributions link Node to a library of libuv.
  if (exported.has('uv_timer_init') && missing.length > 0) fail(`${file}: Node has no ${missing.join(', ')}`)
  const foreign = dynamic.match(
    /.*(NEEDED.*(stdc\+\+|libgcc|libc\+\+)| UND (_Z|__cxa_(?!finalize|atexit)|__gxx|_Unwind)).*/g,
  )
  if (foreign !== null) fail(`${file} needs a C++ library:\n${foreign.join('\n')}`)
}

/** GCC omits calls of a function that only prefetches, unless it is inlined. Without them, a mass of timers costs a fifth more. */
async function checkPrefetches(file) {
  if (process.arch !== 'x64' || findOnPath('objdump') === undefined) return
  const { length } = (await outputOf('objdump', ['--disassemble', file])).match(/\tprefetch/g) ?? []
  if (!(length >= 10)) fail(`${file}: the compiler has omitted prefetches, and left ${length ?? 0}`)
}

/** Every Windows has these libraries. */
const WINDOWS_LIBRARIES = ['KERNEL32.dll', 'msvcrt.dll', 'node.exe']

async function checkWindowsAddon(file) {
  const headers = await outputOf('x86_64-w64-mingw32-objdump', ['-p', file])
  const needed = Array.from(headers.matchAll(/DLL Name: (\S+)/g), ([, name]) => name).sort()
  if (needed.join() !== WINDOWS_LIBRARIES.join()) fail(`${file} needs ${needed.join(', ')}`)
}

/** Builds the addon for a platform: this one, or one of CROSS_PLATFORMS. Returns its path. */
export async function buildAddonFor(target) {
  const preset = target === platform ? 'addon' : `addon-${target}`
  const file = `prebuilds/${target}/timeout_wheel.node`
  // A preset that was built for another folder of prebuilds is up to date without this file.
  if (!existsSync(join(root, file))) rmSync(join(root, 'build', preset), { recursive: true, force: true })
  await cmakeBuild(preset)
  if (target.startsWith('linux-')) await checkLinuxAddon(file)
  if (target === 'linux-x64') await checkPrefetches(file)
  if (target.startsWith('win32-')) await checkWindowsAddon(file)
  const { size } = statSync(join(root, file))
  if (size > MAX_BYTES) fail(`${file} has ${size} bytes, and the limit is ${MAX_BYTES}`)
  return file
}
