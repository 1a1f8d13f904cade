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
