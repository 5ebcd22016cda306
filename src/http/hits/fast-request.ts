import { CHEAP_BYTES } from './sender-limits.ts'

// Reads the head of a usual request without Node's server. The grammar is a part of RFC 9112 that leaves no room for
// two readings: where a proxy in front of the service might see another request than this file, the request is not usual.

/** Head of a usual request, as far as hits need it. */
export interface FastRequest {
  /** Path without the query. */
  path: string
  userAgent: string
  /** `X-Forwarded-For`; undefined without it. */
  forwardedFor: string | undefined
  /** `X-Request-Id`; undefined without it. */
  requestId: string | undefined
  headBytes: number
  bodyBytes: number
}

const END = Buffer.from('\r\n\r\n')
/** Longest head that Node's server takes, too. */
const MAX_HEAD_BYTES = 16 * 1024

/** A request line and header lines without folding, bare line breaks or other control characters. */
const USUAL_HEAD =
  /^POST \/[\x21-\x7e]* HTTP\/1\.1\r\n(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)+$/
const PATH_START = 'POST '.length
const PLAIN_LENGTH = /^[\t ]*\d{1,5} *$/
/** `trim` removes it, but it belongs to a value. */
const NO_BREAK_SPACE = '\xa0'

/** Headers that a hit needs, or that change how a request must be read; `undefined` marks those that no usual request has. */
const FIELDS = {
  host: 'host',
  connection: 'connection',
  'content-length': 'contentLength',
  'user-agent': 'userAgent',
  'x-forwarded-for': 'forwardedFor',
  'x-request-id': 'requestId',
  'content-encoding': undefined,
  'transfer-encoding': undefined,
  'proxy-connection': undefined,
  expect: undefined,
  upgrade: undefined,
} as const
const KNOWN_LENGTHS = new Set(Object.keys(FIELDS).map(name => name.length))

/**
 * Reads the head of a request with a short plain body. Undefined when the bytes begin with anything else, or do not hold the whole head:
 * another method or version, a header twice, an encoded or large body, a connection that is to end.
 */
export function readFastRequest(bytes: Buffer): FastRequest | undefined {
  const end = bytes.indexOf(END)
  if (end < 0 || end > MAX_HEAD_BYTES) return undefined
  const head = bytes.toString('latin1', 0, end + 2)
  if (!USUAL_HEAD.test(head)) return undefined
  const values: Record<string, string | undefined> = {
    host: undefined,
    connection: undefined,
    contentLength: undefined,
    userAgent: undefined,
    forwardedFor: undefined,
    requestId: undefined,
  }
  const lineEnd = head.indexOf('\r\n')
  for (let start = lineEnd + 2; start < head.length; ) {
    const next = head.indexOf('\r\n', start)
    const colon = head.indexOf(':', start)
    if (KNOWN_LENGTHS.has(colon - start)) {
      const name = head.slice(start, colon).toLowerCase()
      if (Object.hasOwn(FIELDS, name)) {
        const field = FIELDS[name as keyof typeof FIELDS]
        const value = head.slice(colon + 1, next)
        if (field === undefined || values[field] !== undefined || value.includes(NO_BREAK_SPACE))
          return undefined
        values[field] = field === 'contentLength' ? value : value.trim()
      }
    }
    start = next + 2
  }
  const { host, connection, contentLength = '', userAgent = '', forwardedFor, requestId } = values
  if (host === undefined || !PLAIN_LENGTH.test(contentLength)) return undefined
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return undefined
  const bodyBytes = Number(contentLength)
  // A larger body is counted before it is read, which only the fallback does.
  if (bodyBytes > CHEAP_BYTES) return undefined
  const target = head.slice(PATH_START, head.indexOf(' ', PATH_START))
  const query = target.indexOf('?')
  const path = query < 0 ? target : target.slice(0, query)
  return { path, userAgent, forwardedFor, requestId, headBytes: end + END.length, bodyBytes }
}
