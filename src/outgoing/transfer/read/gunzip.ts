import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { peek } from './bytes.ts'
import { refusal } from './limits.ts'

/** First bytes of what is packed with gzip. */
export const MAGIC = Buffer.from([0x1f, 0x8b])

/**
 * Yields the bytes of a stream, unpacked if they are packed with gzip, in one member or several. The caller bounds how much it takes.
 * @throws AppError `validation_failed` when the data is cut off or damaged
 */
export async function* gunzipIfNeeded(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { first, all } = await peek(source, MAGIC.length)
  if (!first.subarray(0, MAGIC.length).equals(MAGIC)) {
    yield* all
    return
  }
  const input = Readable.from(all, { objectMode: false })
  const gunzip = createGunzip({ chunkSize: 256 * 1024 })
  // An error of the source must end the unpacking, and with it the loop below.
  input.on('error', error => gunzip.destroy(error))
  try {
    yield* input.pipe(gunzip)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'Z_BUF_ERROR' || code === 'Z_DATA_ERROR') {
      throw refusal('the gzip data is cut off or damaged; bring the whole file', error)
    }
    throw error
  } finally {
    input.destroy()
    gunzip.destroy()
  }
}
