/** Node's own modules keep Node's timers, whenever they load; and what lives by them goes on as before. */
import { expect, it } from '@jest/globals'
import { CLEAN } from '../backends.js'
import { run } from '../child.js'

/** Counts the timers of either kind that are made from here on. Modules are imported after that. */
const COUNT = `
  import { createHook } from 'node:async_hooks'
  const { constructor: Native } = setTimeout(() => {}, 0)
  const made = { native: 0, ours: 0 }
  await import('timeout-wheel/register')
  createHook({
    init(_id, type, _trigger, resource) {
      if (type === 'Timeout') made[resource instanceof Native ? 'native' : 'ours']++
    },
  }).enable()
  process.on('exit', () => console.log(made.native > 0 ? 'native' : 'none', made.ours))
  const { once } = await import('node:events')
`

it.each([
  [
    'AbortSignal.timeout',
    `const signal = AbortSignal.timeout(10)
    const { createServer } = await import('node:net')
    const server = createServer().listen(0) // It does not keep the process alive by itself.
    await once(signal, 'abort')
    server.close()
    console.log(signal.reason.name)`,
    ['TimeoutError'],
  ],
  [
    'a time limit of child_process',
    `const { execFile } = await import('node:child_process')
    execFile(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { timeout: 50 }, (error) => console.log(error.killed))`,
    ['true'],
  ],
  [
    'a time limit of a socket',
    `const net = await import('node:net')
    const server = net.createServer(() => {}).listen(0)
    await once(server, 'listening')
    const socket = net.connect(server.address().port).setTimeout(20)
    await once(socket, 'timeout')
    console.log(socket.timeout)
    socket.destroy()
    server.close()`,
    ['20'],
  ],
  [
    'the time limits of an HTTP server',
    `const http = await import('node:http')
    const net = await import('node:net')
    const server = http.createServer(
      { connectionsCheckingInterval: 20, headersTimeout: 40, requestTimeout: 80, keepAliveTimeout: 30 },
      (request, response) => response.end('ok'),
    ).listen(0)
    await once(server, 'listening')
    const { port } = server.address()
    const slow = net.connect(port)
    slow.write('GET / HTTP/1.1\\r\\n') // and never the rest
    let answer = ''
    slow.on('data', (data) => { answer += data })
    await once(slow, 'close')
    console.log(answer.split('\\r\\n')[0])
    const agent = new http.Agent({ keepAlive: true })
    const [response] = await once(http.get({ port, agent }), 'response')
    response.resume()
    const { socket } = response
    await once(socket, 'close') // when its keep-alive is over
    console.log(response.statusCode)
    server.close()`,
    ['HTTP/1.1 408 Request Timeout', '200'],
  ],
  [
    'a time limit of an HTTP request',
    `const http = await import('node:http')
    const server = http.createServer(() => {}).listen(0)
    await once(server, 'listening')
    const request = http.get({ port: server.address().port, timeout: 30 })
    request.on('error', () => {})
    await once(request, 'timeout')
    console.log('timeout')
    request.destroy()
    server.closeAllConnections()
    server.close()`,
    ['timeout'],
  ],
  [
    'a time limit of an HTTP/2 session',
    `const http2 = await import('node:http2')
    const server = http2.createServer().listen(0)
    await once(server, 'listening')
    const session = http2.connect('http://localhost:' + server.address().port)
    session.setTimeout(30)
    await once(session, 'timeout')
    console.log('timeout')
    session.destroy()
    server.close()`,
    ['timeout'],
  ],
  [
    'the escape key of readline',
    `const { emitKeypressEvents } = await import('node:readline')
    const { PassThrough } = await import('node:stream')
    const input = new PassThrough()
    emitKeypressEvents(input, { escapeCodeTimeout: 20 })
    const pressed = once(input, 'keypress')
    input.write('\\x1b')
    console.log((await pressed)[1].name)
    input.end()`,
    ['escape'],
  ],
  [
    'the time limit of a test',
    `const { test } = await import('node:test')
    test('in time', { timeout: 5_000 }, async () => { await new Promise(setImmediate) })`,
    undefined,
  ],
])("keeps Node's timers for %s", async (_name, body, lines) => {
  const outcome = await run(`${COUNT}\n${body}`)
  expect(outcome).toMatchObject(CLEAN)
  expect(outcome.lines.at(-1)).toBe('native 0')
  if (lines !== undefined) expect(outcome.lines.slice(0, -1)).toEqual(lines)
})

it('lets fs.watchFile and events.on be, which need no timers of JavaScript', async () => {
  const outcome = await run(`${COUNT}
    const fs = await import('node:fs')
    const { EventEmitter, on } = await import('node:events')
    const { join } = await import('node:path')
    const folder = fs.mkdtempSync(join((await import('node:os')).tmpdir(), 'timeout-wheel-'))
    const file = join(folder, 'file')
    const seen = new EventEmitter()
    fs.watchFile(file, { interval: 20 }, (now) => { seen.emit('size', now.size) })
    // A file that is missing is told once, after the first look: what is written from then on is a change.
    for await (const [size] of on(seen, 'size')) {
      if (size === 0) fs.writeFileSync(file, 'text')
      else break
    }
    fs.unwatchFile(file)
    fs.rmSync(folder, { recursive: true })
    console.log('changed')
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: ['changed', 'none 0'] })
})

it("answers fetch, whose timers are the program's", async () => {
  const outcome = await run(`${COUNT}
    const http = await import('node:http')
    const server = http.createServer((request, response) => { if (request.url === '/now') response.end('ok') }).listen(0)
    await once(server, 'listening')
    const url = 'http://localhost:' + server.address().port
    console.log(await (await fetch(url + '/now')).text())
    await fetch(url + '/never', { signal: AbortSignal.timeout(50) }).catch(({ name }) => console.log(name))
    server.closeAllConnections()
    server.close()
    process.exitCode = made.native > 0 ? 0 : 1
  `)
  expect(outcome).toMatchObject({ ...CLEAN, lines: ['ok', 'TimeoutError', expect.any(String)] })
})

/** What takes timers from `node:timers` and may load later, and why. */
const LATER = [
  // Begins a retry of fs.rm with one setTimeout, and is out of reach.
  'internal/fs/rimraf',
  // Loaded before any module of the program, in workers of a cluster; never anywhere else.
  'internal/cluster/child',
  // What `--frozen-intrinsics` freezes, before any module of the program.
  'internal/freeze_intrinsics',
  // Main programs of their own: `node --watch`, `node inspect`, and those of flags.
  /^internal\/(main\/watch_mode|debugger\/|bench_runner\/|vfs\/)/,
]

it("has loaded every module of Node's that takes timers, but for those of which is known why", async () => {
  const outcome = await run(
    `const natives = Object.entries(process.binding('natives'))
    const taking = natives
      .filter(([, source]) => [...String(source).matchAll(/const \\{([^{}]*)\\} = require\\('timers(?:\\/promises)?'\\)/g)]
        .some(([, names]) => /\\b(set|clear)(Timeout|Interval)\\b/.test(names)))
      .map(([name]) => name)
    const loaded = new Set(process.moduleLoadList.map((name) => name.replace('NativeModule ', '')))
    console.log(JSON.stringify({ taking, later: taking.filter((name) => !loaded.has(name)) }))`,
    ['--expose-internals', '--no-deprecation', '--require', 'timeout-wheel/register'],
  )
  expect(outcome).toMatchObject(CLEAN)
  const { taking, later } = JSON.parse(outcome.lines[0]!) as { taking: string[]; later: string[] }
  expect(taking).toEqual(expect.arrayContaining(['net', 'child_process', 'internal/abort_controller']))
  const isKnown = (name: string) =>
    LATER.some((known) => (typeof known === 'string' ? known === name : known.test(name)))
  expect(later.filter((name) => !isKnown(name))).toEqual([])
})
