import { builtin, ownFile } from './builtin.js'

/** The path of the file that this ends up in, in dist/. */
export const packageFile = ownFile?.startsWith('file:') ? pathOf(ownFile) : ownFile

function pathOf(url: string): string {
  const { fileURLToPath } = builtin('node:url') as typeof import('node:url')
  return fileURLToPath(url)
}

/** The package's own directory, or a bundle's; undefined: this is in no file, or in a bundle that hides it. */
export const packageDirectory = packageFile?.replace(/([\\/][^\\/]*){2}$/, '')
