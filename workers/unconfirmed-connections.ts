import type { ChildProcess } from 'node:child_process'

interface Handle {
  close(): void
}

/** Messages of `node:cluster`: a connection that is handed to a worker, and the worker's confirmation. */
interface ClusterMessage {
  cmd?: string
  act?: string
  seq?: number
  ack?: number
}

/**
 * Closes the connection that was handed to a worker which was killed before it confirmed it. `node:cluster` keeps such a
 * connection open for ever, so that its client waits until its own time limit, and after a kill many clients connect again at
 * the same moment. The client sees a connection reset and can send again.
 *
 * This relies on internal messages of `node:cluster` (Node 20 to 24); `test/faults/unconfirmed-connections.test.ts` guards it.
 */
export function closeUnconfirmedConnections(worker: ChildProcess): void {
  const unconfirmed = new Map<number, Handle>()
  const send = worker.send.bind(worker) as (...parameters: unknown[]) => boolean
  worker.send = (message: ClusterMessage, handle?: unknown, ...rest: unknown[]) => {
    if (message.cmd === 'NODE_CLUSTER' && message.act === 'newconn' && message.seq !== undefined) {
      unconfirmed.set(message.seq, handle as Handle)
    }
    return send(message, handle, ...rest)
  }
  worker.on('internalMessage', ({ cmd, ack }: ClusterMessage) => {
    if (cmd === 'NODE_CLUSTER' && ack !== undefined) unconfirmed.delete(ack)
  })
  worker.once('exit', () => {
    for (const handle of unconfirmed.values()) handle.close()
  })
}
