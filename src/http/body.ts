import type { IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { AppError, invalidField } from '../platform/errors.ts'
import { parseJson } from '../platform/lib/json.ts'

export interface BodyLimits {
  plain: number
  /** Limit of a compressed body, both compressed and unpacked. */
  unpacked: number
}

const KIB = 1024
const USUAL: BodyLimits = { plain: 256 * KIB, unpacked: 256 * KIB }

/**
 * Reads the body as bytes, unpacked if it is compressed.
 * @throws AppError `payload_too_large` over a limit; `unsupported_media_type` for a content
 * encoding other than gzip, deflate and br; `bad_request` when the body breaks off or cannot be unpacked
 */
export function readBody(request: IncomingMessage, limits = USUAL): Promise<Buffer> {
  // No async function here: for small plain bodies every extra promise is a measurable cost.
  const encoding = request.headers['content-encoding']
  return encoding === undefined ? collect(request, limits.plain) : readEncoded(request, encoding, limits)
}

async function readEncoded(request: IncomingMessage, header: string, limits: BodyLimits): Promise<Buffer> {
  const encoding = header.trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return collect(request, limits.plain)
  const unpack = Object.hasOwn(UNPACKERS, encoding) ? UNPACKERS[encoding]! : undefined
  if (!unpack) {
    discardBody(request)
    throw new AppError('unsupported_media_type', 'The content encoding must be gzip, deflate or br')
  }
  const packed = await collect(request, limits.unpacked, 'compressed ')
  if (packed.length === 0) return packed
  try {
    // Synchronous: for a hit the thread pool costs five times as much CPU as the unpacking itself (50 µs).
    return unpack(packed, { maxOutputLength: limits.unpacked })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw broken()
    throw new AppError(
      'payload_too_large',
      `The compressed body unpacks to more than ${limits.unpacked / KIB} KiB`,
    )
  }
}

/**
 * Reads the body as a JSON object in UTF-8 and ignores the content type; an empty body is an object without fields.
 * @throws AppError `validation_failed` for JSON that is not an object, or as `parseJson` and `readBody`
 */
export async function readJsonObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  const text = await readText(request)
  const value = text === '' ? {} : parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidField('body', 'The body must be a JSON object')
  }
  return value as Record<string, unknown>
}

/** Reads the body as UTF-8 text, empty without a body. Throws as `readBody`. */
export async function readText(request: IncomingMessage): Promise<string> {
  return textOf(await readBody(request))
}

/** Decodes a body, without a byte order mark. */
export function textOf(body: Buffer): string {
  const text = body.toString()
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

const UNPACKERS: Record<string, typeof gunzipSync> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync as typeof gunzipSync,
}

const broken = () => new AppError('bad_request', 'The body breaks off or cannot be unpacked')

/** @param kind text before `body` in the error message */
function collect(request: IncomingMessage, maxBytes: number, kind = ''): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Nearly every body arrives in one chunk, so the first one needs no array and no copy.
    let first: Buffer | undefined
    let more: Buffer[] | undefined
    let size = 0
    let isOver = false
    const refuse = () => {
      isOver = true
      first = more = undefined
      discardBody(request)
      reject(new AppError('payload_too_large', `The ${kind}body is larger than ${maxBytes / KIB} KiB`))
    }
    const breakOff = () => {
      // Every stream closes in the end: do not build an Error after the promise has settled.
      if (isOver) return
      isOver = true
      reject(broken())
    }
    // If the sender disconnected before this point, no event follows.
    if (request.destroyed) return breakOff()
    if (Number(request.headers['content-length']) > maxBytes) return refuse()
    request.on('data', (chunk: Buffer) => {
      if (isOver) return
      size += chunk.length
      if (size > maxBytes) return refuse()
      if (!first) first = chunk
      else if (more) more.push(chunk)
      else more = [chunk]
    })
    request.on('end', () => {
      isOver = true
      resolve(more ? Buffer.concat([first!, ...more]) : (first ?? EMPTY))
    })
    // Also follows each error, which Node drops as long as it has no listener.
    request.on('close', breakOff)
  })
}

const EMPTY = Buffer.alloc(0)

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
