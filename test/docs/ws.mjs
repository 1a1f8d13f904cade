/** For a sample that serves WebSockets, in virtual time. Of three clients one answers pings, one does not, and one sends messages. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { onListen } from './connections.mjs'
import { passSlowly } from './slowly.mjs'

onListen(async (server) => {
  const stop = passSlowly(1_000)
  const open = (options) => {
    const client = new WebSocket(`ws://127.0.0.1:${server.address().port}`, options)
    const events = { pings: 0, closed: 0 }
    client.on('ping', () => events.pings++)
    client.on('close', () => events.closed++)
    return { client, events }
  }
  const clients = { answering: open(), deaf: open({ autoPong: false }), talking: open() }
  const { answering, deaf, talking } = clients
  await Promise.all(Object.values(clients).map(({ client }) => once(client, 'open')))
  const talk = setInterval(() => talking.client.send('hello'), 10_000)
  const events = () => Object.values(clients).map(({ events }) => ({ ...events }))

  await sleep(20_000)
  assert.deepEqual(events(), Array(3).fill({ pings: 0, closed: 0 }))
  // The ping is due after 30 s, and its pong 10 s later.
  await sleep(16_000)
  assert.deepEqual(
    events(),
    [1, 1, 0].map((pings) => ({ pings, closed: 0 })),
  )
  await sleep(20_000)
  assert.deepEqual(deaf.events, { pings: 1, closed: 1 })
  await sleep(100_000)
  assert.deepEqual(talking.events, { pings: 0, closed: 0 })
  assert.equal(answering.events.closed, 0)
  assert.ok(answering.events.pings > 3)

  clearInterval(talk)
  answering.client.close()
  talking.client.close()
  server.close()
  stop()
})
