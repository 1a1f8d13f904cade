/** `process.getBuiltinModule`, also before Node 20.16. The build of `node.mjs` puts get-builtin-early.ts instead of this file. */
import module from 'node:module'

type GetBuiltin = (name: string) => unknown

/** Absent before Node 20.16. */
const ofNode: GetBuiltin | undefined = process.getBuiltinModule

// Renamed, because webpack replaces each call of `createRequire` that it finds.
const requireFrom = module.createRequire

// Only Node's own modules are read, so any folder will do. Deno 2.0 asks for permission to read other ones than its own. `createRequire`
// refuses URLs of other kinds, such as that of a bundle which runs from a `data:` URL.
const folder = import.meta.url?.startsWith('file:') ? import.meta.url : '/'
export const getBuiltin: GetBuiltin = ofNode ?? requireFrom(folder)
