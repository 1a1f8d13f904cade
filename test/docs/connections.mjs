import net from 'node:net'

/** Lets the server of a sample take any free port, and then calls `act` with it. @param {(server: net.Server) => unknown} act */
export function onListen(act) {
  const { listen } = net.Server.prototype
  net.Server.prototype.listen = function (...args) {
    const server = listen.call(this, 0, '127.0.0.1', ...args.filter((arg) => typeof arg === 'function'))
    server.once('listening', () => act(server))
    return server
  }
}

/** Leads all connections that the process opens to a server of this process. @param {net.Server} server  It listens. */
export function connectTo(server) {
  const { connect } = net.Socket.prototype
  net.Socket.prototype.connect = function () {
    return connect.call(this, server.address().port, '127.0.0.1')
  }
}
