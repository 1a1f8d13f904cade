/** `util.inspect` shows a wheel as one line. */
import { inspect } from 'node:util'
import { onEachBackend } from '../contract/backends.js'

onEachBackend(({ TimerWheel }) => {
  it('shows what a wheel is and how many timers it has', () => {
    const wheel = new TimerWheel({ name: 'sessions', tick: 10 })
    for (let i = 0; i < 3; i++) wheel.schedule(() => {}, 60_000)
    expect(inspect(wheel)).toBe(`TimerWheel { name: "sessions", pending: 3, tick: 10, driver: 'host' }`)
    expect(inspect({ wheel: [wheel] }, { depth: 10, showHidden: true })).toContain('pending: 3')
    wheel.stop()
    expect(inspect(wheel)).toMatch(/pending: 0, tick: 10, driver: 'host', stopped }$/)
  })

  it.each([
    [{}, ''],
    [{ name: 'two\nlines "quoted"' }, 'name: "two\\nlines \\"quoted\\"", '],
  ])('leaves out an empty name, and keeps to one line with any other: %j', (options, shown) => {
    const wheel = new TimerWheel({ driver: 'manual', ...options })
    expect(inspect(wheel)).toBe(`TimerWheel { ${shown}pending: 0, tick: 1, driver: 'manual' }`)
  })
})
