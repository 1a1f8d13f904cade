/** Where the package is on disk. */
import { builtin, ownFile } from './builtin.js'

/** The path of the file in dist/ that holds this code. */
export const packageFile = ownFile?.startsWith('file:') ? pathOf(ownFile) : ownFile

function pathOf(url: string): string {
  const { fileURLToPath } = builtin('node:url') as typeof import('node:url')
  return fileURLToPath(url)
}

/** This file among the sources, which tests load; or any file of dist/ or of a bundle's folder. */
const BELOW = /[\\/]lib[\\/]node[\\/]host[\\/][^\\/]*$|([\\/][^\\/]*){2}$/

/** The directory of the package or of a bundle. Undefined: this code is in no file, or a bundle hides its path. */
export const packageDirectory = packageFile?.replace(BELOW, '')
