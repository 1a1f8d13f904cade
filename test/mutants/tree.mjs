/** The copy of the project into which faults are put. */
import { join } from 'node:path'
import { copyInto } from '../../.tooling/copy.mjs'
import { platform, root } from '../../.tooling/step.mjs'

const FOLDER = 'build/mutants'
export const tree = join(root, FOLDER)

const COPIED = [
  ...['native', 'lib', 'wasm', 'test', 'bench', '.tooling', 'CMakeLists.txt', 'CMakePresets.json'],
  ...['package.json', 'tsconfig.json', 'tsdown.config.ts', 'jest.config.mjs'],
  ...[`prebuilds/${platform}`, 'build/wasm/timeout_wheel.wasm'],
]

/** Updates the copy, and removes a fault that an interrupted run left in it. */
export const copyTree = () => copyInto(FOLDER, COPIED)
