/** An exception interrupts a method of a group in every place. Afterwards the method has taken effect or not; all else holds. */
import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { type Backend, manualWheel, onEachBackend, type Wheel } from './backends.js'
import { type Attempt, everywhere } from './everywhere.js'

/** So many that a group picks members in scans. */
const MANY = 70
/** An attempt repeats an operation for every member, or for one of these. */
const ONE_IN = scaled(5, 1)

onEachBackend((backend: Backend) => {
  /** Makes a group on a wheel that also has another group and a timer; these must run whatever happens. */
  function open() {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    const note = (name: string): void => {
      ran[ran.length] = name
    }
    const group = wheel.group(note, 10)
    const other = wheel.group(note, 10)
    other.add('other')
    wheel.schedule(note, 10, 'id')
    return { wheel, ran, note, group, other }
  }

  function expectRest(wheel: Wheel, ran: string[], names: string[]): void {
    wheel.advance(10)
    wheel.advance(10)
    expect({ ran: [...ran].sort(), pending: wheel.pending }).toEqual({ ran: [...names].sort(), pending: 0 })
  }

  it('adds a member or none', () => {
    everywhere((attempt) => {
      const { wheel, ran, group } = open()
      let member = 0
      const isDone = attempt(() => {
        member = group.add('a')
      })
      // The number is lost if the interruption came just before the assignment.
      const size = group.size
      expect(size).toBeLessThanOrEqual(1)
      if (isDone) expect([size, group.has(member)]).toEqual([1, true])
      group.add('b')
      expect([group.size, wheel.pending]).toEqual([size + 1, size + 3])
      expect([...group]).toEqual(size === 1 ? ['a', 'b'] : ['b'])
      expectRest(wheel, ran, ['other', 'id', 'b', ...(size === 1 ? ['a'] : [])])
    })
  })

  it('adds, touches and deletes many members, each or not', () => {
    everywhere((attempt) => {
      const { wheel, ran, group } = open()
      const members: number[] = []
      for (let i = 0; i < MANY; i++) members.push(group.add(`${i}`))
      wheel.advance(3)
      attempt(() => {
        for (let i = 0; i < MANY; i += 2 * ONE_IN) group.touch(members[i]!)
        for (let i = 0; i < MANY; i += 5 * ONE_IN) group.delete(members[i]!)
        for (let i = 0; i < 30; i += ONE_IN) group.add('new')
      })
      const left = [...group]
      expect(left.length).toBe(group.size)
      expect(wheel.pending).toBe(group.size + 2)
      expectRest(wheel, ran, ['other', 'id', ...left])
    })
  })

  it('empties a group and fills it again', () => {
    for (const unref of [false, true]) {
      everywhere((attempt) => {
        const { wheel, ran, note } = open()
        const group = wheel.group(note, 10, { unref })
        const member = group.add('a')
        attempt(() => {
          group.delete(member)
          group.add('b')
          group.clear()
          group.add('c')
        })
        group.clear()
        expect([group.size, wheel.pending]).toEqual([0, 2])
        group.add('d')
        expect([group.size, wheel.pending]).toEqual([1, 3])
        expectRest(wheel, ran, ['other', 'id', 'd'])
      })
    }
  })

  it('changes the delay of all members or of none', () => {
    everywhere((attempt) => {
      const { wheel, ran, group } = open()
      for (let i = 0; i < MANY; i++) group.add(`${i}`)
      wheel.advance(2)
      const isDone = attempt(() => {
        group.delay = 5
      })
      group.delay = 6
      wheel.advance(3)
      expect(ran).toEqual([])
      wheel.advance(1)
      // If a reading of the clock was interrupted, the members count from the next one.
      if (isDone) expect(ran.length).toBe(MANY)
      wheel.advance(2)
      expect(ran.length).toBe(MANY)
      expectRest(wheel, ran, ['other', 'id', ...Array.from({ length: MANY }, (_, i) => `${i}`)])
    })
  })

  /** Lets members expire while an attempt is made, and returns what has run. */
  function expireThrough(attempt: Attempt, size: number) {
    const { wheel, ran, group } = open()
    const members: number[] = []
    for (let i = 0; i < size; i++) members.push(group.add(`${i}`))
    wheel.advance(2)
    for (let i = 0; i < size; i += 3) group.touch(members[i]!)
    attempt(() => wheel.advance(10))
    for (let i = 0; i < 30; i++) wheel.advance(1)
    return { wheel, ran, group }
  }

  it.each([3, MANY])('runs each of %d members once through an interrupted advance()', (size) => {
    everywhere(
      (attempt) => {
        const { wheel, ran, group } = expireThrough(attempt, size)
        expect(new Set(ran).size).toBe(ran.length)
        // The member whose callback could not begin is over.
        expect(ran.length).toBeGreaterThanOrEqual(size + 1)
        expect([group.size, wheel.pending]).toEqual([0, 0])
      },
      size === MANY ? ONE_IN : 1,
    )
  })

  it('returns all items from stop() of its wheel after an interrupted call', () => {
    everywhere((attempt) => {
      const { wheel, group } = open()
      for (let i = 0; i < 5; i++) group.add(`${i}`)
      let left: ReturnType<typeof wheel.stop> | undefined
      attempt(() => {
        left = wheel.stop()
      })
      left ??= wheel.stop()
      expect(left.map(({ args }) => args[0])).toEqual(['other', 'id', '0', '1', '2', '3', '4'])
      expect([wheel.stop(), group.size, [...group]]).toEqual([[], 0, []])
    })
  })

  it('makes a group with its first member, an empty group or none', () => {
    everywhere((attempt) => {
      const { wheel, ran, note } = open()
      let made: ReturnType<typeof wheel.group<string>> | undefined
      attempt(() => {
        made = wheel.group(note, 10)
        made.add('x')
      })
      made ??= wheel.group(note, 10)
      if (made.size === 0) made.add('x')
      expectRest(wheel, ran, ['other', 'id', 'x'])
    })
  })
})
