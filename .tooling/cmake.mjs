/** Configures and builds a preset of CMakePresets.json. Installs what it needs. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setUp } from './setup.mjs'
import { mustRun, platform, root } from './step.mjs'

export async function configure(preset) {
  await setUp([preset])
  // The presets name the folder of Emscripten that Debian has, and the other platforms.
  const [program, ...words] = preset.includes('wasm') ? ['emcmake', 'cmake'] : ['cmake']
  const options = /^addon(-asan)?$/.test(preset) ? [`-DTIMEOUT_WHEEL_PLATFORM=${platform}`] : []
  await mustRun(program, [...words, '--preset', preset, ...options], { quiet: true })
}

/** Builds the default targets of a preset, or the named ones. */
export async function cmakeBuild(preset, ...targets) {
  await setUp([preset])
  // Ninja configures again if a CMake file has changed.
  if (!existsSync(join(root, 'build', preset, 'build.ninja'))) await configure(preset)
  const options = targets.length === 0 ? [] : ['--target', ...targets]
  await mustRun('cmake', ['--build', '--preset', preset, ...options], { quiet: true })
}
