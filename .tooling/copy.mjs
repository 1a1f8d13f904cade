/** Copies parts of the project to a place where they may be changed. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { filesUnder, root } from './step.mjs'

/**
 * Makes a folder of the project hold the given files and folders of it, and the packages of npm. What has not changed
 * keeps its time, so that little is built again.
 *
 * @param {string} tree the folder, within the project
 * @param {string[]} paths
 */
export function copyInto(tree, paths) {
  const files = new Set(filesUnder(...paths).map((path) => relative(root, path)))
  for (const former of filesUnder(...paths.map((path) => join(tree, path)))) {
    if (!files.has(relative(join(root, tree), former))) rmSync(former)
  }
  for (const file of files) {
    const content = readFileSync(join(root, file))
    const copy = join(root, tree, file)
    if (existsSync(copy) && readFileSync(copy).equals(content)) continue
    mkdirSync(dirname(copy), { recursive: true })
    writeFileSync(copy, content)
  }
  const packages = join(root, tree, 'node_modules')
  if (!existsSync(packages)) symlinkSync(join(root, 'node_modules'), packages)
}
