/** The text of `timeout-wheel`, which V8 reads through, but no line of which runs: imported as the package would be. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Script } from 'node:vm'

const { resolve } = createRequire(import.meta.url)
const files = new Set([resolve('timeout-wheel')])
for (const file of files) {
  const text = readFileSync(file, 'utf8')
  new Script(`(function () {${text}\n})`, { filename: file })
  for (const [, name] of text.matchAll(/require\(['"](\.[^'"]+)['"]\)/g)) {
    files.add(createRequire(file).resolve(name))
  }
}
