/** Whether the runtime is Node itself. Bun and Deno offer Node's modules under Node's names, with Node's versions. */
const { release, versions } = process

export const isNode: boolean =
  release?.name === 'node' && versions.bun === undefined && versions.deno === undefined
