import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { AppError, STATUS_OF } from '../errors.ts'
import { errorAnswer } from './error-answer.ts'
import { requestIdFrom } from './request-id.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** How long clients are asked to close their connections before idle ones are closed on them. */
const GRACE_MS = 2_500
const POLL_MS = 25

export interface HttpServer {
  server: Server
  /** Takes no new connection, answers what is in flight, then resolves. */
  drain(): Promise<void>
}

/** One `node:http` server. What is not HTTP is answered like every other error. */
export function createHttpServer(handle: Handler): HttpServer {
  let isDraining = false
  const server = createServer(
    // What Node would answer by itself without a Host or to an Expect it does not know has no request id.
    { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000, requireHostHeader: false },
    (request, response) => {
      if (isDraining) response.setHeader('Connection', 'close')
      if (request.headers.host === undefined && request.httpVersion === '1.1') refuse(NO_HOST, request.socket)
      else handle(request, response)
    },
  )
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
  const refusal =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? new AppError('request_timeout', 'The request did not come in time')
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? new AppError('payload_too_large', 'URL and headers have more than 16 KiB together')
        : new AppError('bad_request', 'The request is not HTTP this server understands')
  const { body } = errorAnswer(refusal, requestIdFrom(undefined))
  const text = JSON.stringify(body)
  const status = STATUS_OF[refusal.code]
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      `Content-Type: application/json; charset=utf-8\r\nX-Request-Id: ${body.request_id}\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  )
}
