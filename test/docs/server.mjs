/** For a sample that serves: takes a free port, and closes it after a request. A sample that leaves something pending then does not end. */
import net from 'node:net'
import { onListen } from './connections.mjs'

onListen((server) => {
  const client = net.connect(server.address().port, '127.0.0.1')
  client.end('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  client.resume()
  client.once('close', () => server.close())
})
