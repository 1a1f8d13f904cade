/** Signals of Node 20 to 24 rely on internals of Node. If one is missing or changed, AbortControllers take their place. */
import { describe, expect, it } from '@jest/globals'
import { fastControllers } from '../../lib/node/host/node-20-signals.js'

/** Signals of Node 26 have a private field. */
const IS_POSSIBLE = Number.parseInt(process.versions.node, 10) < 26

/** Runs code while a property of an object has another value; undefined: while the object lacks it. */
function whileChanged(owner: object, key: PropertyKey, value: unknown, code: () => void): void {
  const original = Object.getOwnPropertyDescriptor(owner, key)!
  Reflect.deleteProperty(owner, key)
  if (value !== undefined) Object.defineProperty(owner, key, { value, configurable: true, writable: true })
  try {
    code()
  } finally {
    Object.defineProperty(owner, key, original)
  }
}

const receive = Object.getOwnPropertySymbols(AbortSignal.prototype).find(
  ({ description }) => description === 'messaging_deserialize_symbol',
)!
const { getOwnPropertySymbols } = Object

/** Symbols of Node without the one of a name. */
const without = (name: string) => (object: object) =>
  getOwnPropertySymbols(object).filter(({ description }) => description !== name)

describe('fastControllers()', () => {
  it('makes controllers on Node 20 to 24', () => {
    expect(typeof fastControllers()).toBe(IS_POSSIBLE ? 'function' : 'undefined')
  })

  it.each([
    ['kAborted', Object, 'getOwnPropertySymbols', without('kAborted')],
    ['kReason', Object, 'getOwnPropertySymbols', without('kReason')],
    ['kComposite', Object, 'getOwnPropertySymbols', without('kComposite')],
    ['the method that receives a signal', AbortSignal.prototype, receive, undefined],
    ['the effect of that method', AbortSignal.prototype, receive, () => {}],
    ['AbortSignal.any', AbortSignal, 'any', undefined],
    ['the followers of a signal', AbortSignal, 'any', () => new AbortController().signal],
  ] as const)('makes none if Node lacks %s', (_, owner, key, value) => {
    if (key === undefined) return
    whileChanged(owner, key, value, () => {
      expect(fastControllers()).toBeUndefined()
    })
    expect(typeof fastControllers()).toBe(IS_POSSIBLE ? 'function' : 'undefined')
  })

  it('makes none if signals of Node have a property more', () => {
    const { AbortController } = globalThis
    class Other extends AbortController {
      constructor() {
        super()
        Object.defineProperty(super.signal, Symbol('new'), { value: 1 })
      }
    }
    whileChanged(globalThis, 'AbortController', Other, () => {
      expect(fastControllers()).toBeUndefined()
    })
  })

  it('keeps the classes of its first call', () => {
    const open = fastControllers()
    if (open === undefined) return
    whileChanged(globalThis, 'EventTarget', Map, () => {
      whileChanged(globalThis, 'AbortSignal', Set, () => {
        const { signal, abort } = open()
        abort('reason')
        expect([signal.aborted, signal.reason]).toEqual([true, 'reason'])
      })
    })
    expect(open().signal).toBeInstanceOf(AbortSignal)
  })
})
