import type * as features from './features.js'

/** Loads the file once more if an earlier load was interrupted: a `vm` timeout leaves a module without exports. */
export function whole(loaded: typeof features, require: NodeJS.Require, path: string): typeof features {
  // Not a read, of which Node warns.
  if ('openGroup' in loaded) return loaded
  delete require.cache[require.resolve(path)]
  return require(path) as typeof features
}
