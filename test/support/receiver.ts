import type { IncomingHttpHeaders } from 'node:http'
import { startLocalServer } from './local-server.ts'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  json: any
}

export type ReceiverAnswer =
  | { status: number; body?: string; headers?: Record<string, string> }
  | 'never'
  /** A status of success, then a byte every now and then. */
  | 'drips'

/** A real HTTP server on this machine that keeps what it gets. */
export async function startReceiver() {
  const received: Received[] = []
  const receiver = {
    received,
    /** What a request is answered with. */
    answer: (_request: Received): ReceiverAnswer => ({ status: 200 }),
    of: (path: string) => received.filter(each => each.path === path),
  }
  const { url, close } = await startLocalServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const got = { path: request.url!, headers: request.headers, body, json: JSON.parse(body) }
      received.push(got)
      const answer = receiver.answer(got)
      if (answer === 'never') return
      if (answer === 'drips') {
        response.writeHead(200).flushHeaders()
        const dripping = setInterval(() => response.write('.'), 50)
        response.once('close', () => clearInterval(dripping))
        return
      }
      response.writeHead(answer.status, answer.headers)
      response.end(answer.body ?? '')
    })
  })
  return Object.assign(receiver, { url, close })
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>
