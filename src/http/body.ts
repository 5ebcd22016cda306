import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { AppError, invalidField } from '../errors.ts'

/** Most bytes of a body, unpacked. */
const MAX_BYTES = 256 * 1024

/**
 * The body as it is, unpacked if it came compressed.
 * @throws AppError `payload_too_large` over the limit, packed or unpacked; `unsupported_media_type` for a content
 * encoding other than gzip, deflate and br; `bad_request` when the body breaks off or cannot be unpacked
 */
export function readBody(request: IncomingMessage, maxBytes = MAX_BYTES): Promise<Buffer> {
  // Straight on: for what is small and plain, every promise shows.
  const { headers } = request
  const isPlain = headers['content-encoding'] === undefined && !(Number(headers['content-length']) > maxBytes)
  return isPlain ? collect(request, maxBytes) : unpack(request, maxBytes)
}

async function unpack(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (Number(request.headers['content-length']) > maxBytes) {
    request.resume()
    throw tooLarge(maxBytes)
  }
  if (encoding === 'identity' || encoding === '') return collect(request, maxBytes)
  const unpacker = Object.hasOwn(UNPACKERS, encoding) ? UNPACKERS[encoding]!() : undefined
  if (!unpacker) {
    request.resume()
    throw new AppError('unsupported_media_type', 'The content encoding must be gzip, deflate or br')
  }
  request.once('close', () => {
    if (!request.complete) unpacker.destroy()
  })
  try {
    return await collect(request.pipe(unpacker), maxBytes)
  } finally {
    request.unpipe(unpacker)
    request.resume()
    unpacker.destroy()
  }
}

/**
 * The body as a JSON object in UTF-8, whatever content type it claims; an empty one is an object without fields.
 * @throws AppError `malformed_json`, `validation_failed` for JSON of another kind, or as `readBody`
 */
export async function readJsonObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  const text = await readText(request)
  const value = text === '' ? {} : parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidField('body', 'The body must be a JSON object')
  }
  return value as Record<string, unknown>
}

/**
 * The JSON value of the body, whatever content type it claims.
 * @throws AppError `malformed_json`, also when there is none, or as `readBody`
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  return parse(textOf(await readBody(request)))
}

/** The body as UTF-8 text, empty when there is none. Throws as `readBody`. */
export async function readText(request: IncomingMessage): Promise<string> {
  return textOf(await readBody(request))
}

function textOf(body: Buffer): string {
  const text = body.toString()
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

const UNPACKERS: Record<string, () => ReturnType<typeof createGunzip>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('malformed_json', 'The body is not valid JSON')
  }
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `The body is larger than ${maxBytes / 1024} KiB`)
}

function collect(stream: Readable, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Nearly always there is one.
    let first: Buffer | undefined
    let more: Buffer[] | undefined
    let size = 0
    let isOver = false
    const broken = () => {
      // Every stream closes in the end: an error that nobody hears of would still be made.
      if (isOver) return
      isOver = true
      reject(new AppError('bad_request', 'The body breaks off or cannot be unpacked'))
    }
    // Somebody who left before the body was asked for is not announced again.
    if (stream.destroyed) return broken()
    stream.on('data', (chunk: Buffer) => {
      // The rest is read and forgotten: the connection stays usable, and the answer arrives.
      if (isOver) return
      size += chunk.length
      if (size > maxBytes) {
        isOver = true
        first = more = undefined
        return reject(tooLarge(maxBytes))
      }
      if (!first) first = chunk
      else if (more) more.push(chunk)
      else more = [chunk]
    })
    stream.on('end', () => {
      isOver = true
      resolve(more ? Buffer.concat([first!, ...more]) : (first ?? EMPTY))
    })
    stream.on('error', broken)
    stream.on('close', broken)
  })
}

const EMPTY = Buffer.alloc(0)
