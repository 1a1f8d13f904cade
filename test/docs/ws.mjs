/**
 * Preloaded into a sample that serves WebSockets, in virtual time: takes any free port and connects three clients. One answers
 * pings, one does not, and one sends messages. Ends the server, and the process if the sample has left nothing pending.
 */
import assert from 'node:assert/strict'
import net from 'node:net'
import { WebSocket } from 'ws'
import { sleep } from './slowly.mjs'

const { listen } = net.Server.prototype
net.Server.prototype.listen = function (...args) {
  const server = listen.call(this, 0, '127.0.0.1', ...args.filter((arg) => typeof arg === 'function'))
  server.once('listening', () => act(server))
  return server
}

async function act(server) {
  const open = (options) => {
    const client = new WebSocket(`ws://127.0.0.1:${server.address().port}`, options)
    const events = { pings: 0, closed: false }
    client.on('ping', () => events.pings++)
    client.on('close', () => {
      events.closed = true
    })
    return { client, events }
  }
  const answering = open()
  const deaf = open({ autoPong: false })
  const talking = open()
  await sleep(29_000)
  const talk = setInterval(() => talking.client.send('hello'), 20_000)
  talking.client.send('hello')
  assert.deepEqual(
    [answering, deaf, talking].map(({ events }) => events.pings),
    [0, 0, 0],
  )
  await sleep(2_000)
  assert.deepEqual(
    [answering, deaf, talking].map(({ events }) => events.pings),
    [1, 1, 0],
  )
  await sleep(8_000)
  assert.equal(deaf.events.closed, false)
  await sleep(2_000)
  assert.equal(deaf.events.closed, true)
  await sleep(200_000)
  assert.deepEqual(talking.events, { pings: 0, closed: false })
  assert.deepEqual(answering.events, { pings: 8, closed: false })
  clearInterval(talk)
  answering.client.close()
  talking.client.close()
  server.close()
}
