/** A Redis on loopback, for BullMQ. */
import { askBy, freePort, newFolder, serve } from '../../.tooling/servers.mjs'

/** It is asked to lose nothing: each write waits for the disk. @returns {Promise<number>} its port */
export async function startRedis() {
  const cwd = newFolder()
  const port = await freePort()
  const options = `--bind 127.0.0.1 --port ${port} --dir ${cwd} --appendonly yes --appendfsync always --save`
  await serve('redis-server', [...options.split(' '), ''], { cwd }, askBy('redis-cli', `-p ${port} ping`))
  return port
}
