/**
 * Preloaded into a sample that sends requests to a server: starts one on a free port, and leads the connections there. It says
 * hello, and never answers at /never. It does not keep the process alive.
 */
import { createServer } from 'node:http'
import { connectTo } from './connections.mjs'

const server = createServer((request, response) => {
  request.socket.unref()
  if (request.url !== '/never') response.setHeader('Connection', 'close').end('hello')
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
server.unref()
connectTo(server)
