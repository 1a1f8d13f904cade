/**
 * Idle timeouts of the connections of a server. At each traffic Node calls the socket's method `_unrefTimer`, which restarts
 * the timer of `socket.setTimeout`. A socket that is watched has an own method of this name: it touches the member of a group
 * and calls Node's. A listener for 'data' would see less, and would take the parser of node:http from its fast path.
 */
import type { TimerGroup, TimerGroupFunction } from '../api/group.js'
import type { ConnectionServer, IdleTimeout, IdleTimeoutFunction } from '../api/idle-timeout.js'
import { checkIdleTime, checkIdleTimeoutOptions, checkServer } from '../common/checks.js'
import { isRefusal, isStopped } from '../common/errors.js'

/** What is used of a `net.Socket`. */
interface Socket {
  once(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
  listenerCount(event: 'timeout'): number
  destroy(error: unknown): unknown
  /** Node calls it at each traffic. */
  _unrefTimer(): void
  /** What the timer of `setTimeout` runs. It emits 'timeout', unless a long write has made progress: then that is traffic. */
  _onTimeout(): void
}

/** A socket that is watched. */
class Connection {
  readonly #socket: Socket
  readonly #group: TimerGroup<Connection>
  readonly #unrefTimer: Socket['_unrefTimer']
  /** The number of a former member after a timeout that has left the socket open. */
  #member = 0
  #watched = true

  constructor(socket: Socket, group: TimerGroup<Connection>) {
    this.#socket = socket
    this.#group = group
    this.#unrefTimer = socket._unrefTimer
    socket._unrefTimer = this.#onTraffic
    socket.once('close', this.leave)
    this.#join()
  }

  #join(): void {
    try {
      this.#member = this.#group.add(this)
    } catch (error) {
      this.leave()
      if (isRefusal(error)) this.#socket.destroy(error)
      else if (!isStopped(error)) throw error
    }
  }

  readonly #onTraffic = (): void => {
    if (this.#watched && !this.#group.touch(this.#member)) this.#join()
    this.#unrefTimer.call(this.#socket)
  }

  expire(): void {
    this.#socket._onTimeout()
    // No one cares: node:http does not listen to a socket that was upgraded.
    if (this.#socket.listenerCount('timeout') === 0) this.leave()
  }

  readonly leave = (): void => {
    const socket = this.#socket
    this.#watched = false
    this.#group.delete(this.#member)
    socket.off('close', this.leave)
    // Another idle timeout may have replaced the method since. Its own calls this one, which now does nothing.
    if (socket._unrefTimer === this.#onTraffic) socket._unrefTimer = this.#unrefTimer
  }
}

const expire = (connection: Connection): void => connection.expire()

/** The event of a server by which it hands over a socket: a TLS server does so after the handshake. */
const connectionEvent = (server: ConnectionServer): string =>
  'addContext' in server ? 'secureConnection' : 'connection'

/** False for the other streams that a program can hand to a server of node:http. Their traffic cannot be seen. */
const isSocket = (socket: unknown): socket is Socket => typeof (socket as Socket)._unrefTimer === 'function'

/** @param timerGroup makes groups on the shared wheel */
export const idleTimeoutOn =
  (timerGroup: TimerGroupFunction): IdleTimeoutFunction =>
  (server, ms, options) => {
    checkServer(server)
    checkIdleTime(ms)
    const { wheel } = checkIdleTimeoutOptions(options)
    const unref = { unref: true }
    const group = wheel === undefined ? timerGroup(expire, ms, unref) : wheel.group(expire, ms, unref)
    return watch(server, group)
  }

function watch(server: ConnectionServer, group: TimerGroup<Connection>): IdleTimeout {
  const event = connectionEvent(server)
  const onConnection = (socket: unknown): void => {
    if (isSocket(socket)) new Connection(socket, group)
  }
  const close = (): void => {
    server.off(event, onConnection)
    for (const connection of group.stop()) connection.leave()
  }
  server.on(event, onConnection)
  return {
    get size() {
      return group.size
    },
    get delay() {
      return group.delay
    },
    set delay(ms) {
      checkIdleTime(ms)
      group.delay = ms
    },
    close,
    [Symbol.dispose]: close,
  }
}
