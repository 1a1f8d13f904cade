/**
 * Names the file of the addon as tools see it that collect the files of a program. The build for Node puts a function instead of this
 * one that has the path of each addon as a literal: `addonFiles` in tsdown.config.ts.
 */
export function addonFile(_platform: string): URL | string | undefined {
  return undefined
}
