/** Idle timeouts of the connections of a server. The sockets are real, and the time is virtual. */
import { EventEmitter, once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import * as net from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { idleTimeout } from 'timeout-wheel/http'
import { manualWheel, onEachBackend, RANGE, TYPE, thrownBy, type WheelOptions } from '../contract/backends.js'
import { turn } from '../contract/clock.js'
import { scaled } from '../scale.js'
import { prints } from './prints.js'

const MS = 1_000

/** Closes what a test has opened. */
const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A client whose text is kept, so that a test can wait for a part of it. */
class Client {
  text = ''
  readonly socket: net.Socket
  readonly closed: Promise<unknown>
  constructor(socket: net.Socket) {
    closers.push(() => socket.destroy())
    this.socket = socket
    this.closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {})
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.text += text
    })
  }
  /** Sends a text, waits for a part of the answer, and forgets the rest. */
  async request(text = GET, part = 'hello'): Promise<void> {
    this.socket.write(text)
    while (!this.text.includes(part)) await once(this.socket, 'data')
    this.text = ''
  }
}

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const UPGRADE = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n'
const UPGRADED = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n'

/** A server without timers of its own. */
const TIMELESS = { keepAliveTimeout: 0 }
const answer = (_request: unknown, response: ServerResponse) => response.end('hello')
const answering = () => createServer(TIMELESS, answer)

const portOf = (server: net.Server): number => (server.address() as net.AddressInfo).port

const PSK = Buffer.alloc(16, 7)
const SECURE = { ...TIMELESS, ciphers: 'PSK', maxVersion: 'TLSv1.2', pskCallback: () => PSK }
function openSecurely(server: net.Server): Client {
  const own = { pskCallback: () => ({ psk: PSK, identity: 'a' }), checkServerIdentity: () => undefined }
  return new Client(connectSecurely({ ...SECURE, ...own, port: portOf(server), host: '127.0.0.1' } as never))
}

/** Listens on a free port, and destroys all sockets at the end. */
async function listen(server: net.Server): Promise<() => Client> {
  server.on('connection', (socket: net.Socket) => closers.push(() => socket.destroy()))
  closers.push(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return () => new Client(net.connect(portOf(server), '127.0.0.1'))
}

onEachBackend((backend) => {
  /** A server whose idle timeouts run in virtual time. */
  async function serve(server: Server = answering(), options: WheelOptions = {}) {
    const wheel = manualWheel(backend, options)
    const idle = idleTimeout(server, MS, { wheel })
    return { server, wheel, idle, open: await listen(server) }
  }

  describe('idleTimeout of a server', () => {
    it.each([
      ['http', 0],
      ['http', 4],
      ['https', 2],
    ])(
      'closes a connection of %s that is idle from its start or the last of %d answers',
      async (kind, requests) => {
        const isSecure = kind === 'https'
        const made = isSecure ? createSecureServer(SECURE as never, answer) : answering()
        const { server, wheel, idle, open } = await serve(made)
        const plain = open()
        await once(server, 'connection')
        // A connection of `node:https` starts after its handshake, which this client does not begin.
        if (isSecure) expect(idle.size).toBe(0)
        const client = isSecure ? openSecurely(server) : plain
        if (isSecure) await client.request()
        for (let i = 0; i <= requests; i++) {
          if (i > 0) await client.request()
          wheel.advance(MS - 1)
          expect(idle.size).toBe(1)
        }
        wheel.advance(1)
        await client.closed
        expect([idle.size, plain.socket.closed]).toEqual([0, !isSecure])
      },
    )

    it('does not count the time of a request, nor of those that the client sends before the answer', async () => {
      const { server, open, wheel, idle } = await serve(createServer(TIMELESS))
      const responses: ServerResponse[] = []
      server.on('request', (_request, response) => responses.push(response))
      const client = open()
      client.socket.write(GET + GET)
      while (responses.length < 2) await turn()
      for (const response of responses) {
        wheel.advance(3 * MS)
        expect([idle.size, wheel.pending]).toEqual([0, 0])
        response.end('hello')
        await client.request('')
      }
      wheel.advance(MS - 1)
      expect(idle.size).toBe(1)
      wheel.advance(1)
      await client.closed
    })

    it("leaves the connection open if the server listens to 'timeout', and starts anew after its next request", async () => {
      const { server, open, wheel, idle } = await serve()
      const timeouts: unknown[] = []
      server.on('timeout', (socket: net.Socket) => timeouts.push(socket.remotePort))
      const client = open()
      await client.request()
      wheel.advance(3 * MS)
      expect([timeouts, idle.size]).toEqual([[client.socket.localPort], 0])
      await client.request()
      expect([idle.size, client.socket.closed]).toEqual([1, false])
      wheel.advance(MS)
      expect(timeouts).toHaveLength(2)
    })

    it("emits 'timeout' once on an upgraded connection, which stays open", async () => {
      const { open, server, wheel, idle } = await serve(createServer())
      let timeouts = 0
      server.on('upgrade', (_request, socket) => {
        socket.on('timeout', () => timeouts++).write(UPGRADED)
        socket.pipe(socket)
      })
      const client = open()
      await client.request(UPGRADE, '101')
      for (let i = 0; i < 3; i++) wheel.advance(MS)
      await client.request('still here', 'still here')
      expect([timeouts, idle.size, wheel.pending]).toEqual([1, 0, 0])
    })

    it('changes nothing any more after close(), and leaves nothing behind', async () => {
      const { open, server, wheel, idle } = await serve()
      const count = () => ['connection', 'request'].map((event) => server.listenerCount(event))
      const [connection, request] = count()
      const client = open()
      await once(server, 'connection')
      idle.close()
      idle[Symbol.dispose]()
      expect(count()).toEqual([connection! - 1, request! - 1])
      expect(wheel.pending).toBe(0)
      wheel.advance(3 * MS)
      for (const one of [client, open()]) await one.request()
      expect(idle.size).toBe(0)
    })

    it('refuses a connection if the wheel takes no more timers, and forgets one that its client closes', async () => {
      const { open, server, idle } = await serve(answering(), { maxPending: 1 })
      const refused = once(server, 'clientError')
      const first = open()
      const [socket] = await once(server, 'connection')
      await first.request()
      const second = open()
      expect((await refused)[0]).toMatchObject({ code: 'ERR_WHEEL_LIMIT' })
      await second.closed
      expect([idle.size, first.socket.closed]).toEqual([1, false])
      first.socket.destroy()
      await once(socket, 'close')
      expect(idle.size).toBe(0)
    })

    it('leaves no member behind in many connections', () => {
      const wheel = manualWheel(backend)
      const server = Object.assign(new EventEmitter(), { keepAliveTimeout: 0 })
      const idle = idleTimeout(server, MS, { wheel })
      for (let i = 0; i < scaled(30_000, 1_000_000); i++) {
        const socket = Object.assign(new EventEmitter(), { destroyed: false })
        const response = new EventEmitter()
        server.emit('connection', socket)
        if (i % 3 > 0) server.emit('request', { socket }, response)
        if (i % 1_000 === 0) wheel.advance(MS)
        if (i % 3 === 1) response.emit('close')
        socket.destroyed = true
        socket.emit('close')
        if (i % 3 === 2) response.emit('close')
      }
      expect([idle.size, wheel.pending]).toEqual([0, 0])
    })
  })
})

describe('idleTimeout', () => {
  const server = new EventEmitter()
  const SERVER = 'server must be a server of node:http or node:https'
  const NUMBER = 'ms must be a number of milliseconds'
  const MAX = Number.MAX_SAFE_INTEGER
  it.each<[args: unknown[], code: string, message: string]>([
    [[undefined, MS], TYPE, `${SERVER}, got undefined`],
    [[{ on: () => {} }, MS], TYPE, `${SERVER}, got an object`],
    [[server, MS, null], TYPE, 'options must be an object, got null'],
    [[server, MS, { wheels: 1 }], 'ERR_INVALID_ARG_VALUE', 'unknown option "wheels", known: wheel'],
    [[server, MS, { wheel: 1 }], TYPE, 'wheel must be a TimerWheel, got 1'],
    [[server, undefined], TYPE, `${NUMBER}, got undefined`],
    [[server, Number.NaN], RANGE, `${NUMBER} above 0, at most ${MAX}, got NaN`],
    [[server, MAX + 1], RANGE, `${NUMBER} above 0, at most ${MAX}, got 9007199254740992`],
  ])('refuses the arguments %p', (args, code, message) => {
    const error = { name: code === RANGE ? 'RangeError' : 'TypeError', code, message }
    expect(thrownBy(() => idleTimeout(...(args as [never, never, never])))).toMatchObject(error)
    expect(server.eventNames()).toEqual([])
  })

  prints(`
    # uses the shared wheel by default, and does not keep the process alive -> 1 | 1 | true
    import { once } from 'node:events'
    import { createServer } from 'node:http'
    import { connect } from 'node:net'
    import { idleTimeout } from 'timeout-wheel/http'
    for (const ms of [20, 60_000]) {
      const server = createServer().listen(0).unref()
      const idle = idleTimeout(server, ms)
      const start = performance.now()
      const client = connect(server.address().port).resume()
      const [socket] = await once(server, 'connection')
      console.log(idle.size)
      for (const end of ms === 20 ? [] : [socket, client]) end.unref()
      client.on('close', () => console.log(performance.now() - start >= ms))
    }`)
})
