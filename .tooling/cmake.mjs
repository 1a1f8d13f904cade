/** Configures and builds a preset of CMakePresets.json. Installs what it needs. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setUp } from './setup.mjs'
import { mustRun, outputOf, platform, root } from './step.mjs'

export async function configure(preset) {
  await setUp([preset])
  const options = []
  if (preset.includes('wasm')) {
    // The presets name the folder that Debian has.
    const folder = (await outputOf('em-config', ['EMSCRIPTEN_ROOT'])).trim()
    options.push(`-DCMAKE_TOOLCHAIN_FILE=${folder}/cmake/Modules/Platform/Emscripten.cmake`)
  }
  // The presets of other platforms name them.
  if (preset === 'addon' || preset === 'addon-asan') options.push(`-DTIMEOUT_WHEEL_PLATFORM=${platform}`)
  await mustRun('cmake', ['--preset', preset, ...options], { quiet: true })
}

/** Builds the default targets of a preset, or the named ones. */
export async function cmakeBuild(preset, ...targets) {
  await setUp([preset])
  // Ninja configures again if a CMake file has changed.
  if (!existsSync(join(root, 'build', preset, 'build.ninja'))) await configure(preset)
  const options = targets.length === 0 ? [] : ['--target', ...targets]
  await mustRun('cmake', ['--build', '--preset', preset, ...options], { quiet: true })
}
