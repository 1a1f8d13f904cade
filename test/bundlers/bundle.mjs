/**
 * Bundles an entry without any configuration: with the bundler's own defaults for a page.
 *
 *   node test/bundlers/bundle.mjs <bundler> <project> <entry.js>
 *
 * writes into <project>/out. <project>/index.html loads the entry, for bundlers that start from a page.
 */
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { start } from '../../.tooling/child.cjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Runs a program of node_modules in the project. */
async function command(project, name, ...args) {
  const { code } = await start(join(ROOT, 'node_modules/.bin', name), args, {
    cwd: project,
    stdio: ['ignore', 'inherit', 'inherit'],
    limit: 100_000,
  }).ended
  if (code !== 0) throw new Error(`${name} ${args.join(' ')}: exit code ${code}`)
}

/** How to bundle `entry` with each bundler. @type {Record<string, (project: string, entry: string) => Promise<void>>} */
export const BUNDLERS = {
  esbuild: (project, entry) =>
    command(project, 'esbuild', entry, '--bundle', '--format=esm', '--outfile=out/main.js'),
  rolldown: (project, entry) => command(project, 'rolldown', entry, '--file', 'out/main.js'),
  // Rollup finds no packages without this plugin.
  async rollup(project, entry) {
    const { rollup } = await import('rollup')
    const { nodeResolve } = await import('@rollup/plugin-node-resolve')
    const bundle = await rollup({ input: join(project, entry), plugins: [nodeResolve({ browser: true })] })
    await bundle.write({ file: join(project, 'out/main.js') })
  },
  async webpack(project, entry) {
    const { default: webpack } = await import('webpack')
    const output = { path: join(project, 'out') }
    const compiler = webpack({ context: project, mode: 'production', entry: `./${entry}`, output })
    const stats = await promisify(compiler.run.bind(compiler))()
    if (stats.hasErrors()) throw new Error(stats.toString('errors-only'))
  },
  vite: (project) => command(project, 'vite', 'build', '--outDir', 'out'),
  parcel: (project) => command(project, 'parcel', 'build', 'index.html', '--dist-dir', 'out', '--no-cache'),
}

/** The bundlers that also make the page. */
export const PAGE_MAKERS = ['vite', 'parcel']

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [bundler, project, entry] = process.argv.slice(2)
  await BUNDLERS[bundler](project, entry)
}
