import type { IncomingMessage } from 'node:http'

const WORTH = {
  /** Most bytes of an unwanted body that are read. */
  bytes: 1024 * 1024,
  /** How long it may take to come. */
  ms: 2_000,
}

/**
 * Reads what is left of a body that nobody wants and keeps nothing of it, so that the connection can be used again. A body that
 * is larger or comes slower than is worth it ends the connection. Call it before the answer ends: Node would
 * otherwise read on for as long as the sender likes.
 */
export function discardBody(request: IncomingMessage, worth = WORTH): void {
  if (request.complete || request.destroyed || !hasBody(request)) return
  const { socket } = request
  // Not at once: a reset would overtake the answer. Until then the sender gets nothing more off.
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
  // Marks the body as read; Node takes the listeners off one that is not when the answer ends.
  request.read(0)
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
