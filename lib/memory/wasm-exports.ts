/** The exports of the WebAssembly module: wasm/exports.cc. */
export interface WasmExports {
  memory: WebAssembly.Memory
  open(blocks: number): void
  extend(blocks: number): void
  /** Opens an epoch. */
  begin(now: number): void
  /** Closes it. */
  end(now: number): void
  /** Takes the submissions. */
  take(): void
  advance(target: number): number
}
