/** `timeout-wheel/register` in pages and workers. test/node/register has the programs of Node. */
import { usePages } from './pages.mjs'

const pages = usePages()

it.each(['window', 'worker'])('replaces the timers of a %s, and restores them', async (context) => {
  const told = await pages.run(
    async (wheels) => {
      const names = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval']
      const former = names.map((name) => globalThis[name])
      const { register, unregister } = await import('/dist/register-browser.mjs')
      const copy = await import('/copy/register-browser.mjs')
      const again = [register(), copy.register()]
      const ran = await new Promise((resolve) => {
        const ran = []
        const [setByHost] = former
        clearTimeout(setByHost(() => ran.push('cleared'), 1))
        clearTimeout(setTimeout(() => ran.push('cleared'), 1))
        globalThis.note = (text) => ran.push(text)
        setTimeout("note('text')", 1)
        setTimeout({ toString: () => "note('object')" }, 1)
        setTimeout((text) => ran.push(text), 2, 'handle')
        setTimeout(() => ran.push('an object with a delay'), { delay: 60_000 })
        const interval = setInterval(() => {
          if (ran.push('interval') < 7) return
          clearInterval(interval)
          resolve(ran)
        }, 20)
      })
      const isOurs = names.map((name) => globalThis[name] !== former[names.indexOf(name)])
      const handle = setTimeout(() => {}, 1_000)
      const pending = wheels.stats().pending
      const left = unregister()
      wheels.clearTimeout(handle)
      const isBack = names.map((name) => globalThis[name] === former[names.indexOf(name)])
      return { again, ran: ran.sort(), isOurs, pending, left, isBack }
    },
    { context },
  )
  const all = [true, true, true, true]
  expect(told).toEqual({
    ...{ again: [false, false], isOurs: all, pending: 1, left: [], isBack: all },
    ran: ['an object with a delay', 'handle', 'interval', 'interval', 'interval', 'object', 'text'],
  })
})
