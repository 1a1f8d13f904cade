/** An HTTP client: time limits for headers and bodies, retries, idle connections. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Agent, RetryAgent, request } from 'undici'

let failures = 2
const server = createServer((request, response) => {
  if (request.url === '/ok') response.end('ok')
  if (request.url === '/half') response.write('half')
  if (request.url === '/third') {
    response.statusCode = failures-- > 0 ? 503 : 200
    response.end('third')
  }
}).listen(0)
await once(server, 'listening')
const url = `http://localhost:${server.address().port}`

const ask = async (path, options) => {
  const { statusCode, body } = await request(url + path, options)
  return `${statusCode} ${await body.text()}`
}
const codeOf = (promise) => promise.catch(({ code, name }) => (typeof code === 'string' ? code : name))

const agent = new Agent({ keepAliveTimeout: 30, keepAliveMaxTimeout: 30 })
agent.on('disconnect', (_origin, _targets, error) => console.log('disconnected', error.code))
// Listen first: on a busy machine the event may come before the response has been read.
const disconnected = once(agent, 'disconnect')
console.log(await ask('/ok', { dispatcher: agent }))
await disconnected
console.log(await codeOf(ask('/never', { headersTimeout: 60 })))
console.log(await codeOf(ask('/half', { bodyTimeout: 60 })))
console.log(await codeOf(ask('/never', { signal: AbortSignal.timeout(40) })))
const retrying = new RetryAgent(new Agent(), { minTimeout: 20, maxRetries: 3, statusCodes: [503] })
console.log(await ask('/third', { dispatcher: retrying }), failures)
await agent.close()
await retrying.close()
server.closeAllConnections()
server.close()
