import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { startApi } from '../../support/api.ts'
import { startIngestApi } from '../../support/ingest-api.ts'
import { ofFile } from '../../support/of-file.ts'
import { createTestSite } from '../../support/sites.ts'
import { openWire, type WireAnswer } from '../../support/wire.ts'

const MINUTE = 60_000
const LIMIT = 2

let at = Math.ceil(Date.now() / MINUTE) * MINUTE

const api = ofFile(() => startApi({ now: () => new Date(at), config: { trackerPath: '/t', trustProxy: 1 } }))
beforeAll(async () => {
  Object.assign(api.services.config.limits, { collect: LIMIT, event: LIMIT, engage: 0, identify: LIMIT })
})
const worker = ofFile(() => startIngestApi(api.services, api.services.config.redisUrl!))
const site = ofFile(() => createTestSite(api.services.db))

/** A body that is not encoded, and says so, is counted before it is read; usual ones are counted with their hit. */
const COUNTED_FIRST = 'Content-Encoding: identity\r\n'
const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Safari/605.1.15'

async function send(path: string, body: string | Buffer, headers: string): Promise<WireAnswer> {
  const wire = openWire(worker.url)
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n`
  wire.send(Buffer.concat([Buffer.from(head), Buffer.from(body)]))
  const answer = await wire.answer()
  wire.socket.destroy()
  return answer
}

/** Answers to the same requests, counted with their hit and before their body is read, each in a minute of its own. */
async function answersOf(path: string, body: string | Buffer, headers: string): Promise<WireAnswer[][]> {
  const answers: WireAnswer[][] = []
  for (const way of ['', COUNTED_FIRST]) {
    at += MINUTE
    const sent: WireAnswer[] = []
    for (let count = 0; count <= LIMIT; count++) sent.push(await send(path, body, `${way}${headers}`))
    answers.push(sent)
  }
  return answers
}

const known = ({ status, headers, body }: WireAnswer) => ({
  status,
  headers: { ...headers, date: '', 'x-request-id': '', 'x-ratelimit-reset': '' },
  body: body.replace(/"request_id":"[^"]*"/, ''),
})

const hit = (more = {}) => JSON.stringify({ key: site.key, hostname: 'example.com', ...more })
const page = { url: { path: '/' } }

test.each<[string, string, () => string | Buffer, string, number[]]>([
  ['a pageview', '/api/collect', () => hit(page), '', [202, 202, 429]],
  ['a pageview at the path of the tracker', '/t/collect?x=1', () => hit(page), '', [202, 202, 429]],
  ['an event with a byte order mark', '/api/event', () => `\uFEFF${hit({ name: 'é' })}`, '', [202, 202, 429]],
  ['engagement without a limit', '/api/engage', () => hit({ ...page, sd: 1, time: 1 }), '', [202, 202, 202]],
  ['an identity', '/api/identify', () => hit({ identifier: 'ada' }), '', [202, 202, 429]],
  ['a crawler', '/api/collect', () => hit(page), 'User-Agent: Googlebot/2.1\r\n', [202, 202, 429]],
  ['a reserved name', '/api/event', () => hit({ name: 'payment' }), '', [202, 202, 429]],
  ['a body that is no JSON', '/api/collect', () => '{"key":"ü', '', [400, 400, 429]],
  ['an empty body', '/api/collect', () => '', '', [400, 400, 429]],
  ['invalid UTF-8', '/api/event', () => Buffer.from([0x22, 0xff, 0x22]), '', [422, 422, 429]],
  ['a missing field', '/api/collect', () => hit(), '', [422, 422, 429]],
  ['an unknown key', '/api/collect', () => hit({ ...page, key: randomUUID() }), '', [404, 404, 429]],
  ['a deep body', '/api/collect', () => '['.repeat(40) + ']'.repeat(40), '', [422, 422, 429]],
  ['a proxy', '/api/collect', () => hit(page), 'X-Forwarded-For: 192.0.2.7, 192.0.2.8\r\n', [202, 202, 429]],
  ['a given request id', '/api/collect', () => hit(page), 'X-Request-Id: abcdefgh\r\n', [202, 202, 429]],
  ['a request id that is too short', '/api/collect', () => hit(page), 'x-request-id: a\r\n', [202, 202, 429]],
])(
  'answers to hits: %s is answered alike whether it is counted before its body or with its hit',
  async (_, path, body, headers, expected) => {
    const agent = headers.includes('User-Agent') ? '' : `User-Agent: ${SAFARI}\r\n`
    const [usual, countedFirst] = await answersOf(path, body(), `${agent}${headers}`)
    expect(usual!.map(known)).toEqual(countedFirst!.map(known))
    expect(usual!.map(({ status }) => status)).toEqual(expected)
    if (headers.includes('abcdefgh')) expect(usual![0]!.headers['x-request-id']).toBe('abcdefgh')
    else expect(usual![0]!.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  },
)
