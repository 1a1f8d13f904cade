/** On workerd, the functions that requests share set timers that belong to the request of the caller, as those of the host do. */
import { setTimeout as later } from 'node:timers/promises'
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

/** The behaviour of workerd at a date, and more of its configuration. */
const HOSTS = [
  ['2026-11-01', ''],
  // Timers of the host are numbers, and there is no MessageChannel.
  ['2024-01-01', 'compatibilityFlags = ["nodejs_als"],'],
] as const
let servers: [date: string, server: WorkerdServer][]
beforeAll(async () => {
  const start = ([date, flags]: (typeof HOSTS)[number]) =>
    WorkerdServer.start(project, 'requests.mjs', date, `${flags}\n  ${ACTOR}`)
  servers = await Promise.all(HOSTS.map(async (host) => [host[0], await start(host)]))
})
afterAll(() => Promise.all((servers ?? []).map(([, server]) => server.close())))

/** Declares a test that runs on both at the same time. */
function onEach(title: string, body: (server: WorkerdServer, date: string) => Promise<unknown>): void {
  it(title, () =>
    Promise.all(
      servers.map(([date, server]) =>
        body(server, date).catch((error) => {
          error.message = `workerd as of ${date}: ${error.message}`
          throw error
        }),
      ),
    ),
  )
}

/** Runs requests that overlap, each a while after the one before. */
function overlapping(server: WorkerdServer, ...paths: string[]): Promise<unknown[]> {
  return Promise.all(paths.map((path, i) => later(40 * i).then(() => server.ask(path))))
}

onEach(
  `answers each of ${REQUESTS} requests that wait in all ways at a time, in its own context, and none early`,
  async (server) => {
    const names = Array.from({ length: REQUESTS }, (_, i) => `${i}`)
    const ask = (name: string) => {
      const kind = WAITS[Number(name) % WAITS.length]
      // An even number up to 50, because intervals run twice.
      const ms = 2 * (1 + (Number(name) % 25))
      return server.ask(`wait?kind=${kind}&name=${name}&ms=${ms}`, `body of ${name}`)
    }
    const expected = names.map((name) => ({ text: `body of ${name}`, store: name, isEarly: false }))
    expect(await Promise.all(names.map(ask))).toEqual(expected)
  },
)

// workerd-contract.test.ts has the properties of handles and wheels, test/page/workerd those of timers and maps on a simulated host.
onEach('throws the error of the host for a timer that is set outside of a request', async (server) => {
  expect(await server.ask('outside')).toMatch(/global scope/)
})

onEach(
  'passes on the error of the host for timers beyond 10,000, which a wheel has room for',
  async (server) => {
    const error = expect.stringMatching(/Error/)
    const ran = { shared: 9_999, wheel: 20_000 }
    expect(await server.ask('tooMany')).toEqual({ set: 10_000, error, ran })
  },
)

onEach('takes delays that are longer than 2^31 ms as a whole', async (server) => {
  expect(await server.ask('long')).toEqual([])
})

onEach(
  'clears the timer of another request, and moves a timer to the request that refreshes it',
  async (server) => {
    const [ran] = await overlapping(server, 'hold', 'meddle')
    const expected = ['kept in holder', 'member in meddler', 'refreshed in meddler']
    expect((ran as string[]).sort()).toEqual(expected)
  },
)

onEach(
  'settles withTimeout by a promise for which a request had waited that has ended',
  async (server, date) => {
    // Before that date, a promise that one request settles goes on in that request, for whichever request it is.
    if (date >= '2024-10-14')
      expect(await overlapping(server, 'giveUp', 'join', 'settle')).toEqual(['TimeoutError', 'settled', null])
  },
)

onEach(
  'ends entries of requests that have ended, and calls onExpire in the next request that uses the map',
  async (server) => {
    await server.ask('put')
    expect(await server.ask('look')).toEqual([true, true, []])
    await later(1_100)
    expect(await server.ask('look')).toEqual([false, false, [['k', 1]]])
  },
)

onEach('shares a map between two requests that overlap, and calls onExpire once', async (server) => {
  const [first, second] = await overlapping(server, 'share?name=first', 'share?name=second')
  const expected = [['first', 'first'], [null, null], [['shared', 'first']]]
  expect([first, second]).toEqual([expected, expected])
})

onEach('runs timers, maps and wheels in a Durable Object, whose requests share them', async (server) => {
  expect(await server.ask('actor?path=set')).toBe('set')
  expect(await server.ask('actor?path=ask')).toEqual(['timer', 'wheel', 'held', 'session', false])
})

for (const [title, what] of [
  ['onExpire of a map, and calls it for the other entries', 'map'],
  ['callbacks of a wheel, and runs the others', 'wheel'],
]) {
  onEach(`reports errors of ${title}`, async (server) => {
    expect(await server.ask(`throwing?what=${what}`)).toEqual([0, 1, 2])
    for (const n of [0, 1, 2]) await server.logged(`thrown by ${what} ${n}`)
  })
}
