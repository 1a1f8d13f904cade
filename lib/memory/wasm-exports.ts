/** The exports of the WebAssembly module: see wasm/exports.cc, and the methods of `Core` in core.ts. */
export interface WasmExports {
  memory: WebAssembly.Memory
  open(blocks: number): void
  extend(blocks: number): void
  /** `openEpoch` */
  begin(now: number): void
  /** `closeEpoch` */
  end(now: number): void
  /** `takeSubmissions` */
  take(): void
  advance(target: number): number
}
