import { createHash } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

type Encoding = 'br' | 'gzip' | 'identity'

/** Largest asset that gets the best brotli quality; for larger ones it would block the worker for too long. */
const THOROUGH_BYTES = 100_000

/**
 * Creates an asset of bytes that never change while the process runs. Each encoding is compressed at its first request.
 * @param compressed encodings that were made before
 */
export function createAsset(
  plain: Buffer,
  type: string,
  cacheControl: string,
  compressed: Partial<Record<Encoding, Buffer>> = {},
) {
  const bodies: Partial<Record<Encoding, Buffer>> = { identity: plain, ...compressed }
  const tag = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
  const cached = {
    'Cache-Control': cacheControl,
    // Weak, because all encodings share the same tag.
    ETag: `W/"${tag}"`,
    Vary: 'Accept-Encoding',
  }
  return {
    /** Answers GET and HEAD: 304 when the ETag matches, else the bytes in the best encoding. `headers` are added. */
    serve(
      request: IncomingMessage,
      response: ServerResponse,
      headers: OutgoingHttpHeaders = {},
      status = 200,
    ) {
      if (status === 200 && request.headers['if-none-match']?.includes(`"${tag}"`)) {
        response.writeHead(304, { ...headers, ...cached }).end()
        return
      }
      const accepted = String(request.headers['accept-encoding'] ?? '')
      const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : 'identity'
      bodies[encoding] ??= compress(plain, encoding)
      const body = bodies[encoding]
      response.writeHead(status, {
        ...headers,
        ...cached,
        'Content-Type': type,
        'Content-Length': body.length,
        ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
      })
      response.end(request.method === 'HEAD' ? undefined : body)
    },
  }
}

export type Asset = ReturnType<typeof createAsset>

function compress(plain: Buffer, encoding: Encoding): Buffer {
  if (encoding === 'gzip') return gzipSync(plain)
  const quality = plain.length > THOROUGH_BYTES ? 5 : constants.BROTLI_MAX_QUALITY
  return brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
}
