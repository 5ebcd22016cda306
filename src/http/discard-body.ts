import type { IncomingMessage } from 'node:http'

const WORTH = {
  /** Maximum bytes of an unwanted body that are read. */
  bytes: 1024 * 1024,
  /** Maximum time that the body may take to arrive. */
  ms: 2_000,
}

/**
 * Reads and discards the rest of an unwanted body, so that the connection can be used again. A body that is larger or slower
 * than the limits in `WORTH` ends the connection. Call it before the answer ends: otherwise Node keeps reading for as
 * long as the sender sends.
 */
export function discardBody(request: IncomingMessage, worth = WORTH): void {
  if (request.complete || request.destroyed || !hasBody(request)) return
  const { socket } = request
  // Do not destroy the socket at once: a reset would overtake the answer. The paused stream stops the sender until then.
  const timer = setTimeout(() => {
    if (!request.complete) socket.destroy()
  }, worth.ms)
  let left = worth.bytes
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.pause()
  })
  request.once('close', () => clearTimeout(timer))
  request.once('error', () => {})
  request.resume()
  // Marks the body as read. Otherwise Node removes these listeners when the answer ends.
  request.read(0)
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
