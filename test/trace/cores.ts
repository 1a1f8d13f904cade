/** Opens the two builds of the core directly, without the package's JavaScript. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { BASE_BLOCKS, BLOCK_BYTES } from '../../lib/memory/layout.js'
import type { WasmExports } from '../../lib/memory/wasm-exports.js'

const ROOT = join(__dirname, '../..')

/** The functions of native/node/binding.h and of wasm/exports.cc. */
interface Calls {
  openEpoch(now: number): void
  closeEpoch(now: number): void
  takeSubmissions(): void
  advance(target: number): number
}

export interface BareCore {
  calls: Calls
  /** The memory. `grow` replaces this view. */
  words: Uint32Array
  /** Grows to `blocks` blocks in total. */
  grow(blocks: number): void
}

const bytesOf = (blocks: number): number => (BASE_BLOCKS + blocks) * BLOCK_BYTES

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
    calls: wheel,
    words,
    grow(blocks) {
      const larger = new Uint32Array(bytesOf(blocks) / 4)
      larger.set(core.words)
      wheel.extend(larger, blocks)
      core.words = larger
    },
  }
  return core
}

export function openWasm(): BareCore {
  const module = new WebAssembly.Module(readFileSync(join(ROOT, 'build/wasm/timeout_wheel.wasm')))
  const wheel = new WebAssembly.Instance(module).exports as unknown as WasmExports
  wheel.open(1)
  const view = (blocks: number) => new Uint32Array(wheel.memory.buffer, 0, bytesOf(blocks) / 4)
  const core: BareCore = {
    calls: {
      openEpoch: wheel.begin,
      closeEpoch: wheel.end,
      takeSubmissions: wheel.take,
      advance: (target) => wheel.advance(target) >>> 0,
    },
    words: view(1),
    grow(blocks) {
      wheel.memory.grow((bytesOf(blocks) - wheel.memory.buffer.byteLength) / 65536)
      wheel.extend(blocks)
      core.words = view(blocks)
    },
  }
  return core
}
