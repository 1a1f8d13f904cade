/** Configures and builds a preset of CMakePresets.json. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fail, mustRun, platform, root } from './step.mjs'

const DEBIAN_TOOLCHAIN = '/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake'

/** The toolchain file of the em++ on the PATH, if the file that the presets name does not exist. */
function toolchain() {
  if (existsSync(DEBIAN_TOOLCHAIN)) return []
  const { stdout } = spawnSync('em-config', ['EMSCRIPTEN_ROOT'], { encoding: 'utf8' })
  const file = join((stdout ?? '').trim(), 'cmake/Modules/Platform/Emscripten.cmake')
  if (!existsSync(file))
    fail(`Emscripten's CMake toolchain file was found neither at ${DEBIAN_TOOLCHAIN} nor at ${file}`)
  return [`-DCMAKE_TOOLCHAIN_FILE=${file}`]
}

export function configure(preset) {
  const options = preset.includes('wasm') ? toolchain() : []
  // The presets of other platforms name them.
  if (preset === 'addon' || preset === 'addon-asan') options.push(`-DTIMEOUT_WHEEL_PLATFORM=${platform}`)
  mustRun('cmake', ['--preset', preset, ...options], { quiet: true })
}

/** Builds the default targets of a preset, or the named ones. */
export function cmakeBuild(preset, ...targets) {
  // Ninja configures again if a CMake file has changed.
  if (!existsSync(join(root, 'build', preset, 'build.ninja'))) configure(preset)
  const options = targets.length === 0 ? [] : ['--target', ...targets]
  mustRun('cmake', ['--build', '--preset', preset, ...options], { quiet: true })
}
