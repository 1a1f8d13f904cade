/** What keeps and releases the followers of a signal relies on internals of Node. Without them, signals stay as Node makes them. */
import { describe, expect, it } from '@jest/globals'
import { followerRules } from '../../lib/node/host/followers.js'

const { getOwnPropertySymbols } = Object

/** Runs code while Node seems to lack the symbol of a name. */
function without(name: string, code: () => void): void {
  Object.getOwnPropertySymbols = (object: object) =>
    getOwnPropertySymbols(object).filter(({ description }) => description !== name)
  try {
    code()
  } finally {
    Object.getOwnPropertySymbols = getOwnPropertySymbols
  }
}

describe('followerRules()', () => {
  it.each(['kDependantSignals', 'kSourceSignals', 'kRemoveListener'])('has none if Node lacks %s', (name) => {
    without(name, () => expect(followerRules()).toBeUndefined())
  })

  it('has none if there is no AbortSignal.any', () => {
    const { any } = AbortSignal
    Reflect.set(AbortSignal, 'any', undefined)
    try {
      expect(followerRules()).toBeUndefined()
    } finally {
      AbortSignal.any = any
    }
  })

  it('leaves signals that nothing follows as they are', () => {
    const rules = followerRules()
    if (rules === undefined) return
    const { signal } = new AbortController()
    const keys = Reflect.ownKeys(signal)
    rules.prepare(Object.setPrototypeOf({}, Object.getPrototypeOf(signal)))
    rules.release(signal)
    expect(Reflect.ownKeys(signal)).toEqual(keys)
  })
})
