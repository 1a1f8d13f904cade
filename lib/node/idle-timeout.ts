/** Idle timeouts of the connections of a server: a group of the sockets that have no request in progress. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { IdleTimeoutFunction, IdleTimeoutOptions } from '../api/idle-timeout.js'
import { checkIdleTimeout } from '../common/checks.js'
import { isStopped } from '../common/errors.js'

export const idleTimeoutOn = (sharedWheel: NonNullable<IdleTimeoutOptions['wheel']>): IdleTimeoutFunction =>
  function idleTimeout(server, ms, options) {
    const { wheel = sharedWheel } = checkIdleTimeout(server, ms, options)
    // The server handles the event, and destroys the socket. A socket that was upgraded has no such listener any more.
    const idle = wheel.group((socket: Socket) => socket.emit('timeout'), ms, { unref: true })
    const beginRequestOn = new WeakMap<Socket, (response: ServerResponse) => void>()
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
      beginRequestOn.set(socket, (response) => {
        inProgress++
        idle.delete(member)
        response.once('close', end)
      })
      socket.once('close', () => idle.delete(member))
      end()
    }
    const onRequest = ({ socket }: IncomingMessage, response: ServerResponse) =>
      beginRequestOn.get(socket)?.(response)
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
