/** A handle behaves like Node's Timeout. */
import { inspect } from 'node:util'
import { expect, it } from '@jest/globals'
import { dispose, manualWheel, onEachBackend } from './backends.js'

onEachBackend((backend) => {
  it('calls back with the handle as this and with the given arguments', () => {
    const wheel = manualWheel(backend)
    const calls: unknown[][] = []
    function note(this: unknown, ...args: unknown[]): void {
      calls.push([this, ...args])
    }
    const bare = wheel.setTimeout(note, 1)
    const one = wheel.setTimeout(note, 2, 'a')
    const many = wheel.setInterval(note, 3, 1, undefined, { two: 2 }, null)
    wheel.advance(3)
    expect(calls).toHaveLength(3)
    expect(calls[0]![0]).toBe(bare)
    expect(calls[1]![0]).toBe(one)
    expect(calls[2]![0]).toBe(many)
    expect(calls.map((call) => call.slice(1))).toEqual([[], ['a'], [1, undefined, { two: 2 }, null]])
    many.close()
  })

  it('calls back with the same arguments on a wheel without async context', () => {
    const wheel = manualWheel(backend, { asyncContext: false })
    const calls: unknown[][] = []
    function note(this: unknown, ...args: unknown[]): void {
      calls.push([this, ...args])
    }
    const bare = wheel.setTimeout(note, 1)
    const two = wheel.setTimeout(note, 2, 'a', 'b')
    wheel.advance(2)
    bare.refresh()
    wheel.advance(1)
    expect(calls.map((call) => call.slice(1))).toEqual([[], ['a', 'b'], []])
    expect(calls.map((call) => call[0] === bare)).toEqual([true, false, true])
    expect(calls[1]![0]).toBe(two)
  })

  it('calls the callback of schedule() with its single argument', () => {
    const wheel = manualWheel(backend)
    const argument = {}
    const calls: unknown[][] = []
    const note = (...args: unknown[]): void => void calls.push(args)
    wheel.schedule(note, 1, argument)
    wheel.schedule(note, 2)
    wheel.advance(2)
    expect(calls).toEqual([[argument], [undefined]])
    expect(calls[0]![0]).toBe(argument)
  })

  it.each([
    ['the handle', (timeout: { [Symbol.toPrimitive](): number }) => timeout],
    ['its number', (timeout: { [Symbol.toPrimitive](): number }) => +timeout],
    ['its number as a string', (timeout: { [Symbol.toPrimitive](): number }) => `${timeout}`],
  ])('clears by %s, with either function', (_name, name) => {
    const wheel = manualWheel(backend)
    for (const set of ['setTimeout', 'setInterval'] as const) {
      for (const clear of ['clearTimeout', 'clearInterval'] as const) {
        const timeout = wheel[set](() => {}, 10)
        const other = wheel[set](() => {}, 10)
        wheel[clear](name(timeout) as never)
        expect(wheel.pending).toBe(1)
        wheel[clear](name(timeout) as never)
        expect(wheel.pending).toBe(1)
        backend[clear](name(other) as never)
        expect(wheel.pending).toBe(0)
      }
    }
  })

  it('clears by a number that the callback of the handle read', () => {
    const wheel = manualWheel(backend)
    let number = 0
    let runs = 0
    const interval = wheel.setInterval(() => {
      runs++
      number = +interval
    }, 10)
    wheel.advance(10)
    wheel.clearInterval(number)
    wheel.advance(100)
    expect([runs, wheel.pending]).toEqual([1, 0])
    const timeout = wheel.setTimeout(() => {
      number = +timeout
    }, 10)
    wheel.advance(10)
    timeout.refresh()
    wheel.clearTimeout(number)
    expect(wheel.pending).toBe(0)
  })

  it.each([undefined, null, 0, -1, Number.NaN, 1e9, '', ' ', 'x', {}, [], true, Symbol('none'), () => {}])(
    'ignores a value that refers to no timer: %p',
    (value) => {
      const wheel = manualWheel(backend)
      wheel.setTimeout(() => {}, 10)[Symbol.toPrimitive]()
      wheel.clearTimeout(value as never)
      wheel.clearInterval(value as never)
      backend.clearTimeout(value as never)
      backend.clearInterval(value as never)
      expect(wheel.pending).toBe(1)
    },
  )

  it('ignores a string that differs slightly from the number of a timer', () => {
    const wheel = manualWheel(backend)
    const number = +wheel.setTimeout(() => {}, 10)
    for (const text of [
      ` ${number}`,
      `${number} `,
      `0${number}`,
      `+${number}`,
      `${number}.0`,
      `${number}e0`,
    ]) {
      wheel.clearTimeout(text)
    }
    expect(wheel.pending).toBe(1)
  })

  it.each([
    ['the handle', (timeout: NodeJS.Timeout) => timeout],
    ['its number', (timeout: NodeJS.Timeout) => +timeout],
    ['its number as a string', (timeout: NodeJS.Timeout) => `${timeout}`],
  ])("clears Node's own timers, by %s", (_name, name) => {
    const cleared = [backend.clearTimeout, backend.clearInterval, manualWheel(backend).clearTimeout].map(
      (clear) => {
        const timeout = globalThis.setTimeout(() => {}, 60_000)
        clear(name(timeout))
        return (timeout as unknown as { _destroyed: boolean })._destroyed
      },
    )
    expect(cleared).toEqual([true, true, true])
  })

  it("can be cleared by Node's own function, by its handle", () => {
    const wheel = manualWheel(backend)
    const timeouts = [wheel.setTimeout(() => {}, 10), wheel.setInterval(() => {}, 10)]
    const numbers = timeouts.map(Number)
    for (const timeout of timeouts) globalThis.clearTimeout(timeout as never)
    expect(wheel.pending).toBe(0)
    expect(timeouts.map((timeout) => [timeout._destroyed, timeout._idleTimeout])).toEqual([
      [true, -1],
      [true, -1],
    ])
    for (const timeout of timeouts) timeout.refresh()
    for (const number of numbers) wheel.clearTimeout(number)
    expect(wheel.pending).toBe(0)
  })

  it('gives each handle one number of its own', () => {
    const wheel = manualWheel(backend)
    const timeouts = Array.from({ length: 1_000 }, () => wheel.setTimeout(() => {}, 10))
    const numbers = timeouts.map(Number)
    expect(new Set(numbers).size).toBe(1_000)
    expect(numbers.every((number) => Number.isInteger(number) && number > 0)).toBe(true)
    wheel.advance(10)
    expect(timeouts.map(Number)).toEqual(numbers)
  })

  it('restarts a pending timer by refresh()', () => {
    const wheel = manualWheel(backend)
    let runs = 0
    const timeout = wheel.setTimeout(() => runs++, 10)
    for (let i = 0; i < 5; i++) {
      wheel.advance(9)
      expect(timeout.refresh()).toBe(timeout)
    }
    expect(runs).toBe(0)
    wheel.advance(9)
    expect(runs).toBe(0)
    wheel.advance(1)
    expect([runs, wheel.pending]).toEqual([1, 0])
  })

  it('sets a timer that has run again by refresh()', () => {
    const wheel = manualWheel(backend)
    const args: unknown[] = []
    const timeout = wheel.setTimeout((...given) => args.push(given), 10, 'kept')
    wheel.advance(50)
    timeout.refresh()
    expect(wheel.pending).toBe(1)
    wheel.advance(9)
    expect(args).toEqual([['kept']])
    wheel.advance(1)
    expect(args).toEqual([['kept'], ['kept']])
  })

  it('returns the effect of the last ref() or unref() from hasRef(), in every state', () => {
    const wheel = manualWheel(backend)
    const timeout = wheel.setTimeout(() => {}, 10)
    const flip = (): boolean[] => [
      timeout.hasRef(),
      timeout.unref().hasRef(),
      timeout.unref().hasRef(),
      timeout.ref().hasRef(),
      timeout.ref().hasRef(),
    ]
    const expected = [true, false, false, true, true]
    expect(flip()).toEqual(expected)
    wheel.advance(10)
    expect(flip()).toEqual(expected)
    timeout.refresh()
    expect(flip()).toEqual(expected)
    timeout.close()
    expect(flip()).toEqual(expected)
    expect(wheel.pending).toBe(0)
  })

  it('returns itself from ref, unref, refresh and close', () => {
    const timeout = manualWheel(backend).setTimeout(() => {}, 10)
    expect(timeout.ref()).toBe(timeout)
    expect(timeout.unref()).toBe(timeout)
    expect(timeout.refresh()).toBe(timeout)
    expect(timeout.close()).toBe(timeout)
    expect(timeout.close()).toBe(timeout)
  })

  it('clears by close() and Symbol.dispose, also repeatedly', () => {
    const wheel = manualWheel(backend)
    const closed = wheel.setTimeout(() => {}, 10)
    const disposed = wheel.setInterval(() => {}, 10)
    closed.close().close()
    disposed[dispose]()
    disposed[dispose]()
    expect(wheel.pending).toBe(0)
  })

  it('hides the memory of its wheel from util.inspect', () => {
    const wheel = manualWheel(backend)
    function callback(): void {}
    const timeout = wheel.setTimeout(callback, 10)
    const shown = inspect(timeout, { depth: 10 })
    expect(shown).toContain('Timeout')
    expect(shown).toContain('callback')
    expect(shown.length).toBeLessThan(500)
    expect(inspect(wheel, { depth: 10, showHidden: true }).length).toBeLessThan(500)
  })
})
