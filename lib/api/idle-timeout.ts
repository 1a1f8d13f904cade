/** Idle timeouts of the connections of a server: `timeout-wheel/http`. */
import type { TimerWheel } from './wheel.js'

/** A server of `node:http` or `node:https`: what `idleTimeout` needs of it. */
export interface ConnectionServer {
  /** A server of `node:net`, which has no requests, does not have it. */
  keepAliveTimeout: number
  on(event: string, listener: (...args: unknown[]) => void): unknown
  off(event: string, listener: (...args: unknown[]) => void): unknown
}

/** Options of `idleTimeout`. */
export interface IdleTimeoutOptions {
  /** The wheel of the timeouts. Default: the shared wheel. */
  wheel?: Pick<TimerWheel, 'group'> | undefined
}

/** What `idleTimeout` returns. */
export interface IdleTimeout extends Disposable {
  /** The number of idle connections. */
  readonly size: number
  /** Ends the timeouts of all connections, which stay open. Idempotent. */
  close(): void
}

/** The type of `idleTimeout`. */
export interface IdleTimeoutFunction {
  /**
   * Sets an idle timeout for each further connection of a server. A connection is idle while it has no request in progress: from
   * its start to its first request, and from the end of each response to the next request. The timeout does not see the traffic
   * of a request. It does not keep the process alive, and has no async context. O(1).
   *
   * If a connection was idle for `ms`, its socket emits 'timeout', as after `server.setTimeout(ms)`: Node calls the listeners of
   * the server's event 'timeout', or destroys the socket if there are none.
   *
   * A connection of `node:https` starts after its handshake. A connection that was upgraded, such as a WebSocket, emits 'timeout'
   * once at most, and stays open unless the program listens to its socket.
   *
   * @param ms milliseconds above 0, at most 2^53 - 1
   * @throws TypeError if `server` has no methods `on` and `off`, `ms` is not a number, or an option is of the wrong type or
   *   unknown; RangeError if `ms` is out of range
   */
  (server: ConnectionServer, ms: number, options?: IdleTimeoutOptions): IdleTimeout
}
