/**
 * Builds what pages load: one file for each entry, in which the names that begin with an underscore are short. No public
 * name does, and nothing outside of these files sees one: see lib/page.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './step.mjs'

/** The names that become short. */
export const INTERNAL = /^_[a-z]/

const PROMISED = ['setTimeout', 'setImmediate', 'setInterval', 'scheduler']

async function buildEntry(entry, outfile, format) {
  await build({
    absWorkingDir: root,
    entryPoints: [`lib/entry/${entry}.ts`],
    outfile,
    format,
    bundle: true,
    platform: 'browser',
    target: 'es2022',
    external: ['*.wasm'],
    mangleProps: INTERNAL,
    // What stays for the page's own bundler to do: white space and local names, which it needs to leave out what is not used.
    minifySyntax: true,
    legalComments: 'none',
    sourcemap: true,
    logLevel: 'warning',
  })
}

/** The entry of promises: those of the other entry, which both then share. */
function writePromises(from, outfile) {
  const names = PROMISED.map((name) => `export const ${name} = promises.${name}\n`).join('')
  writeFileSync(join(root, `${outfile}.mjs`), `import { promises } from './${from}.mjs'\n${names}`)
}

export async function buildPages() {
  // What comes with the types of the CommonJS entry.
  rmSync(join(root, 'dist/browser2.cjs'), { force: true })
  await buildEntry('browser', 'dist/browser.mjs', 'esm')
  await buildEntry('browser', 'dist/browser.cjs', 'cjs')
  await buildEntry('workerd', 'dist/workerd/workerd.mjs', 'esm')
  writePromises('browser', 'dist/promises-browser')
  writePromises('workerd', 'dist/workerd/promises-workerd')
  writeFileSync(
    join(root, 'dist/promises-browser.cjs'),
    "module.exports = require('./browser.cjs').promises\n",
  )
}
