import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { AppError, STATUS_OF } from '../errors.ts'
import { errorAnswer } from './error-answer.ts'
import { requestIdFrom } from './request-id.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

interface ServerOptions {
  /** Most connections at once; those beyond are answered 503 and closed. */
  maxConnections: number
  /** How long a connection may make no progress, in either direction, while a request is answered; milliseconds. */
  stalledMs?: number
}

/** Longer than any answer takes to make: what makes no progress for so long waits for its reader. */
const STALLED_MS = 30_000
/** How long a connection that is refused may take to read its answer. */
const REFUSED_MS = 1_000

/** How long clients are asked to close their connections before idle ones are closed on them. */
const GRACE_MS = 2_500
const POLL_MS = 25

export interface HttpServer {
  server: Server
  /** Takes no new connection, answers what is in flight, then resolves. */
  drain(): Promise<void>
}

/**
 * One `node:http` server. What is not HTTP is answered like every other error. Headers may take 10 s, a request with its body 30 s,
 * and of an answer something must be read every 30 s.
 */
export function createHttpServer(
  handle: Handler,
  { maxConnections, stalledMs = STALLED_MS }: ServerOptions,
): HttpServer {
  let isDraining = false
  const server = createServer(
    // What Node would answer by itself without a Host or to an Expect it does not know has no request id.
    {
      requestTimeout: 30_000,
      headersTimeout: 10_000,
      connectionsCheckingInterval: 5_000,
      keepAliveTimeout: 65_000,
      requireHostHeader: false,
    },
    (request, response) => {
      if (surplus.has(request.socket)) return
      if (isDraining) response.setHeader('Connection', 'close')
      if (request.headers.host === undefined && request.httpVersion === '1.1') refuse(NO_HOST, request.socket)
      else handle(request, response)
    },
  )
  endStalled(server, stalledMs)
  const surplus = limitConnections(server, maxConnections)
  server.on('clientError', refuse)
  server.on('checkExpectation', handle)
  server.on('checkContinue', (request, response) => {
    // Only a body that is going to be read is asked for: Node by itself would ask for each.
    request.once('resume', () => {
      if (!response.headersSent) response.writeContinue()
    })
    server.emit('request', request, response)
  })
  return {
    server,
    drain() {
      isDraining = true
      return new Promise(resolve => {
        const closeIdleAt = performance.now() + GRACE_MS
        const timer = setInterval(() => {
          if (performance.now() >= closeIdleAt) server.closeIdleConnections()
        }, POLL_MS)
        stopListening(server, () => {
          clearInterval(timer)
          resolve()
        })
      })
    },
  }
}

/**
 * Ends connections on which nothing has moved for so long: of an answer that its reader does not take, and of a request that stops
 * in the middle. An answer that goes out piece by piece moves.
 */
function endStalled(server: Server, stalledMs: number): void {
  server.setTimeout(stalledMs, socket => {
    // Between requests Node gives a connection another time, and nobody waits for a word.
    const isBetweenRequests = socket.timeout !== stalledMs
    if (isBetweenRequests || socket.writableLength > 0) socket.destroy()
    else refuse(STALLED, socket)
  })
}

const STALLED: NodeJS.ErrnoException = Object.assign(new Error('the request stopped'), {
  code: 'ERR_HTTP_REQUEST_TIMEOUT',
})

/** Most connections at once that are told why they are refused; the rest is just closed. */
const MOST_REFUSED = 1_000

/**
 * Answers connections beyond the ceiling with 503 and closes them. Not `server.maxConnections`: when all workers are full, the
 * primary of a cluster then hands a connection round among them without end.
 * @returns the connections that are refused, of which nothing more may be answered
 */
function limitConnections(server: Server, maxConnections: number): WeakSet<Socket> {
  const surplus = new WeakSet<Socket>()
  let open = 0
  server.on('connection', socket => {
    open += 1
    socket.once('close', () => {
      open -= 1
    })
    if (open <= maxConnections) return
    surplus.add(socket)
    if (open > maxConnections + MOST_REFUSED) {
      socket.destroy()
      return
    }
    refuse(TOO_MANY, socket)
    // What it has sent is read meanwhile: a reset would overtake the answer.
    const timer = setTimeout(() => socket.destroy(), REFUSED_MS)
    socket.once('close', () => clearTimeout(timer))
  })
  return surplus
}

const TOO_MANY: NodeJS.ErrnoException = Object.assign(new Error('too many connections'), {
  code: 'TOO_MANY',
})

/**
 * `server.close` closes idle connections at once, and with them requests that are on their way: here they get the
 * time to send one more and read `Connection: close`.
 */
function stopListening(server: Server, done: () => void): void {
  const closeIdleConnections = server.closeIdleConnections
  server.closeIdleConnections = () => {}
  server.close(done)
  server.closeIdleConnections = closeIdleConnections
}

const NO_HOST: NodeJS.ErrnoException = Object.assign(new Error('no Host header'), { code: 'NO_HOST' })

/** Answers what is not HTTP on its socket, in the shape of every other error, and hangs up. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const refusal = refusalOf(error)
  const { body, headers } = errorAnswer(refusal, requestIdFrom(undefined))
  const text = JSON.stringify(body)
  const status = STATUS_OF[refusal.code]
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      `Content-Type: application/json; charset=utf-8\r\nX-Request-Id: ${body.request_id}\r\n` +
      Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('') +
      `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  )
}

function refusalOf({ code }: NodeJS.ErrnoException): AppError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('request_timeout', 'The request did not come in time')
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('payload_too_large', 'URL and headers have more than 16 KiB together')
    case 'TOO_MANY':
      return new AppError('unavailable', 'More connections are open than may be; try again shortly', {
        retryAfter: 1,
      })
    default:
      return new AppError('bad_request', 'The request is not HTTP this server understands')
  }
}
