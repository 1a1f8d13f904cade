import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: ['node', 'native', 'wasm', 'browser', 'promises', 'promises-browser', 'register'].map(
    (name) => `lib/entry/${name}.ts`,
  ),
  format: ['esm', 'cjs'],
  // All entries are built in one go, so that they share one copy of the WebAssembly bytes. What the browser's entry
  // reaches imports nothing of Node's: .tooling/build.mjs checks it.
  platform: 'node',
  target: ['node20', 'es2022'],
  dts: true,
  hash: false,
  clean: true,
  minify: false,
  // The hot paths read many constants: as numbers they are shorter, and an engine inlines more of what is short.
  inputOptions: { optimization: { inlineConst: true } },
  logLevel: 'warn',
})
