import { builtin } from './builtin.js'

/** The folder that this file, bundled into dist/, is in; undefined: in a bundle of CommonJS, which does not know. */
const folder: string | undefined = import.meta.dirname ?? folderOf(import.meta.url)

/** Before Node 20.11. */
function folderOf(url: string | undefined): string | undefined {
  if (url === undefined) return undefined
  const { fileURLToPath } = builtin('node:url') as typeof import('node:url')
  return fileURLToPath(new URL('.', url)).slice(0, -1)
}

/** The package's own directory. */
export const packageDirectory = folder?.replace(/[\\/][^\\/]*$/, '')
