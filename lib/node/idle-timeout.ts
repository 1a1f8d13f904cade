/** Idle timeouts of the connections of a server: a group of the connections that have no request in progress. */
import type { TimerGroupFunction } from '../api/group.js'
import type { ConnectionServer, IdleTimeoutFunction } from '../api/idle-timeout.js'
import { checkIdleTime, checkIdleTimeoutOptions, checkServer } from '../common/checks.js'
import { isStopped } from '../common/errors.js'

interface Socket {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
  emit(event: 'timeout'): boolean
  destroy(error: unknown): unknown
}

interface Connection {
  readonly socket: Socket
  /** Its number in the group while it is idle. */
  member: number
  /** The requests in progress: more than one if the client does not wait for the answers. */
  requests: number
}

/** The server handles the event, and destroys the socket. A socket that was upgraded has no such listener any more. */
const expire = ({ socket }: Connection): unknown => socket.emit('timeout')

/** @param timerGroup makes groups on the shared wheel */
export function idleTimeoutOn(timerGroup: TimerGroupFunction): IdleTimeoutFunction {
  return function idleTimeout(server, ms, options) {
    checkServer(server)
    checkIdleTime(ms)
    const { wheel } = checkIdleTimeoutOptions(options)
    const unref = { unref: true }
    const idle = wheel === undefined ? timerGroup(expire, ms, unref) : wheel.group(expire, ms, unref)
    const connections = new WeakMap<Socket, Connection>()

    function addIdle(connection: Connection): void {
      try {
        connection.member = idle.add(connection)
      } catch (error) {
        if (!isStopped(error)) connection.socket.destroy(error)
      }
    }
    function onConnection(socket: Socket): void {
      const connection = { socket, member: 0, requests: 0 }
      connections.set(socket, connection)
      socket.once('close', () => idle.delete(connection.member))
      addIdle(connection)
    }
    function onRequest({ socket }: { readonly socket: Socket }, response: Pick<Socket, 'once'>): void {
      const connection = connections.get(socket)
      if (connection === undefined) return
      connection.requests++
      idle.delete(connection.member)
      response.once('close', () => {
        if (--connection.requests === 0 && !socket.destroyed) addIdle(connection)
      })
    }
    function close(): void {
      server.off(event, onConnection as Listener)
      server.off('request', onRequest as Listener)
      idle.stop()
    }
    // A TLS server hands over a connection after the handshake.
    const event = 'addContext' in server ? 'secureConnection' : 'connection'
    server.on(event, onConnection as Listener)
    server.on('request', onRequest as Listener)
    return {
      get size() {
        return idle.size
      },
      close,
      [Symbol.dispose]: close,
    }
  }
}

type Listener = Parameters<ConnectionServer['on']>[1]
