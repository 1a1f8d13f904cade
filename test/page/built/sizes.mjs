/** `node sizes.mjs '{ setTimeout }' ...`: prints how many bytes a page loads for each list of names, after bundling, minifying and gzip. */
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

const PACKAGE = fileURLToPath(new URL('../../../dist/browser.mjs', import.meta.url))
const PAGE = 'page'

async function sizeOf(names) {
  const plugin = {
    name: 'page',
    resolveId: (id) => (id === PAGE ? PAGE : null),
    load: (id) => (id === PAGE ? `export ${names} from ${JSON.stringify(PACKAGE)}` : null),
  }
  const bundle = await rolldown({ input: PAGE, plugins: [plugin] })
  const { output } = await bundle.generate({ format: 'es', minify: true })
  await bundle.close()
  return gzipSync(output.map(({ code }) => code).join(''), { level: 9 }).length
}

console.log(JSON.stringify(await Promise.all(process.argv.slice(2).map(sizeOf))))
