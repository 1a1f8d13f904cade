/** Configures and builds a preset of CMakePresets.json. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fail, mustRun, outputOf, platform, root } from './step.mjs'

const DEBIAN_TOOLCHAIN = '/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake'

/** The toolchain file of the em++ on the PATH, if the file that the presets name does not exist. */
async function toolchain() {
  if (existsSync(DEBIAN_TOOLCHAIN)) return []
  const folder = (await outputOf('em-config', ['EMSCRIPTEN_ROOT'])).trim()
  const file = join(folder, 'cmake/Modules/Platform/Emscripten.cmake')
  if (!existsSync(file))
    fail(`Emscripten's CMake toolchain file was found neither at ${DEBIAN_TOOLCHAIN} nor at ${file}`)
  return [`-DCMAKE_TOOLCHAIN_FILE=${file}`]
}

export async function configure(preset) {
  const options = preset.includes('wasm') ? await toolchain() : []
  // The presets of other platforms name them.
  if (preset === 'addon' || preset === 'addon-asan') options.push(`-DTIMEOUT_WHEEL_PLATFORM=${platform}`)
  await mustRun('cmake', ['--preset', preset, ...options], { quiet: true })
}

/** Builds the default targets of a preset, or the named ones. */
export async function cmakeBuild(preset, ...targets) {
  // Ninja configures again if a CMake file has changed.
  if (!existsSync(join(root, 'build', preset, 'build.ninja'))) await configure(preset)
  const options = targets.length === 0 ? [] : ['--target', ...targets]
  await mustRun('cmake', ['--build', '--preset', preset, ...options], { quiet: true })
}
