/** The build shortens internal names in the files that pages load. The contract in pages shows that it keeps public names. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const DIST = join(__dirname, '../../../dist')

it.each(['browser.mjs', 'browser.cjs', 'workerd/workerd.mjs'])('leaves no internal name in %s', (file) => {
  // Without the WebAssembly module, which is a text.
  const text = readFileSync(join(DIST, file), 'utf8').replace(/wasmText ?= ?(["'`])(?:\\.|(?!\1).)*\1/s, '')
  // A shortened name can be `_a`; no internal name is that short.
  expect(text.match(/\._[a-z]\w+|\b_[a-z]\w+:/g) ?? []).toEqual([])
})
