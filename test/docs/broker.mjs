/** For a sample that connects to an MQTT broker: starts one on a free port, which ends with the connection of the sample. */
import net from 'node:net'
import { Aedes } from 'aedes'
import { connectTo } from './connections.mjs'

const broker = await Aedes.createBroker()
const server = net.createServer((socket) => {
  broker.handle(socket)
  socket.once('close', () => {
    broker.close()
    server.close()
  })
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))

connectTo(server)
