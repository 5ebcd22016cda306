import type { Socket } from 'node:net'
import { type FastRequest, readFastRequest } from './fast-request.ts'

const WAIT_MS = 1_000

export interface FastAnswer {
  /** Whole head, of ASCII characters, which keeps the connection open. */
  head: string
  body: string
}

/** Answers a usual request; returns undefined when its path is not one for hits. */
export type AnswerFast = (
  request: FastRequest,
  body: Buffer,
  remoteAddress: string | undefined,
) => Promise<FastAnswer> | undefined

/**
 * Serves connections on which usual requests for hits come one after the other. Anything else goes to the fallback, Node's HTTP server:
 * with the first such request, the connection is handed over with all bytes that are not answered, and stays there. Node's parser,
 * streams and events take half of the CPU that a hit costs a worker.
 * @param options.handOver gives a connection to the fallback; the bytes are in front of its stream
 * @param options.isDraining true when connections are to end, which only the fallback tells clients
 * @param options.keepAliveMs how long a connection may be idle between two requests
 * @param options.waitMs time in which the first request, or the rest of one, must come before the fallback waits for it with its own limits
 */
export function createFastConnections(options: {
  answer: AnswerFast
  handOver: (socket: Socket) => void
  isDraining: () => boolean
  keepAliveMs: number
  waitMs?: number
}) {
  const { answer, handOver, isDraining, keepAliveMs, waitMs = WAIT_MS } = options
  /** Open connections, with a function that tells whether a request is being received or answered. */
  const open = new Map<Socket, () => boolean>()

  function take(socket: Socket): void {
    /** Bytes of requests that are not being answered yet. */
    let waiting: Buffer | undefined
    let isAnswering = false
    let hasEnded = false
    let timer: NodeJS.Timeout | undefined = setTimeout(giveUp, waitMs)

    function receive(chunk: Buffer): void {
      waiting = waiting ? Buffer.concat([waiting, chunk]) : chunk
      // A client that does not wait for its answer has further bytes in the buffer of its socket only.
      if (isAnswering) socket.pause()
      else next(waiting)
    }

    function next(bytes: Buffer): void {
      const request = isDraining() ? undefined : readFastRequest(bytes)
      if (!request) {
        giveUp()
        return
      }
      const { headBytes, bodyBytes } = request
      const size = headBytes + bodyBytes
      if (bytes.length < size) {
        timer ??= setTimeout(giveUp, waitMs)
        return
      }
      const answered =
        bytes.length === size ? answer(request, bytes.subarray(headBytes), socket.remoteAddress) : undefined
      if (!answered) {
        giveUp()
        return
      }
      waiting = undefined
      isAnswering = true
      clearTimeout(timer)
      timer = undefined
      void answered.then(send)
    }

    function send({ head, body }: FastAnswer): void {
      isAnswering = false
      if (socket.destroyed) return
      // Writing the same text as UTF-8 takes twice as long.
      if (body === '') socket.write(head, 'latin1')
      else socket.write(head + body)
      if (hasEnded) {
        socket.end()
      } else if (waiting) {
        socket.resume()
        next(waiting)
      }
    }

    function giveUp(): void {
      leave()
      // Node's server reads from the socket itself, so nothing may flow before it listens.
      socket.pause()
      if (waiting) socket.unshift(waiting)
      socket.setTimeout(0)
      handOver(socket)
      process.nextTick(() => socket.resume())
    }

    function leave(): void {
      open.delete(socket)
      clearTimeout(timer)
      socket
        .off('data', receive)
        .off('end', end)
        .off('timeout', expire)
        .off('error', ignore)
        .off('close', leave)
    }

    function end(): void {
      hasEnded = true
      if (!isAnswering) socket.end()
    }

    function expire(): void {
      if (!isAnswering) socket.destroy()
    }

    open.set(socket, () => isAnswering || waiting !== undefined)
    socket.setTimeout(keepAliveMs)
    socket.on('data', receive).on('end', end).on('timeout', expire).on('error', ignore).on('close', leave)
  }

  return {
    /** Serves a new connection. */
    take,
    /** Closes connections on which no request is being received or answered. */
    closeIdle(): void {
      for (const [socket, isBusy] of open) if (!isBusy()) socket.destroy()
    },
    /** Closes all connections that were not handed over. */
    closeAll(): void {
      for (const socket of open.keys()) socket.destroy()
    },
  }
}

/** A broken connection closes; there is nobody to answer. */
const ignore = () => {}
