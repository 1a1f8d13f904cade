/** The core as WebAssembly: one instance, with a memory of its own, for each wheel. It has no clock: its driver reads the host's. */
import type { DrivenCore, Driver, OpenCore } from './core.js'
import { closedViews, grow, growPart, viewsOf } from './growable-memory.js'
import type { WasmExports } from './instantiate-wasm.js'
import { RECORDS_PER_BLOCK } from './layout.js'

/** @param instantiate makes an instance of the module */
export const wasmCores =
  (instantiate: () => WasmExports): OpenCore =>
  (tick, driver) =>
    openWasmCore(instantiate(), tick, driver)

function openWasmCore(wasm: WasmExports, tick: number, driver: Driver): DrivenCore {
  let blocks = 1
  wasm.open(1, 1 / tick)

  function growTo(count: number): boolean {
    // If the stack has no room for this, it fails now.
    viewsOf(wasm.memory.buffer)
    if (!grow(wasm.memory, count)) return false
    // The old views show nothing any more. So no function of ours is called before the new ones, because that can be interrupted.
    core.words = new Int32Array(wasm.memory.buffer)
    core.reals = new Float64Array(wasm.memory.buffer)
    wasm.extend(count)
    blocks = count
    return true
  }
  function apply(): void {
    // First, because a time limit of `vm` can end the call between the two.
    driver._applies()
    wasm.apply(driver._now())
  }
  const core: DrivenCore = {
    ...viewsOf(wasm.memory.buffer),
    _apply: apply,
    _grow() {
      growPart(blocks, growTo)
      return blocks * RECORDS_PER_BLOCK
    },
    _expire(ago = 0) {
      const now = driver._now()
      // The queue counts from now.
      if (ago) wasm.apply(now)
      wasm.expire(now - ago)
    },
    _resume: () => wasm.resume(driver._now()),
    _readClock: driver._now,
    _hold: driver._hold,
    _release: driver._release,
    _endTurn: () => wasm.turn(driver._now()),
    _close() {
      driver._close()
      // A reference to the stopped wheel must not keep its memory.
      wasm = undefined as never
      Object.assign(core, closedViews())
    },
  }
  return core
}
