import { randomUUID } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { startApi } from '../../support/api.ts'
import { startIngestApi } from '../../support/ingest-api.ts'
import { ofFile } from '../../support/of-file.ts'
import { sweep } from '../../support/runs.ts'
import { createTestSite } from '../../support/sites.ts'
import { openWire, type WireAnswer } from '../../support/wire.ts'

const LIMIT = 3
const MINUTE = 60_000
const KIB = 1024

type Worker = Awaited<ReturnType<typeof startIngestApi>>

/** Whole minutes, not in the past, because salts expire by the clock of Redis. */
let at = Math.ceil(Date.now() / MINUTE) * MINUTE

const api = ofFile(() => startApi({ now: () => new Date(at) }))
beforeAll(async () => {
  const { limits } = api.services.config
  Object.assign(limits, { collect: LIMIT, event: 0, engage: LIMIT, identify: LIMIT })
})
/** Two HTTP workers of one service. */
const startWorker = () => startIngestApi(api.services, api.services.config.redisUrl!)
const [first, second] = [ofFile(startWorker), ofFile(startWorker)]
const site = ofFile(() => createTestSite(api.services.db))
beforeEach(() => {
  at += MINUTE
})

const BODIES = {
  collect: () => ({ key: site.key, hostname: 'example.com', url: { path: '/' } }),
  event: () => ({ key: site.key, hostname: 'example.com', name: 'signup' }),
  engage: () => ({ key: site.key, hostname: 'example.com', url: { path: '/' }, sd: 1, time: 1 }),
  identify: () => ({ key: site.key, hostname: 'example.com', identifier: 'ada' }),
}
type Endpoint = keyof typeof BODIES

const post = (worker: Worker, endpoint: Endpoint, body: unknown = BODIES[endpoint](), headers = {}) =>
  fetch(`${worker.url}/api/${endpoint}`, {
    method: 'POST',
    headers,
    body: body instanceof Buffer ? new Uint8Array(body) : JSON.stringify(body),
  })

async function useUp(worker: Worker, endpoint: Endpoint) {
  for (let count = 0; count < LIMIT; count++) expect((await post(worker, endpoint)).status).toBe(202)
}

/** Returns the head of a request whose body is not sent. */
const headOf = (endpoint: Endpoint, ...headers: string[]) =>
  [`POST /api/${endpoint} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n')

/** Returns the response to a request whose body is not sent. */
async function answerToHead(worker: Worker, endpoint: Endpoint, ...headers: string[]): Promise<WireAnswer> {
  const wire = openWire(worker.url)
  wire.send(headOf(endpoint, ...headers))
  const answer = await wire.answer()
  wire.socket.destroy()
  return answer
}

function expectOverLimit({ status, headers, body }: WireAnswer, limit = LIMIT) {
  expect(status, body).toBe(429)
  expect(JSON.parse(body)).toMatchObject({ code: 'rate_limited', request_id: headers['x-request-id'] })
  expect(headers).toMatchObject({
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String((at + MINUTE) / 1000),
    'retry-after': '60',
  })
}

test.each<[Endpoint, string, () => Worker, string[]]>(
  sweep([
    ['collect', 'that is small', () => first, ['Content-Length: 200']],
    ['engage', 'that is small', () => first, ['Content-Length: 200']],
    ['collect', 'that is compressed', () => second, ['Content-Encoding: gzip', 'Content-Length: 300']],
    ['collect', 'that is large', () => second, ['Content-Length: 200000']],
    ['collect', 'of unknown size', () => second, ['Transfer-Encoding: chunked']],
  ]),
)(
  'ingestion limits: a sender over its limit is refused before a body of %s %s is read',
  async (endpoint, _, worker, headers) => {
    await useUp(first, endpoint)
    expectOverLimit(await answerToHead(worker(), endpoint, ...headers))
  },
)

test('ingestion limits: a sender over its limit is refused by another worker before a small body is read, after its first refusal there', async () => {
  await useUp(first, 'collect')
  expect((await post(second, 'collect')).status).toBe(429)
  expectOverLimit(await answerToHead(second, 'collect', 'Content-Length: 200'))
})

test('ingestion limits: a sender over its limit changes nothing in Redis, and may still use another endpoint and the next window', async () => {
  await useUp(first, 'collect')
  const { redis } = api.services
  const before = await redis.hgetall(`limit:${at / MINUTE}`)
  for (let count = 0; count < 5; count++) expect((await post(first, 'collect')).status).toBe(429)
  expect(await redis.hgetall(`limit:${at / MINUTE}`)).toEqual(before)
  expect((await post(first, 'engage')).status).toBe(202)
  at += MINUTE
  expect((await post(first, 'collect')).status).toBe(202)
})

test('ingestion limits: a sender over its limit keeps its connection, and the unread body is not taken for the next request', async () => {
  await useUp(first, 'collect')
  const wire = openWire(first.url)
  const body = JSON.stringify(BODIES.collect())
  const hit = JSON.stringify(BODIES.event())
  wire.send(headOf('collect', `Content-Length: ${body.length}`))
  expectOverLimit(await wire.answer())
  wire.send(body)
  wire.send(headOf('event', `Content-Length: ${hit.length}`) + hit)
  expect((await wire.answer()).status).toBe(202)
  wire.send(headOf('collect', `Content-Length: ${body.length}`) + body)
  expectOverLimit(await wire.answer())
  wire.socket.destroy()
})

test('ingestion limits: a sender over its limit that waits for 100 Continue is refused at once', async () => {
  const waiting = ['Expect: 100-continue', 'Content-Length: 200']
  expect((await answerToHead(first, 'collect', ...waiting)).status).toBe(100)
  await useUp(first, 'engage')
  expectOverLimit(await answerToHead(first, 'engage', ...waiting))
})

test('ingestion limits: identify allows an address with invented keys five times the limit, then reads no body', async () => {
  for (let count = 0; count < 5 * LIMIT; count++) {
    expect((await post(first, 'identify', { ...BODIES.identify(), key: randomUUID() })).status).toBe(404)
  }
  expectOverLimit(await answerToHead(first, 'identify', 'Content-Length: 200'), 5 * LIMIT)
  const made = { ...BODIES.identify(), key: randomUUID() }
  expect((await post(second, 'identify', made)).status).toBe(429)
  expectOverLimit(await answerToHead(second, 'identify', 'Content-Length: 200'), 5 * LIMIT)
})

test('ingestion limits: identify has its own limit for each key and address, and allows an address any number of sites', async () => {
  await useUp(first, 'identify')
  expect((await post(first, 'identify')).status).toBe(429)
  for (let sites = 0; sites < 6; sites++) {
    const { key } = await createTestSite(api.services.db)
    for (let left = LIMIT - 1; left >= 0; left--) {
      const answer = await post(first, 'identify', { ...BODIES.identify(), key })
      expect([answer.status, answer.headers.get('x-ratelimit-remaining')]).toEqual([202, String(left)])
    }
  }
})

const padded = (bytes: number) => JSON.stringify(BODIES.event()).padEnd(bytes)

test.each(
  sweep([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const),
)(
  'ingestion: a compressed body in %s may decompress to 64 KiB, but to no byte more',
  async (encoding, pack) => {
    const send = (bytes: number) =>
      post(first, 'event', pack(padded(bytes)), { 'Content-Encoding': encoding })
    expect((await send(64 * KIB)).status).toBe(202)
    const answer = await send(64 * KIB + 1)
    expect([answer.status, await answer.json()]).toMatchObject([
      413,
      { code: 'payload_too_large', message: expect.stringContaining('64 KiB') },
    ])
    // By its length, before it is read.
    const lengths = [`Content-Encoding: ${encoding}`, `Content-Length: ${64 * KIB + 1}`]
    expect((await answerToHead(first, 'event', ...lengths)).status).toBe(413)
  },
)

test('ingestion: a compressed body is counted once', async () => {
  const answers = []
  for (let count = 0; count <= LIMIT; count++) {
    const body = gzipSync(JSON.stringify(BODIES.collect()))
    answers.push(await post(first, 'collect', body, { 'Content-Encoding': 'gzip' }))
  }
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 429])
  expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['2', '1', '0', '0'])
})

test.each(sweep(['collect', 'event', 'engage', 'identify'] as const))(
  'ingestion: a body of %s nested over 32 levels is refused with 422',
  async endpoint => {
    const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
    expect((await post(first, endpoint, { ...BODIES[endpoint](), x: nested(31) })).status).toBe(202)
    const answer = await post(first, endpoint, { ...BODIES[endpoint](), x: nested(32) })
    const errors = { body: [expect.stringContaining('32 levels')] }
    expect([answer.status, await answer.json()]).toMatchObject([422, { code: 'validation_failed', errors }])
  },
)
