/** Bundles the specifications of test/contract for a page, without the built package, which the page imports itself. */
import { readdirSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = fileURLToPath(new URL('.', import.meta.url))
const CONTRACT = join(here, '../../contract')

/** The modules of Node that the specifications import, and the files that replace them in a page. */
const STANDS_FOR = {
  'node:perf_hooks': 'node/perf-hooks.ts',
  'node:timers/promises': 'node/timers-promises.ts',
}

/** Every file of test/contract: a new specification runs in pages without being listed. */
export const SPECS = readdirSync(CONTRACT)
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => basename(name, '.test.ts'))

function entry(specs, leftOut) {
  const imports = specs.map((name) => `await import(${JSON.stringify(join(CONTRACT, `${name}.test.ts`))})`)
  return `
    import { noteStray, openSpec, runAll } from './runner.ts'
    addEventListener('error', ({ error, message }) => noteStray(error ?? message))
    addEventListener('unhandledrejection', ({ reason }) => noteStray(reason))
    const leftOut = ${JSON.stringify(leftOut)}
    const post = (path, value) => fetch(path, { method: 'POST', body: JSON.stringify(value) })
    globalThis.runContract = async (path) => {
      try {
        ${specs.map((name, i) => `openSpec(${JSON.stringify(name)}); ${imports[i]}`).join('\n')}
        await runAll(
          (spec, title) => leftOut.find((one) => one.spec === spec && (one.titles?.includes(title) ?? true))?.reason,
          (outcome) => post(path, { outcome }),
        )
        await post(path, { end: true })
      } catch (error) {
        await post(path, { error: String(error) + '\\n' + error.stack })
      }
    }`
}

/** Returns the text of an ES module that defines `runContract`. It imports the package from `packageUrl`. */
export async function bundleContract(specs, packageUrl, leftOut) {
  const { outputFiles } = await build({
    stdin: { contents: entry(specs, leftOut), resolveDir: here, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    inject: [join(here, 'node/process.ts'), join(here, 'runner.ts')],
    define: { global: 'globalThis', __filename: '""', __dirname: '""' },
    plugins: [
      {
        name: 'contract-in-a-page',
        setup({ onResolve }) {
          const path = (file) => ({ path: join(here, file) })
          onResolve({ filter: /^timeout-wheel(\/|$)/ }, () => ({ path: packageUrl, external: true }))
          onResolve({ filter: /\/builds\.js$/ }, () => path('builds.ts'))
          onResolve({ filter: /^jest-message-util$/ }, () => path('node/jest-message-util.cjs'))
          onResolve({ filter: /.*/ }, ({ path: name, importer }) => {
            if (importer.startsWith(CONTRACT) && Object.hasOwn(STANDS_FOR, name))
              return path(STANDS_FOR[name])
            // What the matchers need only for files and terminals, and what only tests need that are left out.
            const isOfNode = builtinModules.includes(name.replace(/^node:/, '')) || name === 'graceful-fs'
            return isOfNode ? path('node/empty.cjs') : undefined
          })
        },
      },
    ],
  })
  return outputFiles[0].text
}
