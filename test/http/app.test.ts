import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startApi } from '../support/api.ts'
import { ofFile } from '../support/of-file.ts'
import { recordingLog } from '../support/recording-log.ts'
import { openWire } from '../support/wire.ts'

const { log, lines } = recordingLog()
const api = ofFile(() => startApi({ log }))

const owner = ofFile(() => api.member())

const post = (body: unknown, headers: object = {}) =>
  api.call('POST', '/api/sites', { token: owner.token, body, headers: { ...headers } })

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
  const answers = await Promise.all(paths.map(path => api.call('GET', path)))
  const ids = answers.map(({ headers }) => headers.get('x-request-id'))
  expect(new Set(ids).size).toBe(paths.length)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
})

const sized = (bytes: number) => JSON.stringify({ domain: 'x', y: '' }).padEnd(bytes, ' ')
const whole = gzipSync(JSON.stringify({ domain: 'gzip.com' }))
const GZIP = { 'Content-Encoding': 'gzip' }

test.each<[string, unknown, object, number, string?]>([
  ['that ends early', '{', {}, 400, 'malformed_json'],
  ['without a value', '{"domain":}', {}, 400, 'malformed_json'],
  ['of a form', 'domain=a.com', {}, 400, 'malformed_json'],
  ['with NaN', '{"domain": NaN}', {}, 400, 'malformed_json'],
  ['of a NUL', '\u0000', {}, 400, 'malformed_json'],
  ['of any type', '\uFEFF{"domain": "bom.com", "unknown": 1}', { 'Content-Type': 'text/plain' }, 201],
  ['that is gzipped', whole, GZIP, 201],
  ['that is not gzip', 'not gzip', GZIP, 400],
  ['that is cut in gzip', whole.subarray(0, 20), GZIP, 400],
  ['in an unknown encoding', 'x', { 'Content-Encoding': 'zip' }, 415],
  ['of 256 KiB', sized(256 * 1024), {}, 201],
  ['of a byte more', sized(256 * 1024 + 1), {}, 413, 'payload_too_large'],
  ['that decompresses to 50 MiB', gzipSync(' '.repeat(50 * 1024 * 1024)), GZIP, 413],
])('request body: one %s', async (_, body, headers, status, code) => {
  const answer = await post(body, headers)
  expect(answer.status).toBe(status)
  if (code) expect(answer.body.code).toBe(code)
})

test('request body: one in chunks is limited, and one that is interrupted does not affect the service', async () => {
  const response = await fetch(`${api.url}/api/sites`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${owner.token}` },
    body: new Blob([sized(400 * 1024)]).stream(),
    duplex: 'half',
  })
  expect(response.status).toBe(413)
  const wire = openWire(api.url)
  const head = `POST /api/sites HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner.token}\r\n`
  wire.send(`${head}Content-Length: 100\r\n\r\n{"dom`)
  await new Promise(resolve => setTimeout(resolve, 50))
  wire.socket.destroy()
  expect((await api.call('GET', '/healthz')).status).toBe(200)
})

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
])('request path: %s is answered %i', async (path, status) => {
  const answer = await api.call('GET', path, { token: owner.token })
  expect(answer.status).toBe(status)
  expect(Object.keys(answer.body)).toEqual(['message', 'code', 'request_id'])
})

test('query and texts: what cannot be decoded causes no internal error, NUL characters are removed, but not of a domain', async () => {
  const get = (query: string) => api.call('GET', `/api/sites?${query}`, { token: owner.token })
  expect((await get('search=%E0%A4%A&%ff=1&__proto__=1&search[x]=1')).status).toBe(422)
  const ignored = await get('%0d%0aSet-Cookie:a=1')
  expect(ignored.headers.get('x-ignored-parameters')).toBe('%0D%0ASet-Cookie%3Aa')
  expect((await get('search=%00')).status).toBe(200)
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
  const { services } = api
  const { rollups } = services
  services.rollups = { run: async () => [{ pageviews: 'many' }, {}], close: async () => {} } as never
  await post({ domain: 'a.com' })
  const answer = await api.call('GET', '/api/sites/a.com/overview', { token: owner.token })
  services.rollups = rollups
  expect([answer.status, answer.body.code]).toEqual([500, 'internal'])
})

test('unavailable dependencies: the database: requests get 503 with Retry-After, and /readyz names it', async () => {
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

test('unavailable dependencies: Redis: sites can still be created, and /readyz names it', async () => {
  const alone = await startApi()
  const { token } = await alone.member()
  alone.services.redis.disconnect()
  const made = await alone.call('POST', '/api/sites', { token, body: { domain: 'a.com' } })
  expect(made.status).toBe(201)
  const ready = await alone.call('GET', '/readyz')
  expect([ready.status, ready.body.message]).toEqual([503, 'Not ready: redis'])
  await alone.close()
})
