import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, type Member, startApi } from '../support/api.ts'
import { recordingLog } from '../support/recording-log.ts'

const { log, lines } = recordingLog()
let api: Api
let owner: Member

beforeAll(async () => {
  api = await startApi({ log })
  owner = await api.member()
})
afterAll(() => api.close())

const post = (body: unknown, headers?: Record<string, string>) =>
  api.call('POST', '/api/sites', { token: owner.token, body, ...(headers && { headers }) })

describe('request id', () => {
  test.each([
    ['abcd-EFGH_1234', true],
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
    ['short', false],
    ['has space', false],
    ['quote"quote', false],
  ])('a request id is taken from X-Request-Id %j: %s', async (id, kept) => {
    const answer = await api.call('GET', '/nowhere', { headers: { 'X-Request-Id': id } })
    const given = answer.headers.get('x-request-id')
    expect(given === id).toBe(kept)
    expect(answer.body.request_id).toBe(given)
  })

  test('a request id is new otherwise, on every kind of response', async () => {
    const paths = ['/healthz', '/readyz', '/nowhere', '/api/sites', '/trpc/sites.list']
    const ids = await Promise.all(
      paths.map(async path => (await api.call('GET', path)).headers.get('x-request-id')),
    )
    expect(new Set(ids).size).toBe(paths.length)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })
})

describe('request body', () => {
  test.each(['{', '{"domain":}', 'domain=a.com', '{"domain": NaN}', '\u0000'])(
    'a request body of %j is refused with 400, because it is not JSON',
    async body => {
      const answer = await post(body)
      expect([answer.status, answer.body.code]).toEqual([400, 'malformed_json'])
    },
  )

  test('a request body may have any content type, a byte order mark and unknown fields', async () => {
    const answer = await post('\uFEFF{"domain": "bom.com", "nonsense": 1}', { 'Content-Type': 'text/plain' })
    expect(answer.status).toBe(201)
  })

  test('a request body may be gzipped', async () => {
    const packed = gzipSync(JSON.stringify({ domain: 'gzip.com' }))
    expect((await post(packed, { 'Content-Encoding': 'gzip' })).status).toBe(201)
  })

  test('a request body of 256 KiB is read, and one more byte is refused with 413, sent whole or in chunks', async () => {
    const sized = (bytes: number) => JSON.stringify({ domain: 'x', y: '' }).padEnd(bytes, ' ')
    expect((await post(sized(256 * 1024))).status).toBe(201)
    const answer = await post(sized(256 * 1024 + 1))
    expect([answer.status, answer.body.code]).toEqual([413, 'payload_too_large'])
    const response = await fetch(`${api.url}/api/sites`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${owner.token}` },
      body: new Blob([sized(400 * 1024)]).stream(),
      duplex: 'half',
    })
    expect(response.status).toBe(413)
  })

  test('that is small but decompresses to too much is refused with 413', async () => {
    const answer = await post(gzipSync(' '.repeat(50 * 1024 * 1024)), { 'Content-Encoding': 'gzip' })
    expect(answer.status).toBe(413)
  })

  test('that cannot be decompressed is refused with 400, in an unknown encoding with 415', async () => {
    expect((await post('not gzip', { 'Content-Encoding': 'gzip' })).status).toBe(400)
    expect((await post('x', { 'Content-Encoding': 'zip' })).status).toBe(415)
    const cut = gzipSync(JSON.stringify({ domain: 'cut.com' })).subarray(0, 20)
    expect((await post(cut, { 'Content-Encoding': 'gzip' })).status).toBe(400)
  })

  test('that is interrupted does not affect the service', async () => {
    const { hostname, port } = new URL(api.url)
    const socket = connect(Number(port), hostname)
    const head = `POST /api/sites HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner.token}\r\n`
    socket.write(`${head}Content-Length: 100\r\n\r\n{"dom`)
    await new Promise(resolve => setTimeout(resolve, 50))
    socket.destroy()
    expect((await api.call('GET', '/healthz')).status).toBe(200)
  })
})

describe('request path', () => {
  test.each([
    ['/nowhere', 404],
    ['/api', 404],
    ['/api/sites/a/b/c', 404],
    ['/trpc', 404],
    ['/api/sites/%E0%A4%A', 400],
    ['/api/sites/%', 400],
    ['/api/sites/%00', 404],
    ['/api/sites/a%2Fb', 404],
    ['/api/sites/..%2F..%2Fetc', 404],
    ['/api/sites/%F0%9F%8D%95.ws', 404],
    [`/api/sites/${'a'.repeat(5000)}`, 404],
  ])('%s is answered %i', async (path, status) => {
    const answer = await api.call('GET', path, { token: owner.token })
    expect(answer.status).toBe(status)
    expect(Object.keys(answer.body)).toEqual(['message', 'code', 'request_id'])
  })
})

test('query: parameters that cannot be decoded cause no internal error', async () => {
  const path = '/api/sites?search=%E0%A4%A&%ff=1&__proto__=1&search[x]=1'
  expect((await api.call('GET', path, { token: owner.token })).status).toBe(422)
  const ignored = await api.call('GET', '/api/sites?%0d%0aSet-Cookie:a=1', { token: owner.token })
  expect(ignored.headers.get('x-ignored-parameters')).toBe('%0D%0ASet-Cookie%3Aa')
})

test('texts: NUL characters are removed, but a domain with one is refused', async () => {
  expect((await api.call('GET', '/api/sites?search=%00', { token: owner.token })).status).toBe(200)
  expect((await post({ domain: 'n\0ul.com' })).status).toBe(422)
})

test('responses: they do not name the server software and are not cached', async () => {
  const { headers } = await api.call('GET', '/healthz')
  expect(headers.get('x-powered-by')).toBeNull()
  expect(headers.get('etag')).toBeNull()
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test('request log: a request is logged by its route, without path, address or token', async () => {
  const { headers } = await api.call('GET', '/api/sites/secret.example?search=secret', { token: owner.token })
  const id = headers.get('x-request-id')
  await expect
    .poll(() => lines.find(line => line.requestId === id))
    .toEqual({
      level: 30,
      time: expect.any(String),
      requestId: id,
      method: 'GET',
      route: '/api/sites/:siteKey',
      status: 404,
      ms: expect.any(Number),
      msg: 'request',
    })
  expect(JSON.stringify(lines)).not.toMatch(/secret|127\.0\.0\.1|wa_/)
})

describe('internal errors', () => {
  test('an internal error is a 500 without details, and is logged with its request id', async () => {
    const { db } = api.services
    await db`alter table sites rename to hidden_sites`
    const answer = await api.call('GET', '/api/sites', { token: owner.token })
    await db`alter table hidden_sites rename to sites`
    expect(answer.status).toBe(500)
    expect(answer.body).toEqual({
      message: 'Something went wrong on our side',
      code: 'internal',
      request_id: answer.headers.get('x-request-id'),
    })
    const line = lines.find(each => each.level === 50 && each.requestId === answer.body.request_id)
    expect(JSON.stringify(line)).toContain('sites')
  })

  test('an internal error is also the answer when a result does not match its schema', async () => {
    const broken = await startApi({
      pool: { run: async () => [{ pageviews: 'many' }, {}], close: async () => {} },
    })
    const member = await broken.member()
    await broken.call('POST', '/api/sites', { token: member.token, body: { domain: 'a.com' } })
    const answer = await broken.call('GET', '/api/sites/a.com/overview', { token: member.token })
    expect([answer.status, answer.body.code]).toEqual([500, 'internal'])
    await broken.close()
  })
})

describe('unavailable dependencies', () => {
  test('the database: requests get 503 with Retry-After, and /readyz names it', async () => {
    const alone = await startApi()
    const { token } = await alone.member()
    await alone.services.db.end()
    const answer = await alone.call('GET', '/api/sites', { token })
    expect([answer.status, answer.body.code]).toEqual([503, 'unavailable'])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    const called = await alone.call('GET', '/trpc/sites.list', { token })
    expect([called.status, called.body.error.data.code]).toEqual([503, 'unavailable'])
    expect(Number(called.headers.get('retry-after'))).toBeGreaterThan(0)
    const ready = await alone.call('GET', '/readyz')
    expect([ready.status, ready.body.message]).toEqual([503, 'Not ready: database'])
    expect((await alone.call('GET', '/healthz')).status).toBe(200)
    await alone.close()
  })

  test('Redis: sites can still be created, and /readyz names it', async () => {
    const alone = await startApi()
    const { token } = await alone.member()
    alone.services.redis.disconnect()
    const made = await alone.call('POST', '/api/sites', { token, body: { domain: 'a.com' } })
    expect(made.status).toBe(201)
    const ready = await alone.call('GET', '/readyz')
    expect([ready.status, ready.body.message]).toEqual([503, 'Not ready: redis'])
    await alone.close()
  })
})
