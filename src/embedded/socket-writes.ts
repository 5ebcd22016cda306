import type { Socket } from 'node:net'

/** @returns false when the client does not read as fast as the answers come */
export function writeChunks(socket: Socket, chunks: Buffer[]): boolean {
  if (socket.destroyed || chunks.length === 0) return true
  socket.cork()
  let isFlushed = true
  for (const chunk of chunks) isFlushed = socket.write(chunk)
  socket.uncork()
  return isFlushed || !socket.writableNeedDrain
}

/** Resolves when the client has read the answers, or is gone. */
export function drained(socket: Socket): Promise<void> {
  return new Promise(resolve => {
    const settle = () => {
      socket.off('drain', settle).off('close', settle)
      resolve()
    }
    socket.on('drain', settle).on('close', settle)
  })
}
