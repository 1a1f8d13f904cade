/** Finds the directory of the package on disk. */
import { builtin } from './builtin.js'

/** The path of the file in dist/ that holds this code, or of the bundle; undefined if there is no file or the bundle hides it. */
export const packageFile: string | undefined = import.meta.filename ?? fileOf(import.meta.url)

function fileOf(url: string | undefined): string | undefined {
  if (url?.startsWith('file:')) return pathOf(url)
  // Some bundlers leave `import.meta` empty in a bundle as CommonJS.
  return typeof __filename === 'string' ? __filename : undefined
}

export function pathOf(url: URL | string): string {
  const { fileURLToPath } = builtin('node:url') as typeof import('node:url')
  return fileURLToPath(url)
}

/** The folder of a file or folder. No regular expressions: their first use would take 0.1 ms of each import. */
export const above = (path: string): string =>
  path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'), 0))

/** Whether the path ends with this one, which has slashes. */
export const endsWith = (path: string, end: string): boolean =>
  path.endsWith(end) || path.endsWith(end.replaceAll('/', '\\'))

/** The folder is that of this file in lib/, which tests load, or dist/ or dist/whole/, or that of a bundle. */
function directoryOf(file: string): string {
  const folder = above(file)
  if (endsWith(folder, '/lib/node/host')) return above(above(above(folder)))
  return endsWith(folder, '/dist/whole') ? above(above(folder)) : above(folder)
}

/** The directory of the package or of a bundle; undefined as `packageFile`. */
export const packageDirectory = packageFile === undefined ? undefined : directoryOf(packageFile)
