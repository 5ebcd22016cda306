import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import net from 'node:net'
import { Connection } from './connection.ts'
import type { Session } from './session.ts'

/** Where clients connect: a unix socket, or a port on 127.0.0.1 (0: any free port). */
export type Listen = { socketPath: string } | { port: number }

export interface GatewayOptions {
  session: Session
  listen: Listen
  /** How long a client may be idle in a transaction, which blocks all other clients; milliseconds. */
  idleInTransactionMs?: number
}

export interface Gateway {
  /** The TCP port in use; undefined on a unix socket. */
  port: number | undefined
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
 *
 * Measured with postgres.js over a unix socket on a 2-core machine, 10 connections, client in a separate
 * process: see `test/embedded/measure.ts`.
 * @throws Error when the socket or port is in use
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { session, listen, idleInTransactionMs = 30_000 } = options
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
  if ('port' in listen) server.listen(listen.port, '127.0.0.1')
  else server.listen(listen.socketPath)
  await once(server, 'listening')
  if ('socketPath' in listen) await chmod(listen.socketPath, 0o600)

  const address = server.address()
  return {
    port: address !== null && typeof address === 'object' ? address.port : undefined,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const connection of connections.values()) connection.end('57P01', 'the database is shutting down')
      await closed
    },
  }
}
