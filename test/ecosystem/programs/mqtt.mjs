/** An MQTT client: keepalive, a broker that has gone, connecting again, a broker that does not answer. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { Aedes } from 'aedes'
import { connect } from 'mqtt'
import { timers } from './hook.mjs'

const hook =
  timers === undefined ? {} : { timerVariant: { set: timers.setInterval, clear: timers.clearInterval } }

/** As `once`, but an event 'error' does not reject. */
const next = (emitter, event) => new Promise((resolve) => emitter.once(event, resolve))

/** The sockets of a server are destroyed when it is closed. */
async function serve(onSocket) {
  const sockets = new Set()
  const server = createServer((socket) => {
    sockets.add(socket)
    onSocket(socket)
  }).listen(0)
  await once(server, 'listening')
  return {
    url: `mqtt://localhost:${server.address().port}`,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

const broker = await Aedes.createBroker()
broker.on('ping', () => console.log('ping'))
const living = await serve(broker.handle)
const client = connect(living.url, { keepalive: 1, ...hook })
await once(client, 'connect')
await client.publishAsync('door/17', 'open')
await once(broker, 'ping')
await once(broker, 'ping')
await client.endAsync()

// Accepts every connection, and is then silent.
const ACCEPTED = Buffer.from([0x20, 2, 0, 0])
const silent = await serve((socket) => socket.once('data', () => socket.write(ACCEPTED)))
const left = connect(silent.url, { keepalive: 1, reconnectPeriod: 20, ...hook })
left.on('connect', () => console.log('connected'))
left.on('error', (error) => console.log(error.message))
await next(left, 'reconnect')
await next(left, 'connect')
left.end(true)

const deaf = await serve(() => {})
const waiting = connect(deaf.url, { connectTimeout: 50, reconnectPeriod: 0, ...hook })
waiting.on('error', (error) => console.log(error.message))
await next(waiting, 'close')
waiting.end(true)

for (const server of [living, silent, deaf]) server.close()
broker.close()
