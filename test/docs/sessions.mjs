/** For a sample that counts the visits of a session, in virtual time: visits it before and after the session has expired. */
import assert from 'node:assert/strict'
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { onListen } from './connections.mjs'
import { passSlowly } from './slowly.mjs'

const MINUTE = 60_000

onListen(async (server) => {
  const stop = passSlowly(MINUTE / 3)
  const { port } = server.address()
  let cookie = ''
  const visit = (path) =>
    new Promise((resolve, reject) => {
      const options = { port, host: '127.0.0.1', path, agent: false, headers: { cookie } }
      get(options, async (response) => {
        cookie = response.headers['set-cookie']?.[0].split(';')[0] ?? cookie
        let text = ''
        for await (const part of response) text += part
        resolve(text)
      }).on('error', reject)
    })
  assert.equal(await visit('/'), 'visit 1')
  assert.equal(await visit('/'), 'visit 2')
  await sleep(20 * MINUTE)
  // A session that is read is touched.
  assert.equal(await visit('/read'), 'visits: 2')
  await sleep(20 * MINUTE)
  assert.equal(await visit('/'), 'visit 3')
  await sleep(40 * MINUTE)
  assert.equal(await visit('/'), 'visit 1')
  server.close()
  stop()
})
