import { once } from 'node:events'
import type { Server } from 'node:net'
import { onTestFinished } from 'vitest'
import { openWire, type Wire } from '../support/wire.ts'

/** Starts a server until the case ends. @returns its address */
export async function listen(server: Server & { closeAllConnections?(): void }): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections?.()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

/** A connection until the case ends. */
export function wireTo(url: string): Wire {
  const wire = openWire(url)
  onTestFinished(() => void wire.socket.destroy())
  return wire
}
