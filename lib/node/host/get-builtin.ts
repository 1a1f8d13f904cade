/** `process.getBuiltinModule`, also before Node 20.16. The build of `node.mjs` puts get-builtin-early.ts in the place of this file. */
import module from 'node:module'

type GetBuiltin = (name: string) => unknown

/** Absent before Node 20.16. */
const ofNode: GetBuiltin | undefined = process.getBuiltinModule

// Renamed, because webpack replaces each call of `createRequire` that it finds.
const requireFrom = module.createRequire

// Any folder will do, because only Node's own modules are read.
export const getBuiltin: GetBuiltin = ofNode ?? requireFrom('/')
