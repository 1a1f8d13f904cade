/** A copy of the package whose addon was compiled under AddressSanitizer and UndefinedBehaviorSanitizer. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { cmakeBuild } from './cmake.mjs'
import { copyInto } from './copy.mjs'
import { fail, platform, root } from './step.mjs'

const PRESET = 'addon-asan'
const FOLDER = 'build/asan-package'
const ADDON = `prebuilds/${platform}/timeout_wheel.node`

/** The compiler's own run-time library. It has to be the first that Node loads: Node is not linked with it. */
function runtime(name) {
  const { stdout } = spawnSync('g++', [`-print-file-name=${name}`], { encoding: 'utf8' })
  return realpathSync(stdout.trim())
}

/** A sanitizer that does not watch finds nothing: the addon is given a buffer that is too small, and has to be stopped. */
function checkThatItWatches(env) {
  const script = `new (require('./${ADDON}').Wheel)(new Int32Array(new ArrayBuffer(16)), 1, 1, undefined).openEpoch()`
  const cwd = join(root, FOLDER)
  const { status, stderr } = spawnSync(process.execPath, ['--eval', script], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  if (status === 0 || !stderr.includes('AddressSanitizer: heap-buffer-overflow'))
    fail(`AddressSanitizer does not watch the addon in Node (exit code ${status}):\n${stderr}`)
}

/** @returns {{ folder: string, env: Record<string, string> }} where the package lies, and what Node needs to run it */
export function preparePackage() {
  cmakeBuild(PRESET)
  copyInto(FOLDER, [
    'package.json',
    'dist',
    'test/contract',
    'test/node',
    'test/interrupt',
    'test/differential/clock.ts',
    'build/virtual-clock/virtual_clock.so',
  ])
  mkdirSync(join(root, FOLDER, 'prebuilds', platform), { recursive: true })
  copyFileSync(join(root, 'build', PRESET, ADDON), join(root, FOLDER, ADDON))
  const env = {
    LD_PRELOAD: `${runtime('libasan.so')} ${runtime('libubsan.so')}`,
    // Node frees little of what it has when it ends: leaks are not looked for.
    ASAN_OPTIONS: 'detect_leaks=0',
    UBSAN_OPTIONS: 'print_stacktrace=1',
  }
  checkThatItWatches(env)
  return { folder: join(root, FOLDER), env }
}
