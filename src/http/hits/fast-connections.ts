import type { Socket } from 'node:net'
import { type FastRequest, readFastRequest } from './fast-request.ts'
import { type HitAnswer, headText } from './hit-answers.ts'

/** Time in which the rest of a request must come. */
const REST_MS = 1_000
/** Time in which the first bytes must come. */
const SILENT_MS = 10_000

/**
 * Answers a usual request; returns undefined when its path is not one for hits. The promise never rejects; it resolves with undefined
 * when there is no answer, which closes the connection.
 */
export type RespondFast = (
  request: FastRequest,
  body: Buffer,
  remoteAddress: string | undefined,
) => Promise<HitAnswer | undefined> | undefined

/**
 * Serves connections on which usual requests for hits come one after the other. Anything else goes to the fallback, Node's HTTP server:
 * with the first such request, the connection is handed over with all bytes that are not answered, and stays there. Node's parser,
 * streams and events take a third of the CPU that a worker needs for a hit without its commit.
 * @param options.handOver gives a connection to the fallback; the bytes are in front of its stream
 * @param options.isDraining true when connections are to end; only the fallback sends `Connection: close`
 * @param options.keepAliveMs how long a connection may be idle between two requests
 * @param options.restMs time in which the rest of a request must come before the fallback waits for it with its own limits
 * @param options.silentMs the same for the first bytes of a connection
 */
export function createFastConnections(options: {
  respond: RespondFast
  handOver: (socket: Socket) => void
  isDraining: () => boolean
  keepAliveMs: number
  restMs?: number
  silentMs?: number
}) {
  const { respond, handOver, isDraining, keepAliveMs, restMs = REST_MS, silentMs = SILENT_MS } = options
  /** Open connections, with a function that returns whether a request is in progress. */
  const open = new Map<Socket, () => boolean>()

  function serve(socket: Socket): void {
    /** Bytes of requests that are not being answered yet. */
    let waiting: Buffer | undefined
    let isPartial = false
    let isAnswering = false
    let hasEnded = false
    let timer: NodeJS.Timeout | undefined = setTimeout(handOverSocket, silentMs)

    function receive(chunk: Buffer): void {
      waiting = waiting ? Buffer.concat([waiting, chunk]) : chunk
      // The next request waits in the socket's own buffer, so a client that does not wait for answers fills no memory here.
      if (isAnswering) socket.pause()
      else readNext(waiting)
    }

    function readNext(bytes: Buffer): void {
      // A client that does not read its answers is left to the fallback, which stops reading, too.
      const request = isDraining() || socket.writableNeedDrain ? undefined : readFastRequest(bytes)
      const size = request ? request.headBytes + request.bodyBytes : 0
      if (request && bytes.length < size && !isPartial) {
        // Many clients send a head and its body in two packets. More packets would each cost a copy, and another reading of the head.
        isPartial = true
        clearTimeout(timer)
        timer = setTimeout(handOverSocket, restMs)
        return
      }
      const isWhole = request && bytes.length === size
      const answered = isWhole
        ? respond(request, bytes.subarray(request.headBytes), socket.remoteAddress)
        : undefined
      if (!answered) {
        handOverSocket()
        return
      }
      waiting = undefined
      isPartial = false
      isAnswering = true
      clearTimeout(timer)
      void answered.then(send)
    }

    function send(answer: HitAnswer | undefined): void {
      isAnswering = false
      if (socket.destroyed) return
      if (!answer) {
        socket.destroy()
        return
      }
      const head = headText(answer, keepAliveMs)
      // Writing the same text as UTF-8 takes twice as long.
      if (answer.body === '') socket.write(head, 'latin1')
      else socket.write(head + answer.body)
      if (waiting) {
        socket.resume()
        readNext(waiting)
      }
      if (hasEnded && !isAnswering) socket.end()
    }

    function handOverSocket(): void {
      // After its end, a stream takes nothing in front, and Node's server would not see the end.
      if (hasEnded) {
        socket.end()
        return
      }
      forget()
      if (socket.destroyed) return
      // Node's server reads from the socket itself, so nothing may flow before it listens.
      socket.pause()
      if (waiting) socket.unshift(waiting)
      socket.setTimeout(0)
      handOver(socket)
      process.nextTick(() => socket.resume())
    }

    function end(): void {
      hasEnded = true
      clearTimeout(timer)
      if (!isAnswering) socket.end()
    }

    function closeIfIdle(): void {
      if (!isAnswering) socket.destroy()
    }

    function forget(): void {
      open.delete(socket)
      clearTimeout(timer)
      socket
        .off('data', receive)
        .off('end', end)
        .off('timeout', closeIfIdle)
        .off('error', ignore)
        .off('close', forget)
    }

    open.set(socket, () => isAnswering || waiting !== undefined || socket.writableLength > 0)
    socket.setTimeout(keepAliveMs)
    socket
      .on('data', receive)
      .on('end', end)
      .on('timeout', closeIfIdle)
      .on('error', ignore)
      .on('close', forget)
  }

  return {
    /** Serves a new connection. */
    serve,
    /** Closes connections on which no request is in progress. */
    closeIdle(): void {
      for (const [socket, isBusy] of open) if (!isBusy()) socket.destroy()
    },
    /** Closes all connections that were not handed over. */
    closeAll(): void {
      for (const socket of open.keys()) socket.destroy()
    },
  }
}

/** Ignores errors: the socket closes after them. */
const ignore = () => {}
