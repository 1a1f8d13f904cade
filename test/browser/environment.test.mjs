/** Pages load the package more than once. For workers, and pages that lack a feature, see test/page/drivers. */
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { usePages } from './pages.mjs'

const pages = usePages()

// A second copy, as a bundler makes it: under another address, all of it is evaluated again. It is minified, so that it
// shares no internal name with the first copy, like another version.
beforeAll(async () => {
  const entry = fileURLToPath(new URL('../../dist/browser.mjs', import.meta.url))
  const options = { entryPoints: [entry], bundle: true, write: false, format: 'esm', minify: true }
  const { outputFiles } = await build(options)
  pages.site.put('/minified.mjs', outputFiles[0].text)
})

it.each([
  ['a module that is evaluated twice', '/minified.mjs', '/minified.mjs?again'],
  ['two copies of the package', '/dist/browser.mjs', '/copy/browser.mjs'],
  ['two builds of the package', '/dist/browser.mjs', '/minified.mjs'],
])('runs the timers of %s, which clear only the handles of each other', async (_, first, second) => {
  const ran = await pages.run(
    async (_package, first, second) => {
      const [one, two] = [await import(first), await import(second)]
      if (two.setTimeout === one.setTimeout) throw new Error('the module was not evaluated again')
      const ran = []
      const note = (name) => ran.push(name)
      const wheels = [one, two].map(({ TimerWheel }) => new TimerWheel())
      const stopped = new one.TimerWheel()
      for (let i = 0; i < 10; i++) {
        one.setTimeout(note, 5, 'one')
        two.setTimeout(note, 5, 'two')
        wheels[0].schedule(note, 5, 'wheel of one')
        wheels[1].schedule(note, 5, 'wheel of two')
        stopped.schedule(note, 20, 'stopped')
      }
      one.clearTimeout(two.setTimeout(note, 20, 'cleared by the other'))
      two.clearInterval(one.setInterval(note, 20, 'cleared by the other'))
      one.clearTimeout(wheels[1].setTimeout(note, 20, 'cleared by the other'))
      wheels[1].clearTimeout(one.setTimeout(note, 20, 'cleared by the other'))
      stopped.stop()
      do await new Promise((resolve) => two.setTimeout(resolve, 60))
      while (ran.length < 40)
      return ran
    },
    { args: [first, second] },
  )
  const names = ['one', 'two', 'wheel of one', 'wheel of two']
  expect(ran.sort()).toEqual(names.flatMap((name) => Array(10).fill(name)))
})
