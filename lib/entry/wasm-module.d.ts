/** The type of an imported `.wasm` file: the compiled module. */
declare module '*.wasm' {
  const compiled: WebAssembly.Module
  export default compiled
}
