/**
 * Preloaded into a sample that serves: takes any free port, opens one connection, sends a request, and closes both. The
 * process then ends, unless the sample has left something pending.
 */
import net from 'node:net'
import { onListen } from './connections.mjs'

onListen((server) => {
  const client = net.connect(server.address().port, '127.0.0.1')
  client.end('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  client.resume()
  client.once('close', () => server.close())
})
