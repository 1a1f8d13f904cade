/** The `expect` of our runner says what Jest's says: see .tooling/quick-expect.cjs. */
import { expect, it } from '@jest/globals'
import { expect as jestExpect } from 'expect'
import { areEqual, HOLDS } from '../../.tooling/quick-expect.cjs'

class Point {
  x = 1
}

const sparse = Array.from({ length: 3 }, (_, i) => i)
delete sparse[1]
const VALUES: unknown[] = [
  ...[undefined, null, 0, -0, 1, Number.NaN, 1n, '', '1', true, Symbol.iterator],
  ...[[], [1], [1, 2], [undefined], sparse, [0, undefined, 2], Object.assign([1], { x: 1 }), [[1]], [[2]]],
  ...[
    {},
    { x: 1 },
    { x: undefined },
    { x: 1, y: 2 },
    { y: 2, x: 1 },
    { x: [1] },
    { length: 0 },
    { length: 1, 0: 1 },
  ],
  ...[
    new Point(),
    Object.create(null),
    Object.create({ x: 1 }),
    { [Symbol.iterator]: 1 },
    { [Symbol.iterator]: 2 },
  ],
  ...[new Map([[1, 2]]), new Map([[1, 3]]), new Set([1]), new Date(0), new Date(1), /a/, /b/, new Error('a')],
  ...[Int8Array.of(1), Int8Array.of(2), () => {}, Object.assign(() => {}, { x: 1 }), [1, 2, 3].entries()],
  ...[expect.anything(), expect.any(Number), expect.objectContaining({ x: 1 }), [expect.any(Number)]],
  Array.from({ length: 200 }, (_, i) => i),
]

it.each(Object.entries(HOLDS))('lets no assertion pass that fails in Jest: %s', (name, holds) => {
  let passed = 0
  for (const actual of VALUES) {
    for (const expected of VALUES) {
      if (!holds(actual, expected)) continue
      passed++
      jestExpect(actual)[name as 'toBe'](expected)
    }
  }
  expect(passed).toBeGreaterThan(0)
})

it('finds copies of a value equal, and others not', () => {
  const value = () => ({ code: 0, lines: ['a', 'b'], deep: [{ x: [1] }], nothing: undefined })
  expect([areEqual(value(), value()), areEqual([value()], [{ ...value(), code: 1 }])]).toEqual([true, false])
})

it('reports a failure at the line of the test', () => {
  let stack = ''
  try {
    expect(1).toBe(2)
  } catch (error) {
    stack = (error as Error).stack!
  }
  const frame = stack.split('\n').find((line) => /^ +at /.test(line))
  expect(frame).toContain('quick-expect.test.ts')
})

it('has the other matchers and the functions of Jest', async () => {
  expect(() => expect(1).not.toBe(1)).toThrow('not')
  await expect(Promise.resolve(1)).resolves.toBe(1)
  await expect(Promise.reject(new Error('rejected'))).rejects.toThrow('rejected')
  expect({ a: 1, b: 2 }).toMatchObject({ a: 1 })
})
