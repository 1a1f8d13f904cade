/** A program that both imports and requires the package has one copy of everything, in either order. */
import { prints, printsWith } from './prints.js'

const REQUIRE = `
  import { createRequire } from 'node:module'
  const require = createRequire(process.cwd() + '/')`

const LOADERS = {
  imported: 'const load = (entry) => import(entry), other = async (entry) => require(entry)',
  required: 'const load = async (entry) => require(entry), other = (entry) => import(entry)',
}

for (const [first, loaders] of Object.entries(LOADERS)) {
  const it = printsWith([], {}, `${REQUIRE}\n${loaders}`)

  it(`
    # has one class and one set of functions of each backend: first ${first}
    -> timeout-wheel true | timeout-wheel/native true | timeout-wheel/wasm true | timeout-wheel/promises true
    -> native true
    for (const entry of ['timeout-wheel', 'timeout-wheel/native', 'timeout-wheel/wasm', 'timeout-wheel/promises']) {
      const [first, second] = [await load(entry), await other(entry)]
      console.log(entry, Object.keys(first).every((name) => name === 'default' || first[name] === second[name]))
    }
    const [either, native, wasm] = [await load('timeout-wheel'), await other('timeout-wheel/native'), await load('timeout-wheel/wasm')]
    console.log(either.backend, either.setTimeout === native.setTimeout)
    native.clearTimeout(+wasm.setTimeout(() => console.log('not cleared'), 10))
    # registers once, and counts the timers of one shared wheel: first ${first} -> true false | 1
    const { setTimeout } = await load('timeout-wheel'), registration = await other('timeout-wheel/register')
    console.log(globalThis.setTimeout === setTimeout, (await load('timeout-wheel/register')).register())
    const timer = setTimeout(() => {}, 60_000)
    registration.unregister(); (await load('timeout-wheel/register')).register()
    console.log((await load('timeout-wheel')).stats().pending)
    clearTimeout(timer)`)
}

prints(`
  # loads what most programs do not use from one file, at its first use -> 0 1${REQUIRE}
  const loaded = () => Object.keys(require.cache).filter((name) => /dist.features\\.cjs$/.test(name)).length
  const both = [require('timeout-wheel/native'), await import('timeout-wheel/native')]
  const before = loaded()
  for (const { timerGroup } of both) timerGroup(() => {}, 10).add(1)
  console.log(before, loaded())
  # works if nothing can be added to the global object -> ran
  Object.preventExtensions(globalThis)
  const { setTimeout } = await import('timeout-wheel')
  setTimeout(() => console.log('ran'), 1)`)
