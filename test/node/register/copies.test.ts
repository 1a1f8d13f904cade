/** Two packages that depend on different versions bring two copies of this package into one process. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../temporary-folder.js'
import { ROOT } from '../child.js'
import { printsWith } from '../prints.js'

const folder = temporaryFolder()
beforeAll(() => {
  for (const part of ['dist', 'prebuilds', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true })
})

/** Defines `first` and `second`. Each has `timers`, and `registration()`, which loads the entry register. */
const COPIES = `
  import assert from 'node:assert'
  import timers from 'node:timers'
  import promises from 'node:timers/promises'
  import { createRequire } from 'node:module'
  const [first, second] = [process.cwd(), ${JSON.stringify(folder)}].map((root) => {
    const require = createRequire(root + '/')
    return { timers: require(root + '/dist/node.cjs'), promises: require(root + '/dist/promises.cjs'), registration: () => require(root + '/dist/register.cjs') }
  })
  assert.notStrictEqual(first.timers.setTimeout, second.timers.setTimeout)
  const whose = () => {
    const values = [globalThis.setTimeout, timers.setTimeout]
    for (const [name, copy] of Object.entries({ first, second }))
      if (values.every((value) => value === copy.timers.setTimeout) && promises.setTimeout === copy.promises.setTimeout) return name
    return values.every((value) => value === native) && promises.setTimeout === nativePromise ? 'native' : 'mixed'
  }
  const native = setTimeout
  const nativePromise = promises.setTimeout
`
const withCopies = printsWith([], {}, COPIES)

withCopies(`
  # uses the timers of the copy that registers first, and either copy can undo that
  -> first | first false false | 0 native 0 native | true second false second | 0 native 0 native
  const one = first.registration()
  console.log(whose())
  const two = second.registration()
  console.log(whose(), one.register(), two.register())
  console.log(two.unregister().length, whose(), one.unregister().length, whose())
  console.log(two.register(), whose(), one.register(), whose())
  console.log(one.unregister().length, whose(), two.unregister().length, whose())
  # restores the former timers in another order than they were replaced, with another tool in between
  -> globalThis.setTimeout,node:timers.setTimeout |  native | true first 0 native
  const one = first.registration()
  const before = globalThis.setTimeout
  globalThis.setTimeout = timers.setTimeout = (...args) => before(...args)
  const two = second.registration()
  console.log(one.unregister().join())
  globalThis.setTimeout = timers.setTimeout = before
  console.log(two.unregister().join(), whose())
  console.log(one.register(), whose(), two.unregister().length, whose())
  # clears handles of the other copy, whichever is registered, and no other timer -> kept by the first,kept by the second
  const ran = []
  process.on('exit', () => console.log(ran.sort().join()))
  const late = (what) => ran.push(what)
  const setAll = () => [first, second].flatMap(({ timers, wheel = new timers.TimerWheel() }) =>
    [timers.setTimeout(late, 30, 'a timeout'), timers.setInterval(late, 30, 'an interval'), wheel.setTimeout(late, 30, 'of a wheel')])
  for (const clear of [first.timers.clearTimeout, second.timers.clearInterval, clearTimeout]) for (const one of setAll()) clear(one)
  const one = first.registration()
  for (const timeout of setAll()) clearTimeout(timeout)
  // Clear a second time: other timers use the units now.
  const cleared = setAll()
  for (const timeout of cleared) clearInterval(timeout)
  setTimeout(late, 30, 'kept by the first')
  second.timers.setTimeout(late, 60, 'kept by the second')
  for (const timeout of cleared) for (const { timers } of [first, second]) timers.clearTimeout(timeout)`)
