/** Test tools make a realm for each file. The package is collected with the realm that loaded it. */
import { printsInOneProcess } from './prints.js'

const it = printsInOneProcess({
  flags: ['--expose-gc'],
  prelude: `
    import { readFileSync } from 'node:fs'
    import { createRequire } from 'node:module'
    import { dirname, join } from 'node:path'
    import vm from 'node:vm'
    const nodeRequire = createRequire(process.cwd() + '/')
    /** Requires an entry of the package in a new realm, as test tools do. */
    function load(entry) {
      // With Jest, listeners on this copy hear nothing.
      const copy = Object.create(process, { _events: { value: {} } })
      const realm = vm.createContext({ process: copy, performance, setTimeout, clearTimeout, setImmediate, clearImmediate })
      const modules = new Map()
      const requireFrom = (folder) => (name) => {
        if (name === 'node:module') return { createRequire: () => (name) => realm.hasEnded ? undefined : nodeRequire(name) }
        if (!name.startsWith('.')) return nodeRequire(name)
        const file = join(folder, name)
        if (!modules.has(file)) {
          const names = ['exports', 'require', 'module', '__filename', '__dirname']
          const module = { exports: {} }
          const compiled = vm.compileFunction(readFileSync(file, 'utf8'), names, { parsingContext: realm })
          compiled(module.exports, requireFrom(dirname(file)), module, file, dirname(file))
          modules.set(file, module.exports)
        }
        return modules.get(file)
      }
      // The module stays reachable from the realm, as in a test tool.
      realm.loaded = requireFrom(dirname(nodeRequire.resolve('timeout-wheel')))(entry)
      return realm
    }`,
})

for (const entry of ['./native.cjs', './wasm.cjs']) {
  it(`
    # runs in several realms at a time: ${entry} -> false | first | second
    const [first, second] = [load('${entry}'), load('${entry}')]
    console.log(first.loaded.setTimeout === second.loaded.setTimeout)
    // The order of timers on two wheels is not defined, so each sets the next.
    first.loaded.setTimeout(() => {
      console.log('first')
      second.loaded.setTimeout(() => console.log('second'), 1)
    }, 1)
    # runs timers that are pending when a test tool ends the realm and loads nothing more there: ${entry} -> ran
    const realm = load('${entry}')
    realm.loaded.setTimeout(() => console.log('ran'), 1); realm.hasEnded = true
    # is collected with the realm, once no timer is pending: ${entry} -> true true true true
    async function use() {
      const realm = load('${entry}')
      await new Promise((resolve) => realm.loaded.setTimeout(resolve, 1))
      realm.loaded.clearTimeout(realm.loaded.setTimeout(() => {}, 60_000))
      return new WeakRef(realm)
    }
    const realms = [await use(), await use(), await use(), await use()]
    for (let i = 0; i < 20 && realms.some((realm) => realm.deref() !== undefined); i++) {
      await new Promise((resolve) => setTimeout(resolve, 10)); gc()
    }
    console.log(realms.map((realm) => realm.deref() === undefined).join(' '))`)
}
