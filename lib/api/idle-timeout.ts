/** Idle timeouts of the connections of a server: `timeout-wheel/http`. */
import type { TimerWheel } from './wheel.js'

/** A server of `node:http`, `node:https`, `node:net` or `node:tls`: the methods that `idleTimeout` calls. */
export interface ConnectionServer {
  on(event: string, listener: (socket: unknown) => void): unknown
  off(event: string, listener: (socket: unknown) => void): unknown
}

/** Options of `idleTimeout`. */
export interface IdleTimeoutOptions {
  /** The wheel of the timeouts. Default: the shared wheel. */
  wheel?: Pick<TimerWheel, 'group'> | undefined
}

/** What `idleTimeout` returns. */
export interface IdleTimeout extends Disposable {
  /** The number of connections whose time is running. */
  readonly size: number
  /**
   * The milliseconds without traffic. A new value applies from the last traffic of each connection.
   *
   * @throws TypeError if the value is not a number, RangeError if it is not above 0 and at most 2^53 - 1
   */
  delay: number
  /** Ends the timeouts of all connections, which stay open. Idempotent. */
  close(): void
}

/** The type of `idleTimeout`. */
export interface IdleTimeoutFunction {
  /**
   * Sets an idle timeout for each further connection of a server, as `server.setTimeout(ms)` of `node:http` does. Traffic in
   * either direction starts the time anew, O(1). The timeouts do not keep the process alive, and have no async context.
   *
   * After `ms` without traffic, the socket emits 'timeout'. A server of `node:http` or `node:https` passes the event on to
   * the request, the response and the server, and destroys the socket if none of them listens. With a server of `node:net` or
   * `node:tls`, listen to the socket.
   *
   * The time of a TLS connection starts after its handshake. A connection of `node:http` that was upgraded has no timeout,
   * unless the program listens to 'timeout' of its socket.
   *
   * @param ms milliseconds above 0, at most 2^53 - 1
   * @throws TypeError if `server` has no methods `on` and `off`, `ms` is not a number, or an option is of the wrong type or
   *   unknown; RangeError if `ms` is out of range
   */
  (server: ConnectionServer, ms: number, options?: IdleTimeoutOptions): IdleTimeout
}
