import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import net from 'node:net'
import { Connection } from './connection.ts'
import type { Session } from './session.ts'

export interface Gateway {
  /** Accepts no more clients, rolls back open transactions and ends all connections. */
  close(): Promise<void>
}

/** Parameters that clients receive when they connect; drivers choose their formats by them. */
const PARAMETERS = [
  'server_version',
  'server_encoding',
  'client_encoding',
  'DateStyle',
  'IntervalStyle',
  'TimeZone',
  'integer_datetimes',
  'standard_conforming_strings',
  'default_transaction_read_only',
  'in_hot_standby',
  'is_superuser',
]

/**
 * Starts a server that speaks the PostgreSQL protocol and shares the single session of a PGlite instance.
 * @param idleInTransactionMs how long a client may be idle in a transaction, which blocks all other clients
 * @throws Error when the socket is in use
 */
export async function startGateway(
  session: Session,
  socketPath: string,
  idleInTransactionMs = 30_000,
): Promise<Gateway> {
  const parameters = PARAMETERS.map((name): [string, string] => [
    name,
    session.query(`show ${name}`)[0] ?? '',
  ])
  const connections = new Map<number, Connection>()
  let connectionNo = 0

  const server = net.createServer({ noDelay: true }, socket => {
    const own = ++connectionNo
    const cancelWaiting = (no: number) => connections.get(no)?.cancel()
    const options = { session, connectionNo: own, parameters, idleInTransactionMs, cancelWaiting }
    connections.set(own, new Connection(socket, options))
    socket.on('close', () => connections.delete(own))
  })
  server.listen(socketPath)
  await once(server, 'listening')
  await chmod(socketPath, 0o600)

  return {
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const connection of connections.values()) connection.end('57P01', 'the database is shutting down')
      await closed
    },
  }
}
