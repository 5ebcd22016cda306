import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { clientOptions } from '../../src/platform/db/connect.ts'

export interface DatabaseProxy {
  url: string
  /** How many there are, counted at both ends. */
  connections(): number
  /** Cuts all connections. */
  cut(): void
  close(): void
}

/**
 * A way to a database over TCP that a test can cut.
 * @param at port, by default a free one
 */
export async function databaseProxy(databaseUrl: string, at = 0): Promise<DatabaseProxy> {
  const { url, host } = clientOptions(databaseUrl)
  const { hostname, port, pathname, username } = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    const behind = host ? createConnection(`${host}/.s.PGSQL.5432`) : createConnection(Number(port), hostname)
    for (const end of [socket, behind]) {
      sockets.add(end)
      end.on('error', () => {})
      end.on('close', () => {
        sockets.delete(end)
        socket.destroy()
        behind.destroy()
      })
    }
    socket.pipe(behind).pipe(socket)
  }).listen(at, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `postgres://${username || 'postgres'}@127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    connections: () => sockets.size,
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    close: () => void server.close(),
  }
}
