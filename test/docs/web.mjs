/** For a sample that sends requests: leads them to a server that says hello, and never answers at /never. */
import { createServer } from 'node:http'
import { connectTo } from './connections.mjs'

const server = createServer((request, response) => {
  request.socket.unref()
  if (request.url !== '/never') response.setHeader('Connection', 'close').end('hello')
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
server.unref()
connectTo(server)
