import net from 'node:net'

/** Leads all connections that the process opens to a server of this process. @param {net.Server} server  It listens. */
export function connectTo(server) {
  const { connect } = net.Socket.prototype
  net.Socket.prototype.connect = function () {
    return connect.call(this, server.address().port, '127.0.0.1')
  }
}
