// @module-tag full
import { randomUUID } from 'node:crypto'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { ofFile } from '../support/of-file.ts'
import { sharedService } from '../support/service.ts'
import {
  type Answer,
  createSite,
  type Endpoint,
  expectError,
  expectTrpcError,
  rawRequest,
  request,
  required,
  type Site,
  sendHit,
  settle,
} from './requests.ts'

// Which fields of hits are refused is in test/ingestion/edge/refused-fields.test.ts, which ranges in test/platform/time/range.test.ts, and
// which domains in test/access/sites/domain.test.ts.

const KIB = 1024
const ENDPOINTS: Endpoint[] = ['collect', 'event', 'engage', 'identify']
const ASTRAL = '😀'

const service = ofFile(sharedService)
let site: Site

beforeAll(async () => {
  site = await createSite(service, 'hostile.example')
})
const sentinel = ofFile(() => createSite(service, 'sentinel.example'))

/** What is stored of everybody but the sentinel. */
async function counts() {
  const [row] = await service.db`
    select
      (select count(*)::int from events where site_no <> ${sentinel.siteNo}) as events,
      (select count(*)::int from sessions where site_no <> ${sentinel.siteNo}) as sessions,
      (select count(*)::int from visitors where site_no <> ${sentinel.siteNo}) as visitors,
      (select count(*)::int from identities) as identities,
      (select count(*)::int from dead_letters) as dead_letters,
      (select count(*)::int from sites) as sites`
  return { ...row! }
}

const validOf = (endpoint: Endpoint) => required(endpoint, site)
const post = (endpoint: Endpoint, body: unknown, headers: Record<string, string> = {}) =>
  request(`${service.url}/api/${endpoint}`, { method: 'POST', body, headers })
const get = (path: string, headers: Record<string, string> = {}) =>
  request(`${service.url}/api/sites${path}`, { token: service.token, headers })

const keys = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]))
const nested = (open: string, close: string, depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`
const DEEP_ARRAY = nested('[', ']', 40_000)
const DEEP_OBJECT = nested('{"a":', '}', 40_000)

const CODES = { 400: 'malformed_json', 404: 'not_found', 413: 'payload_too_large', 422: 'validation_failed' }

/** Texts for a body that is read as JSON: what is sent and what may be answered. */
const HOSTILE_TEXT: [string, (valid: string) => string | Buffer, ...(keyof typeof CODES)[]][] = [
  ['followed by more', valid => `${valid}${valid}`, 400],
  ['with NaN', valid => valid.replace(/\}$/, ',"x":NaN}'), 400],
  ['with a raw NUL in a string', valid => valid.replace('"hostname":"', '$&\0'), 400],
  ['in UTF-16', valid => Buffer.from(valid, 'utf16le'), 400],
  ['a valid hit under __proto__', valid => `{"__proto__":${valid}}`, 422],
  ['a valid hit under constructor', valid => `{"constructor":{"prototype":${valid}}}`, 422],
  ['the key under __proto__', valid => valid.replace(/^\{("key":"[^"]*")/, '{"__proto__":{$1}'), 422],
  ['a NUL in the key', valid => valid.replace('"key":"', '$&\\u0000'), 404, 422],
  ['a lone surrogate in the key', valid => valid.replace('"key":"', '$&\\ud800'), 404, 422],
  ['40,000 arrays deep', () => DEEP_ARRAY, 400, 422],
  ['40,000 objects deep', () => DEEP_OBJECT, 400, 422],
  ['40,000 arrays deep and open', () => '['.repeat(40_000), 400],
  ['a key 40,000 objects deep', valid => valid.replace(/"key":"[^"]*"/, `"key":${DEEP_OBJECT}`), 400, 422],
  ['of 100,000 keys', () => JSON.stringify(keys(100_000)), 413],
  ['of 20,000 unknown keys', () => JSON.stringify(keys(20_000)), 422],
]

const BOMB = Buffer.alloc(64 * KIB * KIB, ' ')
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const gzipBomb = gzipSync(BOMB, { level: 1 })
const ENCODED: [string, string, (valid: string) => Buffer, number[]][] = [
  ['a gzip bomb', 'gzip', () => gzipBomb, [413, 415]],
  ['a deflate bomb', 'deflate', () => deflateSync(BOMB, { level: 1 }), [413, 415]],
  ['a brotli bomb', 'br', () => brotliCompressSync(BOMB, QUICK), [413, 415]],
  ['a bomb in a bomb', 'gzip, gzip', () => gzipSync(gzipBomb), [400, 413, 415]],
  ['gzip that is cut short', 'gzip', valid => gzipSync(valid).subarray(0, -12), [400, 415]],
  ['gzip with a wrong checksum', 'gzip', valid => flipped(gzipSync(valid), -6), [400, 415]],
  ['empty gzip', 'gzip', () => gzipSync(''), [400, 415]],
  ['no bytes of gzip', 'gzip', () => Buffer.alloc(0), [400, 415]],
  ['deflate that is not deflate', 'deflate', valid => Buffer.from(valid), [400, 415]],
  ['brotli that is not brotli', 'br', valid => Buffer.from(valid), [400, 415]],
  ['an encoding of 8,000 letters', 'x'.repeat(8_000), valid => Buffer.from(valid), [400, 415, 431]],
  ['the encoding __proto__', '__proto__', valid => Buffer.from(valid), [400, 415]],
]

function flipped(bytes: Buffer, at: number): Buffer {
  const index = bytes.length + at
  bytes[index] = bytes[index]! ^ 0xff
  return bytes
}

// What only bytes on a socket can say; whatever is malformed is in test/http/hits/malformed.test.ts.

const head = (line: string, ...headers: string[]) =>
  [line, 'Host: localhost', 'User-Agent: curl/8.5.0', 'Connection: close', ...headers, '', ''].join('\r\n')
const read = (path: string) => head(`GET ${path} HTTP/1.1`)
const collect = (header: string) => head('POST /api/collect HTTP/1.1', header)
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const chunked = (...parts: string[]) => `${collect('Transfer-Encoding: chunked')}${parts.join('')}`
const sized = (valid: string, length: number) => `${collect(`Content-Length: ${length}`)}${valid}`
const tooMuch = chunk(' '.repeat(64 * KIB)).repeat(5)

/** Requests as bytes; `silence` when the connection may also be closed without an answer. */
const RAW: [
  string,
  (valid: string) => string,
  number[],
  { silence?: true; deadlineMs?: number; end?: true }?,
][] = [
  ['a line without an end', () => 'GET /api/sites', [400], { silence: true, end: true }],
  ['another host in the path', () => read('http://evil.example/api/sites'), [400, 401, 404]],
  ['a path that is an asterisk', () => read('*'), [400, 404]],
  ['two slashes first', () => read('//api/sites'), [400, 401, 404]],
  ['only a question mark', () => read('?'), [400, 404]],
  ['a disconnect', valid => sized(valid, valid.length + 5), [400], { silence: true, end: true }],
  ['silence', valid => sized(valid, valid.length + 5), [400, 408], { silence: true, deadlineMs: 300 }],
  ['half a chunk', valid => chunked(chunk(valid).slice(0, -9)), [400], { silence: true, end: true }],
  ['chunks over the limit', valid => chunked(chunk(valid), tooMuch, '0\r\n\r\n'), [413]],
  ['chunks over the limit without an end', valid => chunked(chunk(valid), tooMuch), [413]],
]

const input = (value: unknown) => `input=${encodeURIComponent(JSON.stringify(value))}`

const TRPC: [number[], string, string, (string | Buffer)?, Record<string, string>?][] = [
  [[400, 404], 'GET', '%00'],
  [[422], 'GET', `sites.list?${input([])}`],
  [[422], 'GET', `sites.list?${input(5)}`],
  [[400], 'GET', 'sites.list?input=%'],
  [[422], 'GET', `sites.list?${input({ search: { a: 1 } })}`],
  [[404, 422], 'GET', `stats.overview?${input({ siteKey: 5 })}`],
  [[404, 422], 'GET', `stats.overview?${input({ siteKey: '\0' })}`],
  [[404, 422], 'GET', `stats.overview?${input({ siteKey: '\ud800' })}`],
  [[400, 413, 414, 422, 431], 'GET', `${Array(1_400).fill('sites.list').join()}?batch=1&input={}`],
  [[404], 'GET', ',,,?batch=1&input={}'],
  [[400], 'GET', 'sites.list?batch=1&input=['],
  [[400, 422], 'POST', 'sites.create', ''],
  [[422], 'POST', 'sites.create', 'null'],
  [[422], 'POST', 'sites.create', '{"__proto__":{"domain":"trpc.example"}}'],
  [[422], 'POST', 'sites.create', '{"domain":{"toString":1}}'],
  [[400, 422], 'POST', 'sites.create', DEEP_OBJECT],
  [[413], 'POST', 'sites.create', '{"domain":"trpc.example"}'.padEnd(256 * KIB + 1)],
  [[400, 415], 'POST', 'sites.create', '{}', { 'content-encoding': 'gzip' }],
  [[401], 'GET', 'sites.list,sites.list?batch=1&input={}', undefined, { authorization: 'Bearer x' }],
]

describe('hostile input is refused:', () => {
  let before: object
  beforeAll(async () => {
    await settle(service, sentinel)
    before = await counts()
  })

  test.each(HOSTILE_TEXT)('a body %s', async (_, make, ...statuses) => {
    const answer = await post('collect', make(JSON.stringify(validOf('collect'))))
    expectError(answer, statuses, CODES[answer.status as (typeof statuses)[number]])
  })

  test.each(ENCODED)('a body that is %s', async (_, encoding, make, statuses) => {
    const body = make(JSON.stringify(validOf('collect')))
    expectError(await post('collect', body, { 'content-encoding': encoding }), statuses)
  })

  test.each(RAW)('%s on a socket', async (_, make, statuses, options = {}) => {
    const bytes = Buffer.from(make(JSON.stringify(validOf('collect'))), 'latin1')
    const [answer] = await rawRequest(service.url, bytes, options)
    if (!answer && options.silence) return
    expect(answer, 'an answer').toBeDefined()
    expectError(answer!, statuses)
  })

  test.each(ENDPOINTS)('by POST /api/%s, in each of its ways', async endpoint => {
    const valid = JSON.stringify(validOf(endpoint))
    expectError(await post(endpoint, valid.slice(0, -1)), 400, 'malformed_json')
    expectError(await post(endpoint, valid, { 'content-encoding': 'snappy' }), 415)
    expectError(await post(endpoint, valid.padEnd(256 * KIB + 1)), 413, 'payload_too_large')
    for (const key of [randomUUID(), '00000000-0000-0000-0000-000000000000', site.id])
      expectError(await post(endpoint, { ...validOf(endpoint), key }), 404, 'not_found')
    const wrong = await post(endpoint, { ...validOf(endpoint), hostname: 5, url: { path: 5 } })
    expectError(wrong, 422, 'validation_failed')
    const hasPage = endpoint !== 'identify'
    expect(Object.keys(wrong.json.errors)).toEqual(['hostname', ...(hasPage ? ['url.path'] : [])])
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
      const answer = await request(`${service.url}/api/${endpoint}`, { method })
      expectError(answer, 405, 'method_not_allowed')
      expect(answer.headers.allow).toContain('POST')
    }
  })

  test.each(TRPC)('by /trpc, with one of %j: %s (%#)', async (statuses, method, path, body, given) => {
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json', ...given }
    expectTrpcError(await request(`${service.url}/trpc/${path}`, { method, body, headers }), statuses)
  })

  test('nothing of these requests is stored', async () => {
    await settle(service, sentinel)
    expect(await counts()).toEqual(before)
  })
})

/** Hits all of whose fields are as long or as high as they may be. */
function hitsAtLimits(letter: string): Record<Endpoint, object> {
  const text = (length: number) => letter.repeat(length)
  const properties = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [text(62) + (10 + index), text(500)]),
  )
  const page = { hostname: text(255), url: { path: text(2_048), title: text(512) } }
  const browser = { name: text(50), version: text(50) }
  const system = { os: text(50), os_version: text(50), language: text(35) }
  const screen = { width: 65_535, height: 65_535 }
  const device = { referrer: text(2_048), ...system, browser, screen, properties }
  // An avatar's address may be held to ASCII.
  const avatar = `https://example.com/${'a'.repeat(235)}`
  return {
    collect: { ...page, ...device },
    event: { name: text(255), ...page, ...device },
    engage: { ...page, sd: 100, time: 4_294_967_295 },
    identify: { hostname: text(255), identifier: text(255), name: text(255), avatar, custom: properties },
  }
}

test('hostile input: hits and searches at a limit are taken, and stored whole', async () => {
  const site = await createSite(service, 'limits.example')
  const validOf = (endpoint: Endpoint) => required(endpoint, site)
  for (const letter of ['a', ASTRAL]) {
    const hits = hitsAtLimits(letter)
    for (const endpoint of ENDPOINTS)
      expect((await post(endpoint, { ...validOf(endpoint), ...hits[endpoint] })).text).toBe('')
    for (const query of ['', `?search=${encodeURIComponent(letter.repeat(255))}`])
      expect((await get(query)).status).toBe(200)
    expect((await get(`/${encodeURIComponent(letter.repeat(255))}`)).status).toBe(404)
  }
  for (const endpoint of ENDPOINTS) {
    const valid = JSON.stringify(validOf(endpoint))
    expect((await post(endpoint, valid.padEnd(256 * KIB))).status).toBe(202)
    const padding = 256 * KIB - valid.length - ',"x":""'.length
    expect((await post(endpoint, valid.replace(/\}$/, `,"x":"${'x'.repeat(padding)}"}`))).status).toBe(202)
  }
  await settle(service, sentinel)
  const rows = await service.db<{ type: string; count: number; titles: number }[]>`
    select type, count(*)::int as count, sum(length(title))::int as titles
    from events where site_no = ${site.siteNo} and type <> 'engagement' group by type order by type`
  expect([...rows]).toMatchObject([
    { type: 'event', count: 4, titles: 2 * 512 },
    { type: 'identify', count: 4 },
    { type: 'pageview', count: 4, titles: 2 * 512 },
  ])
  expect(await service.db`select reason from dead_letters`).toEqual([])
})

/** What the documents leave open: fields that are added to a valid hit. It may be taken or refused, but a 5xx or a dead letter is neither. */
const fields: Record<Endpoint, string[]> = {
  collect: [
    '"hostname":"two"',
    '"hostname":""',
    '"hostname":"\\u0000\\ud83d"',
    `"x":${DEEP_ARRAY}`,
    JSON.stringify(keys(20_000)).slice(1, -1),
    '"url":{"path":""}',
    `"url":{"path":"${'/'.repeat(2_048)}"}`,
    '"url":{"path":"/%?utm_source=%&utm_medium=%E0%A4"}',
    `"url":{"path":"/?${'utm_source=a&'.repeat(150)}"}`,
    '"url":{"path":"/?utm_source=%00&utm_medium=\\ud800"}',
    '"url":{"path":"https://a.example/b?c#d"}',
    '"url":{"path":"http://[::bad"}',
    '"url":{"path":"/","title":"\\ude00\\u0000\\ud83d"}',
    '"referrer":"http://[::bad"',
    '"referrer":"https://\\udc00\\u0000/"',
    '"referrer":"javascript:alert(1)"',
    '"visitor_id":"00000000-0000-0000-0000-000000000000"',
    '"visitor_id":"ffffffff-ffff-ffff-ffff-ffffffffffff"',
  ],
  event: [
    `"x":${DEEP_OBJECT}`,
    `"$":${DEEP_ARRAY}`,
    ...['1e400', '1e30', '9.3e16', '5e-324'].map(amount => `"$":{"amount":${amount},"currency":"USD"}`),
    ...['', '\\u0000', '__proto__'].map(name => `"name":"${name}"`),
    '"properties":{"n":1e400}',
    '"properties":{"":"x"}',
    '"properties":{"a":null}',
    '"properties":{"__proto__":"a","constructor":"b","toString":"c","hasOwnProperty":"d","prototype":"e"}',
    '"properties":{"a\\u0000\\ud800":"b\\u0000\\udc00"}',
    '"properties":{"a":"1","a\\u0000":"2"}',
    '"properties":{"__pro\\u0000to__":"1"}',
    `"name":"error","error":${DEEP_OBJECT}`,
    '"name":"error","error":{"message":"\\u0000\\ud800","stack":"\\udc00"}',
    `"name":"error","error":{"message":"${'m'.repeat(100_000)}","stack":"${'s'.repeat(100_000)}"}`,
  ],
  engage: ['"sd":1e300', '"sd":1e400', '"sd":-0'],
  identify: [
    '"identifier":""',
    '"identifier":"\\u0000"',
    '"avatar":"javascript:alert(1)"',
    '"custom":{"__proto__":"a","constructor":"b\\u0000"}',
  ],
}

test.each(
  ENDPOINTS.flatMap(endpoint => fields[endpoint].map(added => [endpoint, added.slice(0, 60), added])),
)(
  'hostile input: unusual values cause no internal error: in a hit for %s: %s',
  async (endpoint, _, added) => {
    const valid = JSON.stringify(validOf(endpoint as Endpoint))
    expectTakenOrRefused(
      await post(
        endpoint as Endpoint,
        valid.replace(/\}$/, () => `,${added}}`),
      ),
    )
  },
)

test('hostile input: unusual values cause no internal error: in the bytes of a hit', async () => {
  const valid = JSON.stringify(validOf('collect'))
  expectTakenOrRefused(await post('collect', `\ufeff${valid}`))
  const bytes = Buffer.from(valid.replace('"/"', '"/\xff\xc0\x80"'), 'latin1')
  expectTakenOrRefused(await post('collect', bytes))
})

test.each([
  ['user-agent', ''],
  ['user-agent', 'Mozilla/5.0 '.repeat(1_000)],
  ['user-agent', `${'a'.repeat(6_000)}!${'('.repeat(6_000)}`],
  ['user-agent', 'M\xf6zilla/5.0 \xff\x80'],
  ['content-type', 'nonsense; charset="'],
  ['content-type', 'application/json; charset=klingon'],
  ['content-type', 'application/json; charset=utf-16le'],
  ['x-forwarded-for', `${'1.2.3.4,'.repeat(500)}'; drop table events --`],
  ['host', 'evil.example:99999'],
  ['x-request-id', 'a'.repeat(5_000)],
  ['origin', 'null'],
  ['origin', '"><script>'],
  ['x-http-method-override', 'DELETE'],
  ['content-encoding', 'identity'],
  ['upgrade', 'websocket'],
  ['expect', '100-continue'],
  ['accept', 'image/webp'],
])('hostile input: unusual values cause no internal error: in the header %s', async (name, value) => {
  const headers = { [name]: value, ...(name === 'upgrade' && { connection: 'Upgrade' }) }
  expectTakenOrRefused(await post('collect', validOf('collect'), headers))
})

test('hostile input: unusual values cause no internal error: in pipelined requests', async () => {
  const body = JSON.stringify(validOf('collect'))
  const one = `POST /api/collect HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n`
  const answers = await rawRequest(service.url, `${one}\r\n${body}${one}Connection: close\r\n\r\n${body}`)
  expect(answers.map(answer => answer.status)).toEqual([202, 202])
})

test('hostile input: unusual values cause no internal error: and no dead letters', async () => {
  await settle(service, sentinel)
  expect(await service.db`select reason, left(payload, 300) as payload from dead_letters`).toEqual([])
})

function expectTakenOrRefused(answer: Answer) {
  if (answer.status === 202) expect(answer.text).toBe('')
  else expectError(answer, [400, 404, 413, 415, 417, 422])
}

test('hostile input: afterwards the service still answers, stores hits and counts them', async () => {
  const fresh = await createSite(service, 'fresh.example')
  expect((await request(`${service.url}/readyz`)).status).toBe(200)
  expect((await sendHit(service, 'collect', fresh)).status).toBe(202)
  await settle(service, sentinel)
  const { json } = await get('/fresh.example/overview')
  expect(json).toMatchObject({ pageviews: 1, visitors: 1, sessions: 1 })
  // Nothing fell over on the way.
  const lines = service.output().split('\n')
  expect(lines.filter(line => /"level":[56]0\b/.test(line))).toEqual([])
})
