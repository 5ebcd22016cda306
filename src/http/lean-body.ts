import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { AppError } from '../errors.ts'

/** Bytes of a body, unpacked or not. */
const MAX_BYTES = 256 * 1024
/** Read and thrown away beyond the limit, so that the sender gets to read its answer instead of a reset. */
const MAX_DISCARDED_BYTES = 8 * 1024 * 1024

const DECODERS = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}

const tooLarge = () => new AppError('payload_too_large', `The body is larger than ${MAX_BYTES / 1024} KiB`)

/**
 * The JSON value of a request's body, whatever its content type says.
 * @throws AppError `payload_too_large`, `unsupported_media_type`, `malformed_json`
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const body = await unpack(request, await readBytes(request))
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new AppError('malformed_json', 'The body is not valid JSON')
  }
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length']) > MAX_DISCARDED_BYTES) return reject(tooLarge())
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_BYTES) chunks.push(chunk)
      else if (size > MAX_DISCARDED_BYTES) reject(tooLarge())
    })
    request.on('end', () => {
      if (size > MAX_BYTES) reject(tooLarge())
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    })
    request.on('error', () => reject(new AppError('bad_request', 'The body ended early')))
  })
}

async function unpack(request: IncomingMessage, bytes: Buffer): Promise<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return bytes
  if (!Object.hasOwn(DECODERS, encoding)) {
    throw new AppError('unsupported_media_type', 'Content-Encoding may be gzip, deflate or br')
  }
  try {
    return await DECODERS[encoding as keyof typeof DECODERS](bytes, { maxOutputLength: MAX_BYTES })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new AppError('malformed_json', `The body is not valid ${encoding}`)
  }
}
