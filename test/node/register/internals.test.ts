/** Modules of Node that take their timers from `node:timers` behave the same with ours. */
import { CLEAN } from '../backends.js'
import { inOneProcess, programsOf } from '../one-process.js'

const REGISTER = ['--require', 'timeout-wheel/register']

/** Loads modules of Node, and records which kinds of timers are made: native ones and ours. */
const COUNT = `
  import { createHook } from 'node:async_hooks'
  import { execFile } from 'node:child_process'
  import { once } from 'node:events'
  import http from 'node:http'
  import net from 'node:net'
  import { emitKeypressEvents } from 'node:readline'
  import { PassThrough } from 'node:stream'
  import * as wheel from 'timeout-wheel'
  const Ours = wheel.setTimeout(() => {}, 0).constructor
  const made = new Set()
  createHook({
    init(_id, type, _trigger, resource) {
      if (type === 'Timeout') made.add(resource instanceof Ours ? 'ours' : 'native')
    },
  }).enable()
  const listen = async (server) => {
    await once(server.listen(0), 'listening')
    return server.address().port
  }
`

/** Uses of modules of Node. After the colon: the kinds of timers that they make if ours are registered. */
const USES = programsOf(`
  # AbortSignal.timeout: ours
  const signal = AbortSignal.timeout(10)
  const server = net.createServer().listen(0) // It does not keep the process alive by itself.
  await once(signal, 'abort')
  server.close()
  console.log(signal.reason.name)
  # a time limit of child_process: ours
  execFile(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { timeout: 50 }, (error) => console.log(error.killed))
  # the time limits of an HTTP server: native,ours
  const server = http.createServer(
    { connectionsCheckingInterval: 20, headersTimeout: 40, requestTimeout: 80, keepAliveTimeout: 30 },
    (request, response) => response.end('ok'),
  )
  const port = await listen(server)
  const slow = net.connect(port)
  slow.write('GET / HTTP/1.1\\r\\n') // never send the rest
  let answer = ''
  slow.on('data', (data) => { answer += data })
  await once(slow, 'close')
  console.log(answer.split('\\r\\n')[0])
  const agent = new http.Agent({ keepAlive: true })
  const [response] = await once(http.get({ port, agent }), 'response')
  response.resume()
  const { socket } = response
  await once(socket, 'close') // closed when its keep-alive ends
  console.log(response.statusCode)
  server.close()
  # the escape key of readline: ours
  const input = new PassThrough()
  emitKeypressEvents(input, { escapeCodeTimeout: 20 })
  const pressed = once(input, 'keypress')
  input.write('\\x1b')
  console.log((await pressed)[1].name)
  input.end()`).map(([title, body]) => [...title.split(': '), body] as [string, string, string])

/** Runs the uses in one process, which prints last the kinds of timers. */
const usesOn = (first: string, flags: string[] = [], env: NodeJS.ProcessEnv = {}) =>
  inOneProcess({
    prelude: `${COUNT}${first}`,
    programs: USES.map(([, , body]) => body),
    before: 'made.clear()',
    after: `console.log([...made].sort().join())`,
    flags,
    env,
  })
const before = usesOn('')
const tooLate = usesOn(`AbortSignal.timeout(1); await import('timeout-wheel/register')`)

/** On WebAssembly, hooks can also see the driver, which is a timer of Node. */
const withDriver = (made: string, backend: string) =>
  backend === 'wasm' && made === 'ours' ? expect.stringMatching(/^(native,)?ours$/) : made

describe.each(['native', 'wasm'])('with the timers of register on %s', (backend) => {
  const onOurs = usesOn('', REGISTER, { TIMEOUT_WHEEL_BACKEND: backend })

  it.each(USES)('%s: behaves as before, also if its module was loaded first', async (_name, made, body) => {
    const native = await before(body)
    const lines = native.lines.slice(0, -1)
    expect(native).toEqual({ ...CLEAN, lines: [...lines, 'native'] })
    expect(await onOurs(body)).toEqual({ ...CLEAN, lines: [...lines, withDriver(made, backend)] })
    expect(await tooLate(body)).toEqual(native)
  })
})
