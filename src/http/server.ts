import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { AppError, STATUS_OF } from '../platform/errors.ts'
import { errorAnswer } from './error-answer.ts'
import { requestIdFrom } from './request-id.ts'

/** Longer than any answer takes to compute: a connection without progress for so long has a client that does not read. */
const STALLED_MS = 30_000
const REFUSED_MS = 1_000
/** How long a connection may be idle between two requests: longer than the minute of usual proxies. */
const KEEP_ALIVE_MS = 65_000

/** Time in which clients are asked to close their connections, before the server closes idle ones itself. */
const GRACE_MS = 2_500
const POLL_MS = 25

/**
 * Creates a `node:http` server. Invalid HTTP gets the same error shape as every other error. Headers may take 10 s, a request
 * with its body 30 s, and the client must read some part of the answer every 30 s.
 * @param options.maxConnections most open connections; further ones are answered 503 and closed
 * @param options.stalledMs time that a connection may make no progress, in either direction, while a request is answered
 */
export function createHttpServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  { maxConnections, stalledMs = STALLED_MS }: { maxConnections: number; stalledMs?: number },
) {
  let isDraining = false
  const server = createServer(
    // Node's own answers to a missing Host or an unknown Expect have no request id, so the service answers both itself.
    {
      requestTimeout: 30_000,
      headersTimeout: 10_000,
      connectionsCheckingInterval: 5_000,
      keepAliveTimeout: KEEP_ALIVE_MS,
      requireHostHeader: false,
    },
    (request, response) => {
      if (surplus.has(request.socket)) return
      if (isDraining) response.setHeader('Connection', 'close')
      if (request.headers.host === undefined && request.httpVersion === '1.1') refuse(NO_HTTP, request.socket)
      else handle(request, response)
    },
  )
  endStalled(server, stalledMs)
  endUnread(server, stalledMs)
  const surplus = limitConnections(server, maxConnections)
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket: Socket) => {
    if (code === 'ECONNRESET') socket.destroy()
    else refuse(REFUSALS[code] ?? NO_HTTP, socket)
  })
  server.on('checkExpectation', handle)
  server.on('checkContinue', (request, response) => {
    // Send 100 Continue only when the body is going to be read: by default Node would send it for every request.
    request.once('resume', () => {
      if (!response.headersSent) response.writeContinue()
    })
    server.emit('request', request, response)
  })
  return {
    server,
    /** Accepts no new connections, answers the requests in flight, then resolves. */
    drain() {
      isDraining = true
      return new Promise<void>(resolve => {
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
 * Ends connections without progress for `stalledMs`: the client does not read its answer, or its request stops in the middle.
 * An answer that is sent piece by piece counts as progress.
 */
function endStalled(server: Server, stalledMs: number): void {
  server.setTimeout(stalledMs, socket => {
    // Between requests Node sets another timeout on the connection, and the client expects no answer.
    const isBetweenRequests = socket.timeout !== stalledMs
    if (isBetweenRequests || socket.writableLength > 0) socket.destroy()
    else refuse(STALLED, socket)
  })
}

const STALLED = new AppError('request_timeout', 'The request did not come in time')

/** Checks of a connection in the time that it may stall. */
const CHECKS = 30

/**
 * Ends connections whose client has taken nothing of what waits for it for `stalledMs`. The timeout of a socket would take twice as long: at
 * its end, Node starts it again when anything was taken since the last one.
 */
function endUnread(server: Server, stalledMs: number): void {
  // Checks are counted, not time: a pause of this process is no fault of a client.
  const open = new Map<Socket, { completed: number; queued: number; untaken: number }>()
  server.on('connection', (socket: Socket) => {
    open.set(socket, { completed: 0, queued: 0, untaken: 0 })
    socket.once('close', () => open.delete(socket))
  })
  const timer = setInterval(() => {
    for (const [socket, seen] of open) {
      // Bytes of finished writes, and what is left of the running one: more answers that are added count as no progress.
      const completed = socket.bytesWritten - socket.writableLength
      const queued = (socket as { _handle?: { writeQueueSize?: number } })._handle?.writeQueueSize ?? 0
      const isTaken = socket.writableLength === 0 || completed !== seen.completed || queued !== seen.queued
      const untaken = isTaken ? 0 : seen.untaken + 1
      Object.assign(seen, { completed, queued, untaken })
      if (untaken >= CHECKS) socket.destroy()
    }
  }, stalledMs / CHECKS)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

/** Maximum connections above the ceiling that get a 503; all others are closed without an answer. */
const MOST_REFUSED = 1_000

/**
 * Answers connections above the ceiling with 503 and closes them. Do not use `server.maxConnections` instead: when all workers
 * are full, the primary of a cluster then passes a connection from worker to worker without end.
 * @returns the refused connections; their requests must not be answered
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
    // Keep reading what the client has sent: closing with unread data causes a reset, which would overtake the answer.
    const timer = setTimeout(() => socket.destroy(), REFUSED_MS)
    socket.once('close', () => clearTimeout(timer))
  })
  return surplus
}

const TOO_MANY = new AppError('unavailable', 'More connections are open than may be; try again shortly', {
  retryAfter: 1,
})

/**
 * Stops listening without closing idle connections. `server.close` closes them at once, and loses requests that are already
 * on their way. Here a client has time to send one more request and read `Connection: close`.
 */
function stopListening(server: Server, done: () => void): void {
  const closeIdleConnections = server.closeIdleConnections
  server.closeIdleConnections = () => {}
  server.close(done)
  server.closeIdleConnections = closeIdleConnections
}

const NO_HTTP = new AppError('bad_request', 'The request is not HTTP this server understands')

/** Refusals of errors of Node; every other error is no HTTP. */
const REFUSALS: Record<string, AppError> = {
  ERR_HTTP_REQUEST_TIMEOUT: STALLED,
  HPE_HEADER_OVERFLOW: new AppError('payload_too_large', 'URL and headers have more than 16 KiB together'),
}

/** Writes an error answer directly to the socket, in the shape of every other error, and closes the connection. */
function refuse(refusal: AppError, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
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
