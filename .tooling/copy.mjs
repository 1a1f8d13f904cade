/** Copies parts of the project into a folder in which they may be changed. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { filesUnder, root } from './step.mjs'

/**
 * Copies files and folders of the project into a folder within it, and links the packages of npm. Files that have not changed keep
 * their times, so that little is built again.
 *
 * @param {string[]} paths
 */
export function copyInto(tree, paths) {
  const files = new Set(filesUnder(...paths).map((path) => relative(root, path)))
  for (const former of filesUnder(...paths.map((path) => join(tree, path))))
    if (!files.has(relative(join(root, tree), former))) rmSync(former)
  for (const file of files) {
    const [content, copy] = [readFileSync(join(root, file)), join(root, tree, file)]
    if (existsSync(copy) && readFileSync(copy).equals(content)) continue
    mkdirSync(dirname(copy), { recursive: true })
    writeFileSync(copy, content)
  }
  const packages = join(root, tree, 'node_modules')
  if (!existsSync(packages)) symlinkSync(join(root, 'node_modules'), packages)
}
