/** Configures and builds one of CMakePresets.json's presets. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fail, mustRun, platform, root } from './step.mjs'

const DEBIAN_TOOLCHAIN = '/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake'

/** The toolchain file of the em++ on the PATH, where it is not the one that the presets name. */
function toolchain() {
  if (existsSync(DEBIAN_TOOLCHAIN)) return []
  const { stdout } = spawnSync('em-config', ['EMSCRIPTEN_ROOT'], { encoding: 'utf8' })
  const file = join((stdout ?? '').trim(), 'cmake/Modules/Platform/Emscripten.cmake')
  if (!existsSync(file))
    fail(`Emscripten's CMake toolchain file was found neither at ${DEBIAN_TOOLCHAIN} nor at ${file}`)
  return [`-DCMAKE_TOOLCHAIN_FILE=${file}`]
}

export function configure(preset) {
  const options = preset.includes('wasm') ? toolchain() : [`-DTIMEOUT_WHEEL_PLATFORM=${platform}`]
  mustRun('cmake', ['--preset', preset, ...options], { quiet: true })
}

/** Builds all of a preset that is built by default, or the targets named. */
export function cmakeBuild(preset, ...targets) {
  // Ninja configures again by itself where a CMake file changed.
  if (!existsSync(join(root, 'build', preset, 'build.ninja'))) configure(preset)
  const options = targets.length === 0 ? [] : ['--target', ...targets]
  mustRun('cmake', ['--build', '--preset', preset, ...options], { quiet: true })
}
