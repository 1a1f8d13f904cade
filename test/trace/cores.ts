/** Opens the two builds of the core directly, without the package's JavaScript. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { BASE_BLOCKS, BLOCK_BYTES } from '../../lib/memory/layout.js'
import type { WasmExports } from '../../lib/memory/wasm-exports.js'

const ROOT = join(__dirname, '../..')

/** The functions of native/node/binding.h and of wasm/exports.cc, and their memory. */
export interface BareCore {
  /** The memory as words and as doubles. `grow` replaces these views. */
  words: Uint32Array
  reals: Float64Array
  openEpoch(now: number): void
  closeEpoch(now: number): void
  takeSubmissions(): void
  advance(target: number): number
  /** Grows to `blocks` blocks in total. */
  grow(blocks: number): void
}

const bytesOf = (blocks: number): number => (BASE_BLOCKS + blocks) * BLOCK_BYTES

type Calls = Pick<BareCore, 'openEpoch' | 'closeEpoch' | 'takeSubmissions' | 'advance'>

interface NativeWheel extends Calls {
  extend(words: Uint32Array, blocks: number): void
}

/** Opens the addon, which never wakes up here. Its memory moves at each growth. */
export function openNative(): BareCore {
  const path = join(ROOT, `prebuilds/${process.platform}-${process.arch}/timeout_wheel.node`)
  const { Wheel } = createRequire(__filename)(path) as {
    Wheel: new (words: Uint32Array, blocks: number, tick: number) => NativeWheel
  }
  const words = new Uint32Array(bytesOf(1) / 4)
  const wheel = new Wheel(words, 1, 1)
  const core: BareCore = {
    words,
    reals: new Float64Array(words.buffer),
    openEpoch: (now) => wheel.openEpoch(now),
    closeEpoch: (now) => wheel.closeEpoch(now),
    takeSubmissions: () => wheel.takeSubmissions(),
    advance: (target) => wheel.advance(target),
    grow(blocks) {
      const larger = new Uint32Array(bytesOf(blocks) / 4)
      larger.set(core.words)
      wheel.extend(larger, blocks)
      core.words = larger
      core.reals = new Float64Array(larger.buffer)
    },
  }
  return core
}

export function openWasm(): BareCore {
  const module = new WebAssembly.Module(readFileSync(join(ROOT, 'build/wasm/timeout_wheel.wasm')))
  const wheel = new WebAssembly.Instance(module).exports as unknown as WasmExports
  wheel.open(1)
  const core: BareCore = {
    words: new Uint32Array(),
    reals: new Float64Array(),
    openEpoch: (now) => wheel.begin(now),
    closeEpoch: (now) => wheel.end(now),
    takeSubmissions: () => wheel.take(),
    advance: (target) => wheel.advance(target) >>> 0,
    grow(blocks) {
      const { memory } = wheel
      memory.grow((bytesOf(blocks) - memory.buffer.byteLength) / 65536)
      wheel.extend(blocks)
      view(blocks)
    },
  }
  const view = (blocks: number): void => {
    const { buffer } = wheel.memory
    core.words = new Uint32Array(buffer, 0, bytesOf(blocks) / 4)
    core.reals = new Float64Array(buffer, 0, bytesOf(blocks) / 8)
  }
  view(1)
  return core
}
