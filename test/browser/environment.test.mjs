/**
 * The package runs in workers, beside tools that replace timers, and in pages that load it more than once. Pages that lack a
 * feature: test/page/drivers.
 */
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { build } from 'esbuild'
import { usePages } from './pages.mjs'

const pages = usePages()

// A second copy, as a bundler makes it: under another address, all of it is evaluated again. It is minified, so that it
// shares no internal name with the first copy, like another version.
beforeAll(async () => {
  const entry = fileURLToPath(new URL('../../dist/browser.mjs', import.meta.url))
  for (const [path, minify] of [
    ['/one-file.mjs', false],
    ['/minified.mjs', true],
  ]) {
    const options = { entryPoints: [entry], bundle: true, write: false, format: 'esm', minify }
    const { outputFiles } = await build(options)
    pages.site.put(path, { body: outputFiles[0].text })
  }
})

it('refuses a callback that is not a function, also text that a page would run', async () => {
  const errors = await pages.run(({ TimerWheel, setTimeout, setInterval }) => {
    const wheel = new TimerWheel()
    const calls = [
      setTimeout,
      setInterval,
      (callback) => wheel.setTimeout(callback, 1),
      (callback) => wheel.schedule(callback, 1),
    ]
    return calls.flatMap((call) =>
      [undefined, null, 'globalThis.ran = true', 5, {}].map((callback) => {
        try {
          call(callback, 1)
          return 'nothing was thrown'
        } catch ({ name, code }) {
          return `${name} ${code}`
        }
      }),
    )
  })
  expect(errors).toEqual(Array(20).fill('TypeError ERR_INVALID_ARG_TYPE'))
})

it.each(['worker', 'animation-frame'])(
  'accepts the driver %s in a worker, which needs no other driver',
  async (driver) => {
    const ran = await pages.run(
      ({ TimerWheel }, driver) =>
        new Promise((resolve) => new TimerWheel({ driver }).setTimeout(resolve, 5, 'ran')),
      { context: 'worker', args: [driver] },
    )
    expect(ran).toBe('ran')
  },
)

it('keeps running if a test tool replaces the timers of the page later', async () => {
  const ran = await pages.run(async ({ setTimeout: set }) => {
    const { setTimeout } = globalThis
    globalThis.setTimeout = () => {
      throw new Error('replaced')
    }
    const ran = await new Promise((resolve) => set(resolve, 5, 'ran'))
    globalThis.setTimeout = setTimeout
    return ran
  })
  expect(ran).toBe('ran')
})

describe.each([
  ['a module that is evaluated twice', '/one-file.mjs', '/one-file.mjs?again'],
  ['two copies of the package', '/dist/browser.mjs', '/copy/browser.mjs'],
  ['two builds of the package', '/dist/browser.mjs', '/minified.mjs'],
])('%s', (_name, first, second) => {
  it('runs the timers of both', async () => {
    const ran = await pages.run(
      async (_package, first, second) => {
        const [one, two] = [await import(first), await import(second)]
        if (two.setTimeout === one.setTimeout) throw new Error('the module was not evaluated again')
        const ran = []
        await new Promise((resolve) => {
          const wheels = [one, two].map(({ TimerWheel }) => new TimerWheel())
          const note = (name) => ran.push(name) === 40 && resolve()
          for (let i = 0; i < 10; i++) {
            one.setTimeout(note, 5, 'one')
            two.setTimeout(note, 5, 'two')
            wheels[0].schedule(note, 5, 'wheel of one')
            wheels[1].schedule(note, 5, 'wheel of two')
          }
        })
        return ran
      },
      { args: [first, second] },
    )
    for (const name of ['one', 'two', 'wheel of one', 'wheel of two']) {
      expect(ran.filter((one) => one === name)).toHaveLength(10)
    }
  })

  it('does not affect timers of the other copy, but clears by its handles', async () => {
    const ran = await pages.run(
      async (_package, first, second) => {
        const [one, two] = [await import(first), await import(second)]
        const ran = []
        const wheels = [one, two].map(({ TimerWheel }) => new TimerWheel())
        one.clearTimeout(two.setTimeout(() => ran.push('cleared by the other'), 20))
        two.clearInterval(one.setInterval(() => ran.push('cleared by the other'), 20))
        one.clearTimeout(wheels[1].setTimeout(() => ran.push('cleared by the other'), 20))
        wheels[1].clearTimeout(one.setTimeout(() => ran.push('cleared by the other'), 20))
        for (const [i, wheel] of wheels.entries()) wheel.schedule(() => ran.push(`wheel ${i}`), 20)
        wheels[0].stop()
        await new Promise((resolve) => two.setTimeout(resolve, 60))
        return ran
      },
      { args: [first, second] },
    )
    expect(ran).toEqual(['wheel 1'])
  })
})
