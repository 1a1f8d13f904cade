/** On workerd, the functions that requests share set timers that belong to the request of the caller, as those of the host do. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Project, packAndInstall } from './installed.js'
import { WorkerdServer } from './workerd-server.js'

const REQUESTS = 200
const WAITS = [
  'setTimeout',
  'setInterval',
  'promises.setTimeout',
  'promises.setInterval',
  'scheduler.wait',
  'scheduler.yield',
  'withTimeout',
  'timeoutSignal',
  'timerGroup',
]
const ACTOR = `durableObjectNamespaces = [(className = "Actor", uniqueKey = "actor")],
  durableObjectStorage = (inMemory = void),
  bindings = [(name = "ACTOR", durableObjectNamespace = "Actor")],`

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

let project: Project
beforeAll(async () => {
  project = await packAndInstall()
})
afterAll(() => project?.remove())

it('ends a workerd that never reports its port', async () => {
  const program = join(project.folder, 'sleeper')
  writeFileSync(program, '#!/bin/sh\necho asleep\nexec sleep 300\n', { mode: 0o755 })
  const settings = { worker: 'requests.mjs', program, patience: 1_000 }
  await expect(WorkerdServer.start(project, settings)).rejects.toThrow(
    'workerd reported no port within 1 s:\nasleep',
  )
})

describe.each([
  ['2026-11-01', ''],
  // Timers of the host are numbers, and there are no FinalizationRegistry and no MessageChannel.
  ['2024-01-01', 'compatibilityFlags = ["nodejs_als"],'],
])('workerd as of %s', (compatibilityDate, flags) => {
  let server: WorkerdServer
  beforeAll(async () => {
    const more = `${flags}\n  ${ACTOR}`
    server = await WorkerdServer.start(project, { worker: 'requests.mjs', compatibilityDate, more })
  })
  afterAll(() => server?.close())

  /** Runs requests that overlap, each a while after the one before. */
  async function overlapping(...paths: string[]): Promise<unknown[]> {
    const answers = paths.map(async (path, i) => {
      await later(40 * i)
      return server.ask(path)
    })
    return Promise.all(answers)
  }

  it('starts the ttl of entries that were set before the first request with that request', async () => {
    const value = 'set before the first request'
    expect(await server.ask('early')).toEqual([value, value, expect.stringMatching(/global scope/)])
  })

  it.each(WAITS)(
    `answers each of ${REQUESTS} requests that wait with %s at a time, in its own context`,
    async (kind) => {
      const names = Array.from({ length: REQUESTS }, (_, i) => `${i}`)
      const answers = names.map((name) => server.ask(`wait?kind=${kind}&name=${name}`, `body of ${name}`))
      expect(await Promise.all(answers)).toEqual(
        names.map((name) => ({ text: `body of ${name}`, store: name, isEarly: false })),
      )
    },
  )

  describe('in one request', () => {
    it('runs timers in the order of their deadlines, then in the order of their calls', async () => {
      expect(await server.ask('order')).toEqual(['d', 'b', 'c', 'a'])
    })

    it('returns handles with all members of those of a page', async () => {
      const { states, ran } = (await server.ask('members')) as { states: unknown[]; ran: string[] }
      expect(states).toEqual([true, false, true, true, true, true, false, false])
      expect(ran.sort()).toEqual(['again', 'again', 'later', 'sooner', 'with,arguments'])
    })

    it('runs none of 1,000 timers early', async () => {
      expect(await server.ask('early-timers')).toEqual({ ran: 1_000, early: 0 })
    })

    it('passes on the error of the host for timers beyond 10,000, which a wheel has room for', async () => {
      expect(await server.ask('tooMany')).toEqual({
        set: 10_000,
        error: expect.stringMatching(/Error/),
        ran: { shared: 9_999, wheel: 20_000 },
      })
    })

    it('counts the timers of all requests', async () => {
      expect(await server.ask('stats')).toEqual({ pending: 0, fired: 1, bytes: 0 })
    })

    it('checks the options of configure()', async () => {
      expect(await server.ask('configure')).toBe('ERR_OUT_OF_RANGE')
    })
  })

  describe('between requests', () => {
    it('clears the timer of another request, and moves a timer to the request that refreshes it', async () => {
      const [ran] = await overlapping('hold', 'meddle')
      expect((ran as string[]).sort()).toEqual([
        'kept in holder',
        'member in meddler',
        'refreshed in meddler',
      ])
    })

    it('lets timers end with their request, after which another can set them again', async () => {
      expect(await server.ask('leave')).toBe(true)
      expect(await server.ask('revive')).toEqual({ left: [], revived: ['late'] })
    })

    it('runs timers after the response, if the request waits for them with waitUntil', async () => {
      expect(await server.ask('respondFirst')).toBeNull()
      expect(await server.ask('askLater')).toEqual(['promise', 'callback'])
    })

    // Before that date, a promise that one request settles goes on in that request, for whichever request it is.
    if (compatibilityDate >= '2024-10-14') {
      it('settles withTimeout by a promise for which a request had waited that has ended', async () => {
        const [ended, joined] = await overlapping('giveUp', 'join', 'settle')
        expect([ended, joined]).toEqual(['TimeoutError', 'settled'])
      })
    }
  })

  describe('TimeoutMap', () => {
    it('ends entries of requests that have ended, and calls onExpire in the next request that uses the map', async () => {
      await server.ask('put?key=k')
      expect(await server.ask('look?key=k')).toEqual([true, true, []])
      await later(1_100)
      expect(await server.ask('look?key=k')).toEqual([false, false, [['k', 1]]])
    })

    it('calls onExpire on time in the request that has set the entries', async () => {
      expect(await server.ask('watch')).toEqual(['a 20', 'b 40', 'c 60'])
    })

    it('reports errors of onExpire, and calls it for the other entries', async () => {
      expect(await server.ask('throwing')).toEqual(['x', 'y', 'z'])
      for (const key of ['x', 'y', 'z']) await server.logged(`thrown for ${key}`)
    })
  })

  // workerd-contract.test.ts has the other properties of wheels, test/page/workerd those of timers and maps on a simulated host.
  describe('a wheel of a request', () => {
    it('runs on WebAssembly', async () => {
      expect(await server.ask('backend')).toBe('wasm')
    })

    it('reports errors of callbacks, and runs the others', async () => {
      expect(await server.ask('throwingTimers')).toEqual([0, 1, 2])
      for (const n of [0, 1, 2]) await server.logged(`thrown by timer ${n}`)
    })

    it('waits as long as each of several overlapping requests wants', async () => {
      const answers = [120, 40, 80, 40, 10].map((ms) => server.ask(`pause?ms=${ms}`))
      expect(await Promise.all(answers)).toEqual([true, true, true, true, true])
    })
  })

  it('runs timers, maps and wheels in a Durable Object, whose requests share them', async () => {
    expect(await server.ask('actor?path=set')).toBe('set')
    expect(await server.ask('actor?path=ask')).toEqual(['timer', 'session', 'wheel'])
  })
})
