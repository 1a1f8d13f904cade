/** A connection of a server that is idle for 50 ms is closed. */
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { idleTimeout } from 'timeout-wheel/http'

const server = createServer((_request, response) => response.end('answer'))
server.keepAliveTimeout = 60_000
idleTimeout(server, 50)
server.listen(0, '127.0.0.1', () => {
  const socket = connect(server.address().port, '127.0.0.1', () =>
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  )
  const started = performance.now()
  socket.resume().on('close', () => {
    console.log(performance.now() - started >= 45 ? 'closed' : 'closed too early')
    server.close()
  })
})
