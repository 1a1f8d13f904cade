/** Signals rely on internals of Node. If one is missing or changed, they stay as Node makes them. */
import { expect, it } from '@jest/globals'
import { followerRules } from '../../lib/node/host/followers.js'
import { fastControllers } from '../../lib/node/host/node-20-signals.js'

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

const { getOwnPropertySymbols } = Object

/** What an object lacks, and the change that takes it away. */
type Lack = readonly [name: string, owner: object, key: PropertyKey, value: unknown]

const lackOf = (name: string): Lack => [
  name,
  Object,
  'getOwnPropertySymbols',
  (object: object) => getOwnPropertySymbols(object).filter(({ description }) => description !== name),
]

const NO_ANY: Lack = ['AbortSignal.any', AbortSignal, 'any', undefined]

/** The type of fastControllers(): it makes none from Node 26 on, whose signals have a private field. */
const type = Number.parseInt(process.versions.node, 10) < 26 ? 'function' : 'undefined'
const receive = getOwnPropertySymbols(AbortSignal.prototype).find(
  ({ description }) => description === 'messaging_deserialize_symbol',
)!

it.each([
  lackOf('kAborted'),
  lackOf('kReason'),
  lackOf('kComposite'),
  lackOf('messaging_deserialize_symbol'),
  ['the effect of the method that receives a signal', AbortSignal.prototype, receive, () => {}],
  NO_ANY,
  ['the followers of a signal', AbortSignal, 'any', () => new AbortController().signal],
] satisfies Lack[])('makes no fast controllers if Node lacks %s', (_, owner, key, value) => {
  if (key === undefined) return
  whileChanged(owner, key, value, () => expect(fastControllers()).toBeUndefined())
  expect(typeof fastControllers()).toBe(type)
})

it('makes no fast controllers if signals of Node have a property more', () => {
  class Other extends AbortController {
    constructor() {
      super()
      Object.defineProperty(super.signal, Symbol('new'), { value: 1 })
    }
  }
  whileChanged(globalThis, 'AbortController', Other, () => expect(fastControllers()).toBeUndefined())
})

it('keeps the classes of the first call of fastControllers()', () => {
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

it.each([lackOf('kDependantSignals'), lackOf('kSourceSignals'), lackOf('kRemoveListener'), NO_ANY])(
  'has no rules for followers if Node lacks %s',
  (_, owner, key, value) => whileChanged(owner, key, value, () => expect(followerRules()).toBeUndefined()),
)

it('leaves signals that nothing follows as they are', () => {
  const rules = followerRules()
  if (rules === undefined) return
  const { signal } = new AbortController()
  const keys = Reflect.ownKeys(signal)
  rules.prepare(Object.setPrototypeOf({}, Object.getPrototypeOf(signal)))
  rules.release(signal)
  expect(Reflect.ownKeys(signal)).toEqual(keys)
})
