/** A handle behaves like Node's Timeout. The programs of model.test.ts set, refresh and clear handles in all ways. */
import { manualWheel, onEachBackend } from './backends.js'

onEachBackend((backend) => {
  it.each([true, false])(
    'calls back with the handle as this and with the given arguments (async context: %p)',
    (asyncContext) => {
      const wheel = manualWheel(backend, { asyncContext })
      const calls: unknown[][] = []
      function note(this: unknown, ...args: unknown[]): void {
        calls.push([handles.indexOf(this as never), ...args])
      }
      const handles = [
        wheel.setTimeout(note, 1),
        wheel.setTimeout(note, 2, 'a'),
        wheel.setInterval(note, 3, 1, undefined, { two: 2 }, null),
      ]
      wheel.schedule(note, 1, handles)
      wheel.schedule(note, 2)
      wheel.advance(3)
      handles[0]!.refresh()
      handles[2]!.close()
      wheel.cancel(wheel.schedule(note, 1, 'cancelled'))
      // They use the units of timers that had arguments.
      for (let n = 0; n < 3; n++) wheel.schedule(note, 1)
      wheel.advance(1)
      const ofInterval = [2, 1, undefined, { two: 2 }, null]
      expect(calls.splice(0, 6)).toEqual([[0], [-1, handles], [1, 'a'], [-1, undefined], ofInterval, [0]])
      expect(calls.map(([who, given]) => `${who} ${given === undefined}`)).toEqual(Array(3).fill('-1 true'))
    },
  )

  it('ignores values that refer to no timer, and strings that differ slightly from the number of one', () => {
    const wheel = manualWheel(backend)
    const n = +wheel.setTimeout(() => {}, 10)
    const none = [undefined, null, 0, -1, Number.NaN, 1e9, '', ' ', 'x', {}, [], true]
    const close = [` ${n}`, `${n} `, `0${n}`, `+${n}`, `${n}.0`, `${n}e0`]
    for (const value of [...none, ...close, Symbol('none'), () => {}]) {
      for (const clear of ['clearTimeout', 'clearInterval'] as const) {
        wheel[clear](value as never)
        backend[clear](value as never)
      }
    }
    expect(wheel.pending).toBe(1)
  })

  it.each([
    ['the handle', (timeout: NodeJS.Timeout) => timeout],
    ['its number', (timeout: NodeJS.Timeout) => +timeout],
    ['its number as a string', (timeout: NodeJS.Timeout) => `${timeout}`],
  ])("clears Node's own timers, by %s", (_name, name) => {
    // Those of a wheel work without \`this\` too.
    const cleared = [backend, manualWheel(backend)].flatMap(({ clearTimeout, clearInterval }) =>
      [clearTimeout, clearInterval].map((clear) => {
        const timeout = globalThis.setTimeout(() => {}, 60_000)
        clear(name(timeout))
        return (timeout as unknown as { _destroyed: boolean })._destroyed
      }),
    )
    expect(cleared).toEqual([true, true, true, true])
  })

  it("can be cleared by Node's own function, by its handle", () => {
    const wheel = manualWheel(backend)
    const timeouts = [wheel.setTimeout(() => {}, 10), wheel.setInterval(() => {}, 10)]
    const numbers = timeouts.map(Number)
    for (const timeout of timeouts) globalThis.clearTimeout(timeout as never)
    expect(wheel.pending).toBe(0)
    for (const timeout of timeouts) expect(timeout).toMatchObject({ _destroyed: true, _idleTimeout: -1 })
    for (const timeout of timeouts) timeout.refresh()
    for (const number of numbers) wheel.clearTimeout(number)
    expect(wheel.pending).toBe(0)
  })
})
