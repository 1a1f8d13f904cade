/**
 * Bundles an entry without any configuration: with the bundler's own defaults for a page.
 *
 *   node test/bundlers/bundle.mjs <bundler> <project> <entry.js>
 *
 * writes into <project>/out. <project>/index.html loads the entry, for bundlers that start from a page.
 */
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
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

/**
 * How to bundle `entry` with each bundler, and whether the bundler also makes the page.
 *
 * @type {Record<string, { makesPage: boolean, bundle(project: string, entry: string): unknown }>}
 */
export const BUNDLERS = {
  esbuild: {
    makesPage: false,
    bundle: (project, entry) =>
      command(project, 'esbuild', entry, '--bundle', '--format=esm', '--outfile=out/main.js'),
  },
  rolldown: {
    makesPage: false,
    bundle: (project, entry) => command(project, 'rolldown', entry, '--file', 'out/main.js'),
  },
  rollup: {
    makesPage: false,
    // Rollup finds no packages without this plugin.
    async bundle(project, entry) {
      const { rollup } = await import('rollup')
      const { nodeResolve } = await import('@rollup/plugin-node-resolve')
      const bundle = await rollup({ input: join(project, entry), plugins: [nodeResolve({ browser: true })] })
      await bundle.write({ file: join(project, 'out/main.js') })
    },
  },
  webpack: {
    makesPage: false,
    async bundle(project, entry) {
      const { default: webpack } = await import('webpack')
      const output = { path: join(project, 'out') }
      const stats = await new Promise((resolve, reject) => {
        webpack({ context: project, mode: 'production', entry: `./${entry}`, output }, (error, result) => {
          if (error) reject(error)
          else resolve(result)
        })
      })
      if (stats.hasErrors()) throw new Error(stats.toString('errors-only'))
    },
  },
  vite: {
    makesPage: true,
    bundle: (project) => command(project, 'vite', 'build', '--outDir', 'out'),
  },
  parcel: {
    makesPage: true,
    bundle: (project) => command(project, 'parcel', 'build', 'index.html', '--dist-dir', 'out', '--no-cache'),
  },
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [bundler, project, entry] = process.argv.slice(2)
  await BUNDLERS[bundler].bundle(project, entry)
}
