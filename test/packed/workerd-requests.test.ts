/** On workerd, the functions that requests share set timers that belong to the request of the caller, as those of the host do. */
import { setTimeout as later } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { useProject } from './installed.js'
import { WorkerdServer } from './workerd-server.js'

const REQUESTS = 200
const WAITS = (
  'setTimeout setInterval promises.setTimeout promises.setInterval scheduler.wait scheduler.yield withTimeout ' +
  'timeoutSignal timerGroup wheel'
).split(' ')
const ACTOR = `durableObjectNamespaces = [(className = "Actor", uniqueKey = "actor")],
  durableObjectStorage = (inMemory = void),
  bindings = [(name = "ACTOR", durableObjectNamespace = "Actor")],`

const project = useProject()

describe.each([
  ['2026-11-01', ''],
  // Timers of the host are numbers, and there are no FinalizationRegistry and no MessageChannel.
  ['2024-01-01', 'compatibilityFlags = ["nodejs_als"],'],
])('workerd as of %s', (date, flags) => {
  let server: WorkerdServer
  beforeAll(async () => {
    server = await WorkerdServer.start(project, 'requests.mjs', date, `${flags}\n  ${ACTOR}`)
  })
  afterAll(() => server?.close())

  /** Runs requests that overlap, each a while after the one before. */
  function overlapping(...paths: string[]): Promise<unknown[]> {
    return Promise.all(paths.map((path, i) => later(40 * i).then(() => server.ask(path))))
  }

  it.each(WAITS)(
    `answers each of ${REQUESTS} requests that wait with %s at a time, in its own context, and none early`,
    async (kind) => {
      const names = Array.from({ length: REQUESTS }, (_, i) => `${i}`)
      // An even number up to 50, because intervals run twice.
      const msOf = (name: string): number => 2 * (1 + (Number(name) % 25))
      const ask = (name: string) =>
        server.ask(`wait?kind=${kind}&name=${name}&ms=${msOf(name)}`, `body of ${name}`)
      const expected = names.map((name) => ({ text: `body of ${name}`, store: name, isEarly: false }))
      expect(await Promise.all(names.map(ask))).toEqual(expected)
    },
  )

  // workerd-contract.test.ts has the properties of handles and wheels, test/page/workerd those of timers and maps on a simulated host.
  const BEFORE = 'set before the first request'
  it.each([
    [
      'starts the ttl of entries that were set before the first request with that request',
      'early',
      [BEFORE, BEFORE, expect.stringMatching(/global scope/)],
    ],
    ['runs timers in the order of their deadlines, then in the order of their calls', 'order', [...'dbca']],
    [
      'passes on the error of the host for timers beyond 10,000, which a wheel has room for',
      'tooMany',
      { set: 10_000, error: expect.stringMatching(/Error/), ran: { shared: 9_999, wheel: 20_000 } },
    ],
    ['counts the timers of all requests', 'stats', { pending: 0, fired: 1, bytes: 0 }],
    ['checks the options of configure(), on WebAssembly', 'configure', ['wasm', 'ERR_OUT_OF_RANGE']],
  ])('%s', async (_, path, answer) => {
    expect(await server.ask(path)).toEqual(answer)
  })

  it('clears the timer of another request, and moves a timer to the request that refreshes it', async () => {
    const [ran] = await overlapping('hold', 'meddle')
    const expected = ['kept in holder', 'member in meddler', 'refreshed in meddler']
    expect((ran as string[]).sort()).toEqual(expected)
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
  if (date >= '2024-10-14') {
    it('settles withTimeout by a promise for which a request had waited that has ended', async () => {
      expect(await overlapping('giveUp', 'join', 'settle')).toEqual(['TimeoutError', 'settled', null])
    })
  }

  it('ends entries of requests that have ended, and calls onExpire in the next request that uses the map', async () => {
    await server.ask('put')
    expect(await server.ask('look')).toEqual([true, true, []])
    await later(1_100)
    expect(await server.ask('look')).toEqual([false, false, [['k', 1]]])
  })

  it('runs timers, maps and wheels in a Durable Object, whose requests share them', async () => {
    expect(await server.ask('actor?path=set')).toBe('set')
    expect(await server.ask('actor?path=ask')).toEqual(['timer', 'session', 'wheel'])
  })

  it.each([
    ['onExpire of a map, and calls it for the other entries', 'map'],
    ['callbacks of a wheel, and runs the others', 'wheel'],
  ])('reports errors of %s', async (_, what) => {
    expect(await server.ask(`throwing?what=${what}`)).toEqual([0, 1, 2])
    for (const n of [0, 1, 2]) await server.logged(`thrown by ${what} ${n}`)
  })
})
