/**
 * Idle timeouts of the connections of a server. The sockets are real, and the time is virtual: a stall of the machine changes
 * nothing.
 */

import { EventEmitter, once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type Server as NetServer,
  Socket,
} from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectSecurely } from 'node:tls'
import { afterEach, describe, expect, it } from '@jest/globals'
import { type IdleTimeout, idleTimeout } from 'timeout-wheel/http'
import { manualWheel, onEachBackend, thrownBy, type Wheel } from '../contract/backends.js'
import { scaled } from '../scale.js'
import { CLEAN } from './backends.js'
import { run } from './child.js'

const MS = 1_000
const HALF = MS / 2

/** Closes what a test has opened. */
const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** Listens on a free port, and destroys all sockets at the end. */
async function listen<S extends NetServer>(server: S): Promise<{ port: number; server: S }> {
  server.on('connection', (socket: Socket) => closers.push(() => socket.destroy()))
  closers.push(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, server }
}

/** A client whose text is kept, so that a test can wait for a part of it. */
function open(port: number, socket: Socket = connect(port, '127.0.0.1')): Client {
  closers.push(() => socket.destroy())
  return new Client(socket)
}

class Client {
  text = ''
  readonly socket: Socket
  readonly closed: Promise<unknown>
  constructor(socket: Socket) {
    this.socket = socket
    this.closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {})
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.text += text
    })
  }
  get isOpen(): boolean {
    return !this.socket.closed
  }
  /** Sends a request, and waits for its answer. */
  async request(): Promise<void> {
    this.socket.write(GET)
    await this.receive('hello')
  }
  /** Waits for the part, and forgets the text. */
  async receive(part: string): Promise<void> {
    while (!this.text.includes(part)) await once(this.socket, 'data')
    this.text = ''
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const UPGRADE = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n'
const UPGRADED = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n'

onEachBackend((backend) => {
  describe('idleTimeout of a server of node:http', () => {
    /** A server without timers of its own, whose idle timeouts run in virtual time. */
    async function serve(server = createServer((_request, response) => response.end('hello'))): Promise<{
      port: number
      server: Server
      wheel: Wheel
      idle: IdleTimeout
    }> {
      server.keepAliveTimeout = 0
      const wheel = manualWheel(backend)
      const idle = idleTimeout(server, MS, { wheel })
      return { ...(await listen(server)), wheel, idle }
    }

    it('closes a connection without traffic after the time, and not before', async () => {
      const { port, server, wheel, idle } = await serve()
      const client = open(port)
      await once(server, 'connection')
      wheel.advance(MS - 1)
      expect(idle.size).toBe(1)
      wheel.advance(1)
      await client.closed
      expect(idle.size).toBe(0)
    })

    it('starts anew with each request on the connection', async () => {
      const { port, wheel, idle } = await serve()
      const client = open(port)
      for (let i = 0; i < 4; i++) {
        await client.request()
        wheel.advance(MS - 1)
        expect(idle.size).toBe(1)
      }
      wheel.advance(1)
      await client.closed
    })

    it('starts anew with each part of a body that is received', async () => {
      const parts = new EventEmitter()
      const { port, server, wheel, idle } = await serve(
        createServer((message) => message.on('data', (part: Buffer) => parts.emit('part', part.length))),
      )
      const client = open(port)
      client.socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n')
      await once(server, 'request')
      for (let i = 0; i < 4; i++) {
        wheel.advance(HALF + 1)
        const received = once(parts, 'part')
        client.socket.write('part')
        expect(await received).toEqual([4])
        // Node restarts timeouts after the events of what it has read.
        await nextTurn()
      }
      expect(idle.size).toBe(1)
      wheel.advance(MS)
      await client.closed
    })

    it('starts anew with each part of a body that is sent', async () => {
      const { port, server, wheel, idle } = await serve(createServer())
      const client = open(port)
      client.socket.write(GET)
      const [, response] = await once(server, 'request')
      for (let i = 0; i < 4; i++) {
        response.write(`part ${i}`)
        await client.receive(`part ${i}`)
        wheel.advance(HALF + 1)
      }
      expect(idle.size).toBe(1)
      wheel.advance(MS)
      await client.closed
    })

    it('lets a long write go on while it makes progress', async () => {
      const { port, server, wheel } = await serve(createServer())
      const client = open(port)
      client.socket.write(GET)
      const [, response] = await once(server, 'request')
      response.write(Buffer.alloc(50_000_000))
      await once(client.socket, 'data')
      client.socket.pause()
      const { socket } = response
      // The client has received some of it since the write.
      wheel.advance(MS)
      expect(socket.destroyed).toBe(false)
      // What the systems buffer can still move for a while.
      while (!socket.destroyed) {
        await nextTurn()
        wheel.advance(MS)
      }
    })

    it.each(['request', 'response', 'server'] as const)(
      "leaves the connection open if the %s listens to 'timeout', and starts anew with its next traffic",
      async (listening) => {
        const { port, server, wheel, idle } = await serve(createServer())
        const client = open(port)
        // The request never ends: a request that has ended does not emit 'timeout'.
        client.socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n')
        const [message, response] = await once(server, 'request')
        await nextTurn()
        const emitter: EventEmitter = { request: message, response, server }[listening]
        let timeouts = 0
        emitter.on('timeout', (socket: Socket) => {
          expect(socket).toBe(message.socket)
          timeouts++
        })
        wheel.advance(2 * MS)
        expect({ timeouts, size: idle.size }).toEqual({ timeouts: 1, size: 0 })
        response.write('part')
        await client.receive('part')
        expect({ size: idle.size, open: client.isOpen }).toEqual({ size: 1, open: true })
        wheel.advance(MS)
        expect(timeouts).toBe(2)
      },
    )

    it('forgets a connection that is closed, whoever closes it', async () => {
      const { port, server, idle, wheel } = await serve()
      const [first, second, third] = [open(port), open(port), open(port)]
      for (const client of [first, second, third]) {
        await client.request()
      }
      expect(idle.size).toBe(3)
      const sockets: Socket[] = []
      server.on('request', ({ socket }) => sockets.push(socket))
      await second.request()
      sockets[0]!.destroy()
      await second.closed
      expect(idle.size).toBe(2)
      first.socket.destroy()
      third.socket.end()
      while (idle.size > 0) await nextTurn()
      expect(wheel.pending).toBe(0)
    })

    it('leaves connections alone that were upgraded', async () => {
      const { port, server, wheel, idle } = await serve(createServer())
      server.on('upgrade', (_request, socket) => {
        socket.write(UPGRADED)
        socket.pipe(socket)
      })
      const client = open(port)
      client.socket.write(UPGRADE)
      await client.receive('101')
      wheel.advance(3 * MS)
      client.socket.write('still here')
      await client.receive('still here')
      expect({ size: idle.size, pending: wheel.pending }).toEqual({ size: 0, pending: 0 })
    })

    it("closes an upgraded connection whose program listens to 'timeout' of the socket", async () => {
      const { port, server, wheel } = await serve(createServer())
      server.on('upgrade', (_request, socket) => {
        socket.on('timeout', () => socket.destroy())
        socket.write(UPGRADED)
      })
      const client = open(port)
      client.socket.write(UPGRADE)
      await client.receive('101')
      wheel.advance(MS)
      await client.closed
    })

    it("leaves Node's own timeouts as they are", async () => {
      const { port, server, wheel, idle } = await serve()
      server.keepAliveTimeout = 1
      const client = open(port)
      await client.request()
      await client.closed
      while (idle.size > 0) await nextTurn()
      expect(wheel.pending).toBe(0)
    })

    it('applies a new delay to all connections, from their last traffic', async () => {
      const { port, server, wheel, idle } = await serve()
      const client = open(port)
      await once(server, 'connection')
      wheel.advance(HALF)
      expect(idle.delay).toBe(MS)
      idle.delay = HALF + 100
      expect(idle.delay).toBe(HALF + 100)
      wheel.advance(99)
      expect(idle.size).toBe(1)
      wheel.advance(1)
      await client.closed
    })

    it('changes nothing any more after close(), and leaves nothing behind', async () => {
      const server = createServer((_request, response) => response.end('hello'))
      const traces = (): unknown => server.rawListeners('connection').slice()
      const before = traces()
      const { port, wheel, idle } = await serve(server)
      const own = server.rawListeners('connection').length
      const client = open(port)
      const [socket] = await once(server, 'connection')
      idle.close()
      idle[Symbol.dispose]()
      expect(server.rawListeners('connection').length).toBe(own - 1)
      expect(traces()).toEqual(expect.arrayContaining(before as unknown[]))
      expect(socket._unrefTimer).toBe(Socket.prototype['_unrefTimer' as never])
      expect(socket.listeners('close').map(String)).not.toContainEqual(expect.stringContaining('watched'))
      expect({ size: idle.size, pending: wheel.pending }).toEqual({ size: 0, pending: 0 })
      wheel.advance(3 * MS)
      await client.request()
      expect(idle.size).toBe(0)
      const later = open(port)
      await later.request()
      expect(idle.size).toBe(0)
    })

    it('can watch a server twice: the shorter time counts, and each is closed by itself', async () => {
      const { port, server, wheel, idle } = await serve()
      const short = idleTimeout(server, HALF, { wheel })
      const client = open(port)
      await client.request()
      expect([idle.size, short.size]).toEqual([1, 1])
      // The first of two that have replaced a method of the socket.
      idle.close()
      wheel.advance(HALF - 1)
      await client.request()
      wheel.advance(HALF - 1)
      expect([idle.size, short.size]).toEqual([0, 1])
      wheel.advance(1)
      await client.closed
    })

    it('keeps the connections of many servers apart', async () => {
      const servers = await Promise.all(Array.from({ length: 20 }, () => serve()))
      const clients = servers.map(({ port }) => open(port))
      await Promise.all(clients.map((client) => client.request()))
      expect(servers.map(({ idle }) => idle.size)).toEqual(servers.map(() => 1))
      servers[7]!.wheel.advance(MS)
      await clients[7]!.closed
      expect(servers.map(({ idle }) => idle.size)).toEqual(servers.map((_, i) => (i === 7 ? 0 : 1)))
    })

    it('runs the other timeouts if a listener throws', async () => {
      const { port, server, wheel } = await serve()
      const [first, second] = [open(port), open(port)]
      for (const client of [first, second]) {
        await client.request()
      }
      let timeouts = 0
      server.on('timeout', () => {
        timeouts++
        throw new Error('of a listener')
      })
      expect(() => wheel.advance(MS)).toThrow('of a listener')
      expect(() => wheel.advance(0)).toThrow('of a listener')
      expect(timeouts).toBe(2)
    })

    it('serves without timeouts after its wheel was stopped', async () => {
      const { port, wheel, idle } = await serve()
      const before = open(port)
      await before.request()
      wheel.stop()
      for (const client of [before, open(port)]) {
        await client.request()
      }
      expect(idle.size).toBe(0)
      idle.close()
    })

    it('refuses a connection if the wheel takes no more timers', async () => {
      const server = createServer((_request, response) => response.end('hello'))
      const wheel = manualWheel(backend, { maxPending: 1 })
      const idle = idleTimeout(server, MS, { wheel })
      const { port } = await listen(server)
      const refused = once(server, 'clientError')
      const first = open(port)
      await first.request()
      const second = open(port)
      expect((await refused)[0]).toMatchObject({ code: 'ERR_WHEEL_LIMIT' })
      await second.closed
      expect({ size: idle.size, open: first.isOpen }).toEqual({ size: 1, open: true })
    })
  })

  it('leaves no member and no method behind in many connections', () => {
    const wheel = manualWheel(backend)
    const server = new EventEmitter()
    const idle = idleTimeout(server, MS, { wheel })
    const socket = Object.assign(new EventEmitter(), { _unrefTimer: () => {}, _onTimeout: () => {} })
    const { _unrefTimer } = socket
    for (let i = 0; i < scaled(30_000, 1_000_000); i++) {
      server.emit('connection', socket)
      if (i % 3 === 0) socket._unrefTimer()
      if (i % 1_000 === 0) wheel.advance(MS)
      socket.emit('close')
    }
    expect(idle.size).toBe(0)
    expect(wheel.pending).toBe(0)
    expect(socket.listenerCount('close')).toBe(0)
    expect(socket._unrefTimer).toBe(_unrefTimer)
  })

  it('leaves streams alone that are no sockets', () => {
    const wheel = manualWheel(backend)
    const server = new EventEmitter()
    const idle = idleTimeout(server, MS, { wheel })
    server.emit('connection', new Duplex())
    expect(idle.size).toBe(0)
  })

  it("emits 'timeout' at the sockets of a server of node:net", async () => {
    const { port, server } = await listen(createNetServer((socket) => socket.pipe(socket)))
    const wheel = manualWheel(backend)
    const idle = idleTimeout(server, MS, { wheel })
    server.on('connection', (socket) => socket.on('timeout', () => socket.end('bye')))
    const client = open(port)
    client.socket.write('hello')
    await client.receive('hello')
    wheel.advance(MS - 1)
    client.socket.write('hello')
    await client.receive('hello')
    wheel.advance(MS - 1)
    expect(idle.size).toBe(1)
    wheel.advance(1)
    await client.receive('bye')
  })

  it('times connections of a server of node:https after their handshake', async () => {
    const secret = {
      ciphers: 'PSK',
      maxVersion: 'TLSv1.2',
      pskCallback: () => ({ psk: Buffer.alloc(16, 7), identity: 'a' }),
    } as const
    const server = createSecureServer(
      { ...secret, pskCallback: () => Buffer.alloc(16, 7) } as never,
      (_request, response) => response.end('hello'),
    )
    server.keepAliveTimeout = 0
    const { port } = await listen(server)
    const wheel = manualWheel(backend)
    const idle = idleTimeout(server, MS, { wheel })
    const silent = open(port)
    await once(server, 'connection')
    expect(idle.size).toBe(0)
    const socket = connectSecurely({
      ...{ port, host: '127.0.0.1', checkServerIdentity: () => undefined },
      ...(secret as object),
    })
    const client = open(port, socket)
    for (let i = 0; i < 3; i++) {
      await client.request()
      wheel.advance(MS - 1)
      expect(idle.size).toBe(1)
    }
    wheel.advance(1)
    await client.closed
    expect(silent.isOpen).toBe(true)
  })
})

describe('idleTimeout', () => {
  it('uses the shared wheel by default, and is never early', async () => {
    const { port, server } = await listen(createServer())
    const idle = idleTimeout(server, 20)
    const connected = once(server, 'connection')
    const start = performance.now()
    const client = open(port)
    await connected
    expect(idle.size).toBe(1)
    await client.closed
    expect(performance.now() - start).toBeGreaterThanOrEqual(20)
  })

  it.each([
    ['server', undefined, undefined],
    ['server', 5, 5],
    ['server', {}, 'an object'],
    ['server', { on: () => {} }, 'an object'],
  ])('refuses a %s that is none: %p', (_name, server, shown) => {
    expect(thrownBy(() => idleTimeout(server as never, MS))).toMatchObject({
      name: 'TypeError',
      code: 'ERR_INVALID_ARG_TYPE',
      message: `server must be a server of node:http, node:https, node:net or node:tls, got ${shown}`,
    })
  })

  const TIMES = 'ms must be a number of milliseconds above 0, at most 9007199254740991, got'
  const badTimes: [unknown, string, string, string][] = [
    [undefined, 'TypeError', 'ERR_INVALID_ARG_TYPE', 'ms must be a number of milliseconds, got undefined'],
    ['5', 'TypeError', 'ERR_INVALID_ARG_TYPE', 'ms must be a number of milliseconds, got "5"'],
    [5n, 'TypeError', 'ERR_INVALID_ARG_TYPE', 'ms must be a number of milliseconds, got 5n'],
    ...[0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53].map((ms): [unknown, string, string, string] => [
      ms,
      'RangeError',
      'ERR_OUT_OF_RANGE',
      `${TIMES} ${ms}`,
    ]),
  ]
  it.each(badTimes)('refuses a time that is none: %p', (ms, name, code, message) => {
    const server = new EventEmitter()
    expect(thrownBy(() => idleTimeout(server, ms as never))).toMatchObject({ name, code, message })
    expect(server.eventNames()).toEqual([])
    const idle = idleTimeout(server, MS)
    expect(
      thrownBy(() => {
        idle.delay = ms as never
      }),
    ).toMatchObject({ name, code, message })
    expect(idle.delay).toBe(MS)
  })

  it.each<[unknown, object]>([
    [null, { name: 'TypeError', message: 'options must be an object, got null' }],
    [[], { name: 'TypeError', message: 'options must be an object, got an array' }],
    [
      { wheels: 1 },
      { code: 'ERR_INVALID_ARG_VALUE', message: 'every option must be one of wheel, got "wheels"' },
    ],
    [{ wheel: 1 }, { code: 'ERR_INVALID_ARG_TYPE', message: 'wheel must be a TimerWheel, got 1' }],
    [{ wheel: null }, { code: 'ERR_INVALID_ARG_TYPE', message: 'wheel must be a TimerWheel, got null' }],
  ])('refuses options that are none: %p', (options, expected) => {
    const server = new EventEmitter()
    expect(thrownBy(() => idleTimeout(server, MS, options as never))).toMatchObject(expected)
    expect(server.eventNames()).toEqual([])
  })

  it('throws what an accessor of the options throws, and changes nothing', () => {
    const server = new EventEmitter()
    const thrown = new Error('of an accessor')
    const options = {
      get wheel(): never {
        throw thrown
      },
    }
    expect(thrownBy(() => idleTimeout(server, MS, options))).toBe(thrown)
    expect(server.eventNames()).toEqual([])
  })

  it('does not keep the process alive', async () => {
    const outcome = await run(`
      import { createServer, connect } from 'node:net'
      import { idleTimeout } from 'timeout-wheel/http'
      const server = createServer((socket) => socket.unref())
      const idle = idleTimeout(server, 60_000)
      await new Promise((resolve) => server.listen(0, resolve))
      const client = connect(server.address().port)
      server.on('connection', () => {
        console.log(idle.size)
        server.unref()
        client.unref()
      })
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['1'] })
  })

  it.each(['import', 'require'])('is a function of an entry without a default export: %s', async (how) => {
    const load = { import: "await import('timeout-wheel/http')", require: "require('timeout-wheel/http')" }
    const outcome = await run(`
      import { createRequire } from 'node:module'
      const require = createRequire(process.cwd() + '/')
      console.log(Object.keys(${load[how as 'import']}).join())
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['idleTimeout'] })
  })

  it('takes options that are frozen', () => {
    expect(idleTimeout(new EventEmitter(), MS, Object.freeze({ wheel: undefined })).delay).toBe(MS)
  })
})
