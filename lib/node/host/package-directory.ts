/** Finds the directory of the package on disk. */
import { builtin, ownFile } from './builtin.js'

/** The path of the file in dist/ that holds this code. */
export const packageFile = ownFile?.startsWith('file:') ? pathOf(ownFile) : ownFile

function pathOf(url: string): string {
  const { fileURLToPath } = builtin('node:url') as typeof import('node:url')
  return fileURLToPath(url)
}

/** The path below that directory: of this file in lib/, which tests load, or of a file in dist/ or dist/whole/, or in a bundle's folder. */
const BELOW = /[\\/](lib[\\/]node[\\/]host|dist[\\/]whole)[\\/][^\\/]*$|([\\/][^\\/]*){2}$/

/** The directory of the package or of a bundle; undefined if there is no file or a bundle hides it. */
export const packageDirectory = packageFile?.replace(BELOW, '')
