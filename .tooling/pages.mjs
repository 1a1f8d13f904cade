/**
 * Builds the entries for pages, one file each. Property names that start with an underscore are shortened: no public name starts
 * with one, and no code outside these files uses them. See lib/page.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './step.mjs'

/** Says why `timeout-wheel/testing` does not work in a page. */
const NOT_IN_PAGES = `throw new Error(
  "timeout-wheel/testing works on Node only, and was imported under the condition 'browser', 'react-native' or 'workerd'; " +
    "with jest-environment-jsdom, set testEnvironmentOptions: { customExportConditions: ['node'] }"
)
`

/** @type {import('esbuild').BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  // Fields without a value need no code.
  tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
  external: ['*.wasm'],
  mangleProps: /^_[a-z]/,
  logLevel: 'warning',
}

/** Adds the short names that a page needs which imports only these names. @param {string} imported @param {Record<string, string>} mangleCache */
async function addShortNames(imported, mangleCache) {
  const bundle = (contents, options) =>
    build({ ...common, ...options, stdin: { contents, resolveDir: root }, write: false })
  const entry = `export { ${imported} } from './lib/entry/browser.ts'`
  const whole = await bundle(entry, { mangleProps: undefined })
  // Only now is unused code left out.
  const used = await bundle(whole.outputFiles[0].text, { mangleCache })
  return used.mangleCache
}

/** @param {import('esbuild').BuildOptions} options */
const buildEntry = (entry, outfile, options) =>
  build({
    ...common,
    entryPoints: [`lib/entry/${entry}.ts`],
    outfile,
    // White space and local names stay for the bundler of the page, which needs them to remove unused code.
    minifySyntax: true,
    legalComments: 'none',
    ...options,
  })

/** Replaces imports of a file. @param {RegExp} filter */
const replace = (filter, by) => ({
  plugins: [{ name: 'replace', setup: ({ onResolve }) => onResolve({ filter }, () => by) }],
})

/** Builds an entry that imports `browser`, and shares its timers. @param {string} path of the file of that entry, in the same folder */
const buildBeside = (entry, outfile, path, options) =>
  buildEntry(entry, outfile, { ...replace(/^\.\/browser\.js$/, { path, external: true }), ...options })

export async function buildPages() {
  // The short names: first for a page that imports only the functions, so that other parts of the package do not change its size, then
  // for a page that imports the class of wheels, then for all.
  const functions = await addShortNames('setTimeout, clearTimeout', {})
  const mangleCache = await addShortNames('TimerWheel', functions)
  // The WebAssembly module stands before the code: compressors find repetitions only nearby.
  const inject = ['lib/generated/wasm-bytes.ts']
  await buildEntry('browser', 'dist/browser.mjs', { mangleCache, inject })
  // No bundler removes unused code from these two.
  const short = { minifyWhitespace: true, lineLimit: 110 }
  // Metro, the bundler of React Native, takes this file.
  await buildEntry('browser', 'dist/browser.cjs', { mangleCache, inject, format: 'cjs', ...short })
  const onWorkerd = replace(/^\.\/browser-host\.js$/, { path: join(root, 'lib/entry/workerd-host.ts') })
  await buildEntry('browser', 'dist/workerd/workerd.mjs', { mangleCache, ...short, ...onWorkerd })
  for (const entry of ['register-browser', 'promises-browser']) {
    await buildBeside(entry, `dist/${entry}.mjs`, './browser.mjs', {})
    await buildBeside(entry, `dist/${entry}.cjs`, './browser.cjs', { format: 'cjs' })
  }
  const define = { 'globalThis.MessageChannel': 'undefined' }
  await buildBeside('promises-browser', 'dist/workerd/promises-workerd.mjs', './workerd.mjs', { define })
  const write = (file, text) => writeFileSync(join(root, 'dist', file), text)
  // Jest with jsdom and bundlers get these files for `timeout-wheel/testing`.
  write('testing-browser.mjs', `${NOT_IN_PAGES}export {}\n`)
  write('testing-browser.cjs', NOT_IN_PAGES)
}
