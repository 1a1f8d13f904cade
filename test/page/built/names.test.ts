/** The build shortens internal names in the files that pages load, and keeps public names. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import type * as Entry from '../../../lib/entry/browser.js'

const DIST = join(__dirname, '../../../dist')
const source: typeof Entry = require('../../../lib/entry/browser.js')

/** Returns the names of all properties of an object and its prototypes. */
function publicNames(object: object): (string | symbol)[] {
  const names: (string | symbol)[] = []
  for (let at = object; at !== null; at = Object.getPrototypeOf(at)) names.push(...Reflect.ownKeys(at))
  return names
}
// Jest marks the modules that it loads with a symbol.
const isInternal = (name: string | symbol): boolean =>
  /^_[a-z]\w|jest/.test(typeof name === 'string' ? name : name.description!)

describe.each(['browser.mjs', 'browser.cjs', 'workerd/workerd.mjs'])('%s', (file) => {
  it('has no property with an internal name', () => {
    // Without the WebAssembly module, which is a text.
    const text = readFileSync(join(DIST, file), 'utf8').replace(/wasmText ?= ?(["'`])(?:\\.|(?!\1).)*\1/s, '')
    // A shortened name can be `_a`; no internal name is that short.
    expect(text.match(/\._[a-z]\w+|\b_[a-z]\w+:/g) ?? []).toEqual([])
  })
})

it('keeps every public name of the source', () => {
  const built: typeof Entry = require(join(DIST, 'browser.cjs'))
  const parts = (entry: typeof Entry) => {
    const wheel = new entry.TimerWheel({ driver: 'manual' })
    const timeout = wheel.setTimeout(() => {}, 1)
    wheel.schedule(() => {}, 1)
    const [leftTimeout, leftId] = wheel.stop()
    const { promises } = wheel
    const { scheduler } = promises
    return { entry, wheel, timeout, leftTimeout, leftId, promises, scheduler } as Record<string, object>
  }
  const expected = parts(source)
  for (const [name, object] of Object.entries(parts(built))) {
    const missing = publicNames(expected[name]!).filter((key) => !isInternal(key) && !(key in object))
    expect({ name, missing }).toEqual({ name, missing: [] })
  }
})
