import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { answerAccepted } from '../../src/http/accepted-answer.ts'
import { CORS_LINES } from '../../src/http/hit-answers.ts'
import { createHttpServer } from '../../src/http/server.ts'

const DECISION = { isAllowed: true, limit: 600, remaining: 512, resetAt: 1_795_437_840 }
const ABOUT = ['X-Tracker', 'mode=cookie, errors=1']

const ANSWERS: Record<string, (response: ServerResponse) => void> = {
  '/hit': response => answerAccepted(response, 'request-1', DECISION, ABOUT),
  '/node': response => {
    const limits = [
      'X-RateLimit-Limit',
      '600',
      'X-RateLimit-Remaining',
      '512',
      'X-RateLimit-Reset',
      '1795437840',
    ]
    response.writeHead(202, [
      ...CORS_LINES,
      'X-Request-Id',
      'request-1',
      ...limits,
      ...ABOUT,
      'Content-Length',
      '0',
    ])
    response.end()
  },
  '/bare': response => answerAccepted(response, 'request-2', undefined, []),
  '/last': response => {
    response.setHeader('Connection', 'close')
    answerAccepted(response, 'request-3', undefined, [])
  },
}

let close = () => {}
afterEach(() => close())

/** Sends the requests at once over one connection that the last one ends, and returns the heads of their answers. */
async function headsOf(...requests: string[]): Promise<string[]> {
  const { server } = createHttpServer((request, response) => ANSWERS[request.url!]!(response), {
    maxConnections: 10,
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  close = () => server.close()
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(requests.join(''))
  let text = ''
  socket.on('data', chunk => {
    text += chunk
  })
  await once(socket, 'close')
  return text.split('\r\n\r\n').slice(0, -1)
}

const post = (path: string, more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n${more}\r\n`
const withoutDate = (head: string | undefined) => head?.replace(/Date: .{29}\r\n/, 'Date\r\n')

test('accepted hits: the answer is that which Node writes from the same headers, for requests in a row', async () => {
  const [first, second, third] = await headsOf(
    post('/hit'),
    post('/node'),
    post('/hit', 'Connection: close\r\n'),
  )
  expect(withoutDate(first)).toBe(withoutDate(second))
  expect(first).toMatch(/Connection: keep-alive\r\nKeep-Alive: timeout=65$/)
  expect(Math.abs(Date.parse(/Date: (.*)/.exec(first!)![1]!) - Date.now())).toBeLessThan(60_000)
  expect(third).toMatch(/^HTTP\/1.1 202 Accepted\r\n[\s\S]*Connection: close$/)
})

test('accepted hits: a response that is to end its connection does', async () => {
  const heads = await headsOf(post('/bare'), post('/last'))
  expect(heads[0]).toMatch(/X-Request-Id: request-2\r\nContent-Length: 0\r\nDate/)
  expect(heads[1]).toMatch(/Connection: close/)
})

test('accepted hits: HTTP/1.0 without keep-alive gets its answer and the end of the connection', async () => {
  const heads = await headsOf('POST /hit HTTP/1.0\r\nContent-Length: 0\r\n\r\n')
  expect(heads[0]).toMatch(/Connection: close/)
})
