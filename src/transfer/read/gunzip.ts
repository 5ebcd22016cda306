import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { peek } from './bytes.ts'
import { checkUnpacked, refusal, UNPACK_LIMITS } from './limits.ts'

const MAGIC = Buffer.from([0x1f, 0x8b])

/**
 * Yields the bytes of a stream, unpacked if they are packed with gzip.
 * @throws AppError `validation_failed` when the data is cut off or damaged, or unpacks to too much
 */
export async function* gunzipIfNeeded(
  source: AsyncIterable<Buffer>,
  limits = UNPACK_LIMITS,
): AsyncGenerator<Buffer> {
  const { first, all } = await peek(source, MAGIC.length)
  if (!first.subarray(0, MAGIC.length).equals(MAGIC)) {
    yield* all
    return
  }
  let packed = 0
  let unpacked = 0
  async function* counted() {
    for await (const chunk of all) {
      packed += chunk.length
      yield chunk
    }
  }
  const input = Readable.from(counted(), { objectMode: false })
  const gunzip = createGunzip({ chunkSize: 256 * 1024 })
  // An error of the source must end the unpacking, and with it the loop below.
  input.on('error', error => gunzip.destroy(error))
  try {
    for await (const chunk of input.pipe(gunzip)) {
      unpacked += chunk.length
      checkUnpacked(packed, unpacked, limits)
      yield chunk
    }
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
