import { createHash } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

type Encoding = 'br' | 'gzip' | 'identity'

/** What is compressed as far as it goes; for more than that, a worker would stand still too long. */
const THOROUGH_BYTES = 100_000

export interface Asset {
  /** Answers GET and HEAD: 304 to who has it, else the bytes in the best encoding. `headers` are added. */
  serve(request: IncomingMessage, response: ServerResponse, headers?: OutgoingHttpHeaders): void
}

/** Bytes that stay as they are while the process runs, compressed when they are first asked for. */
export function createAsset(plain: Buffer, type: string, cacheControl: string): Asset {
  const bodies: Partial<Record<Encoding, Buffer>> = { identity: plain }
  const tag = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
  const cached = {
    'Cache-Control': cacheControl,
    // Weak, because it is the same for every encoding.
    ETag: `W/"${tag}"`,
    Vary: 'Accept-Encoding',
  }
  return {
    serve(request, response, headers = {}) {
      if (request.headers['if-none-match']?.includes(`"${tag}"`)) {
        response.writeHead(304, { ...headers, ...cached }).end()
        return
      }
      const accepted = String(request.headers['accept-encoding'] ?? '')
      const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : 'identity'
      bodies[encoding] ??= compress(plain, encoding)
      const body = bodies[encoding]
      response.writeHead(200, {
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

function compress(plain: Buffer, encoding: Encoding): Buffer {
  if (encoding === 'gzip') return gzipSync(plain)
  const quality = plain.length > THOROUGH_BYTES ? 5 : constants.BROTLI_MAX_QUALITY
  return brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
}
