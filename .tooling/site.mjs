/**
 * Builds the site of the documents, the charts and the demo into build/site.
 *
 *   node .tooling/site.mjs [--base=/FOLDER/] [--preview]
 *
 * --base     the folder of the site on its host, `/` by default
 * --preview  serves the site after that
 */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { installed } from './runtimes.mjs'
import { mustRun, root, say } from './step.mjs'

const options = { base: { type: 'string', default: '/' }, preview: { type: 'boolean' } }
const { base, preview } = parseArgs({ options }).values
await mustRun(process.execPath, ['bench/demo/run.mjs', '--build'])
// No dependency of the project: it brings 102 MB, and an older Vite.
const modules = await installed('site-generator', 'vitepress@1.6.4')
const { build, serve } = await import(pathToFileURL(join(modules, 'vitepress/dist/node/index.js')))
await build(join(root, 'docs/site'), { base })
cpSync(join(root, 'build/demo'), join(root, 'build/site/demo'), { recursive: true })
await mustRun(process.execPath, ['bench/run.mjs', 'report', '--out=build/site/charts'], { quiet: true })
say('build/site')
if (preview) await serve({ root: join(root, 'docs/site'), base })
