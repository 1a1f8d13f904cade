/** Runtimes that import WebAssembly give the compiled module. */
declare module '*.wasm' {
  const compiled: WebAssembly.Module
  export default compiled
}
