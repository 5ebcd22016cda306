import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * Writes a file as it is made. It has its name only when it is whole: before, its name ends in `.part`.
 * @param file a path, or `-` for standard output
 * @returns bytes written
 */
export async function writeFileOf(file: string, pieces: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0
  async function* counted() {
    for await (const piece of pieces) {
      bytes += piece.length
      yield piece
    }
  }
  const source = Readable.from(counted(), { objectMode: false })
  if (file === '-') {
    await pipeline(source, process.stdout, { end: false })
    return bytes
  }
  const part = `${file}.part`
  try {
    // It holds personal data: only its owner may read it.
    await pipeline(source, createWriteStream(part, { mode: 0o600 }))
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  return bytes
}
