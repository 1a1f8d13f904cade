/** Idle timeouts of the connections of a server: a group of the sockets that have no request in progress. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { IdleTimeoutFunction, IdleTimeoutOptions } from '../api/idle-timeout.js'
import { checkIdleTime, checkIdleTimeoutOptions, checkServer } from '../common/checks.js'
import { isStopped } from '../common/errors.js'

/** The server handles the event, and destroys the socket. A socket that was upgraded has no such listener any more. */
const expire = (socket: Socket): unknown => socket.emit('timeout')

/** @param shared the shared wheel */
export const idleTimeoutOn = (shared: NonNullable<IdleTimeoutOptions['wheel']>): IdleTimeoutFunction =>
  function idleTimeout(server, ms, options) {
    checkServer(server)
    checkIdleTime(ms)
    const { wheel = shared } = checkIdleTimeoutOptions(options)
    const idle = wheel.group(expire, ms, { unref: true })
    /** Called with the response of each request on the socket. */
    const begins = new WeakMap<Socket, (response: ServerResponse) => void>()

    function onConnection(socket: Socket): void {
      let member = 0
      // The start of the connection, and then the requests: more than one if the client does not wait for the answers.
      let inProgress = 1
      function end(): void {
        try {
          if (--inProgress === 0 && !socket.destroyed) member = idle.add(socket)
        } catch (error) {
          if (!isStopped(error)) socket.destroy(error as Error)
        }
      }
      begins.set(socket, (response) => {
        inProgress++
        idle.delete(member)
        response.once('close', end)
      })
      socket.once('close', () => idle.delete(member))
      end()
    }
    const onRequest = ({ socket }: { socket: Socket }, response: ServerResponse) =>
      begins.get(socket)?.(response)
    // A TLS server hands over a connection after the handshake.
    const connection = 'addContext' in server ? 'secureConnection' : 'connection'
    server.on(connection, onConnection as never)
    server.on('request', onRequest as never)
    function close(): void {
      server.off(connection, onConnection as never)
      server.off('request', onRequest as never)
      idle.stop()
    }
    return {
      get size() {
        return idle.size
      },
      close,
      [Symbol.dispose]: close,
    }
  }
