import { randomUUID } from 'node:crypto'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedService, type TestService } from '../support/service.ts'
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

const KIB = 1024
const ENDPOINTS: Endpoint[] = ['collect', 'event', 'engage', 'identify']
const ASTRAL = '😀'

let service: TestService
let site: Site
let sentinel: Site

beforeAll(async () => {
  service = await sharedService()
  site = await createSite(service, 'hostile.example')
  sentinel = await createSite(service, 'sentinel.example')
})
afterAll(() => service.close())

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

/** Defines tests that must leave nothing behind, and one more at their end that looks. */
function storingNothing(defineTests: () => void) {
  let before: object
  beforeAll(async () => {
    await settle(service, sentinel)
    before = await counts()
  })
  defineTests()
  test('nothing of these requests is stored', async () => {
    await settle(service, sentinel)
    expect(await counts()).toEqual(before)
  })
}

// Fields of the ingestion endpoints, as documented.

type Kind = 'uuid' | 'string' | 'int' | 'object' | 'url' | 'device'

interface Field {
  path: string
  kind: Kind
  required?: boolean
  /** Code points of a string, the largest number of an int. */
  max?: number
}

const identity: Field[] = [
  { path: 'key', kind: 'uuid', required: true },
  { path: 'hostname', kind: 'string', required: true, max: 255 },
  { path: 'visitor_id', kind: 'uuid' },
]
const page: Field[] = [
  { path: 'url', kind: 'object', required: true },
  { path: 'url.path', kind: 'string', required: true, max: 2048 },
  { path: 'url.title', kind: 'string', max: 512 },
]
const optionalPage = page.map(({ required, ...field }) => field)
const context: Field[] = [
  { path: 'properties', kind: 'object' },
  { path: 'referrer', kind: 'string', max: 2048 },
  { path: 'screen', kind: 'object' },
  { path: 'screen.width', kind: 'int', max: 65_535 },
  { path: 'screen.height', kind: 'int', max: 65_535 },
  { path: 'language', kind: 'string', max: 35 },
  { path: 'os', kind: 'string', max: 50 },
  { path: 'os_version', kind: 'string', max: 50 },
  { path: 'browser', kind: 'object' },
  { path: 'browser.name', kind: 'string', max: 50 },
  { path: 'browser.version', kind: 'string', max: 50 },
  { path: 'device', kind: 'device' },
]
const FIELDS: Record<Endpoint, Field[]> = {
  collect: [...identity, ...page, ...context],
  event: [
    ...identity,
    { path: 'name', kind: 'string', required: true, max: 255 },
    ...optionalPage,
    ...context,
  ],
  engage: [
    ...identity,
    ...page,
    { path: 'sd', kind: 'int', required: true },
    { path: 'time', kind: 'int', required: true, max: 4_294_967_295 },
  ],
  identify: [
    ...identity,
    { path: 'identifier', kind: 'string', required: true, max: 255 },
    { path: 'name', kind: 'string', max: 255 },
    { path: 'avatar', kind: 'url', max: 255 },
    { path: 'custom', kind: 'object' },
  ],
}

const WRONG: Record<Kind, unknown[]> = {
  uuid: [5, true, [], {}, '', 'x', `${randomUUID()}0`, ` ${randomUUID()}`, randomUUID().replaceAll('-', '')],
  string: [5, true, [], ['x'], {}],
  int: ['5', 'x', true, [], {}, 1.5, -1, -0.5],
  object: [5, 'x', true, ['x']],
  url: [5, true, [], {}, 'no url'],
  device: [5, [], {}, 'watch', 'Desktop', 'desktop '],
}

/** A copy of an object with the value at a dotted path; undefined takes it away. */
function withField(body: object, path: string, value: unknown): Record<string, unknown> {
  const [key = '', ...rest] = path.split('.')
  const copy = { ...body } as Record<string, unknown>
  copy[key] = rest.length > 0 ? withField((copy[key] ?? {}) as object, rest.join('.'), value) : value
  return copy
}

const keys = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]))
const nested = (open: string, close: string, depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`
const DEEP_ARRAY = nested('[', ']', 40_000)
const DEEP_OBJECT = nested('{"a":', '}', 40_000)

/** Bodies of one endpoint that are JSON but wrong. */
function invalidBodies(endpoint: Endpoint): [string, (valid: object) => unknown][] {
  const fields = FIELDS[endpoint]
  const cases: [string, (valid: object) => unknown][] = []
  for (const { path, kind, required, max } of fields) {
    const values = required ? [undefined, null, ...WRONG[kind]] : WRONG[kind]
    for (const value of values)
      cases.push([`${path} = ${JSON.stringify(value) ?? 'missing'}`, valid => withField(valid, path, value)])
    if (max === undefined) continue
    if (kind === 'int') {
      cases.push([`${path} one past ${max}`, valid => withField(valid, path, max + 1)])
    } else {
      const start = kind === 'url' ? 'https://example.com/' : ''
      const tooLong = (filler: string) => start + filler.repeat(max + 1 - start.length)
      cases.push([`${path} of ${max + 1} letters`, valid => withField(valid, path, tooLong('a'))])
      cases.push([`${path} of ${max + 1} emoji`, valid => withField(valid, path, tooLong(ASTRAL))])
    }
  }
  for (const { path } of fields.filter(field => ['properties', 'custom'].includes(field.path))) {
    const values: [string, unknown][] = [
      ['of 51 keys', keys(51)],
      ['of 20,000 keys', keys(20_000)],
      ['with a key of 65 letters', { ['k'.repeat(65)]: 'v' }],
      ['with a key of 65 emoji', { [ASTRAL.repeat(65)]: 'v' }],
      ['with a value of 501 letters', { k: 'v'.repeat(501) }],
      ['with a value of 501 emoji', { k: ASTRAL.repeat(501) }],
      ['with an object as value', { k: { a: 1 } }],
      ['with an array as value', { k: ['a'] }],
      ['with an object under __proto__', JSON.parse('{"k":{"__proto__":{"a":1}}}')],
    ]
    for (const [name, value] of values)
      cases.push([`${path} ${name}`, valid => withField(valid, path, value)])
  }
  return cases
}

/** Bodies of every endpoint, as text: what is sent and what may be answered. */
const HOSTILE_TEXT: [string, (valid: string) => string | Buffer, number[], string?][] = [
  ['empty', () => '', [400], 'malformed_json'],
  ['white space', () => ' \n\t ', [400], 'malformed_json'],
  ['cut short', valid => valid.slice(0, -1), [400], 'malformed_json'],
  ['cut in the middle', valid => valid.slice(0, valid.length / 2), [400], 'malformed_json'],
  ['followed by more', valid => `${valid}${valid}`, [400], 'malformed_json'],
  ['with single quotes', valid => valid.replaceAll('"', "'"), [400], 'malformed_json'],
  ['with a trailing comma', valid => valid.replace(/\}$/, ',}'), [400], 'malformed_json'],
  ['with NaN', valid => valid.replace(/\}$/, ',"x":NaN}'), [400], 'malformed_json'],
  ['with a raw NUL in a string', valid => valid.replace('"hostname":"', '$&\0'), [400], 'malformed_json'],
  ['a NUL byte', () => '\0', [400], 'malformed_json'],
  ['a form', () => 'key=1&hostname=2', [400], 'malformed_json'],
  ['in UTF-16', valid => Buffer.from(valid, 'utf16le'), [400], 'malformed_json'],
  ['null', () => 'null', [422], 'validation_failed'],
  ['true', () => 'true', [422], 'validation_failed'],
  ['a number', () => '1e400', [422], 'validation_failed'],
  ['a string', () => '"x"', [422], 'validation_failed'],
  ['an array', () => '[]', [422], 'validation_failed'],
  ['a valid hit in an array', valid => `[${valid}]`, [422], 'validation_failed'],
  ['an empty object', () => '{}', [422], 'validation_failed'],
  ['a valid hit under __proto__', valid => `{"__proto__":${valid}}`, [422], 'validation_failed'],
  [
    'a valid hit under constructor',
    valid => `{"constructor":{"prototype":${valid}}}`,
    [422],
    'validation_failed',
  ],
  ['the key under __proto__', valid => valid.replace(/^\{("key":"[^"]*")/, '{"__proto__":{$1}'), [422]],
  ['a NUL in the key', valid => valid.replace('"key":"', '$&\\u0000'), [404, 422]],
  ['a lone surrogate in the key', valid => valid.replace('"key":"', '$&\\ud800'), [404, 422]],
  ['40,000 arrays deep', () => DEEP_ARRAY, [400, 422]],
  ['40,000 objects deep', () => DEEP_OBJECT, [400, 422]],
  ['40,000 arrays deep and open', () => '['.repeat(40_000), [400], 'malformed_json'],
  [
    'a hostname 40,000 arrays deep',
    valid => valid.replace(/"hostname":"[^"]*"/, `"hostname":${DEEP_ARRAY}`),
    [400, 422],
  ],
  ['a key 40,000 objects deep', valid => valid.replace(/"key":"[^"]*"/, `"key":${DEEP_OBJECT}`), [400, 422]],
  ['of 100,000 keys', () => JSON.stringify(keys(100_000)), [413], 'payload_too_large'],
  ['of 20,000 unknown keys', () => JSON.stringify(keys(20_000)), [422], 'validation_failed'],
  ['256 KiB and a byte', valid => valid.padEnd(256 * KIB + 1), [413], 'payload_too_large'],
  ['1 MiB', valid => valid.padEnd(KIB * KIB), [413], 'payload_too_large'],
]

const BOMB = 64 * KIB * KIB
const gzipBomb = gzipSync(Buffer.alloc(BOMB, ' '), { level: 1 })
const ENCODED: [string, string, (valid: string) => Buffer, number[]][] = [
  ['a gzip bomb', 'gzip', () => gzipBomb, [413, 415]],
  ['a deflate bomb', 'deflate', () => deflateSync(Buffer.alloc(BOMB, ' '), { level: 1 }), [413, 415]],
  [
    'a brotli bomb',
    'br',
    () => brotliCompressSync(Buffer.alloc(BOMB, ' '), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
    [413, 415],
  ],
  ['a bomb in a bomb', 'gzip, gzip', () => gzipSync(gzipBomb), [400, 413, 415]],
  ['100,000 keys in gzip', 'gzip', () => gzipSync(JSON.stringify(keys(100_000))), [413, 415]],
  ['a hit and 256 KiB in gzip', 'gzip', valid => gzipSync(valid.padEnd(256 * KIB + 1)), [413, 415]],
  ['gzip that is not gzip', 'gzip', valid => Buffer.from(valid), [400, 415]],
  ['gzip that is cut short', 'gzip', valid => gzipSync(valid).subarray(0, -12), [400, 415]],
  ['gzip with a wrong checksum', 'gzip', valid => flipped(gzipSync(valid), -6), [400, 415]],
  ['empty gzip', 'gzip', () => gzipSync(''), [400, 415]],
  ['no bytes of gzip', 'gzip', () => Buffer.alloc(0), [400, 415]],
  ['deflate that is not deflate', 'deflate', valid => Buffer.from(valid), [400, 415]],
  ['brotli that is not brotli', 'br', valid => Buffer.from(valid), [400, 415]],
  ['an unknown encoding', 'snappy', valid => Buffer.from(valid), [400, 415]],
  ['an encoding of 8,000 letters', 'x'.repeat(8_000), valid => Buffer.from(valid), [400, 415, 431]],
  ['the encoding __proto__', '__proto__', valid => Buffer.from(valid), [400, 415]],
]

function flipped(bytes: Buffer, at: number): Buffer {
  const index = bytes.length + at
  bytes[index] = bytes[index]! ^ 0xff
  return bytes
}

const validOf = (endpoint: Endpoint) => required(endpoint, site)
const post = (endpoint: Endpoint, body: unknown, headers: Record<string, string> = {}) =>
  request(`${service.url}/api/${endpoint}`, { method: 'POST', body, headers })

describe.each(ENDPOINTS)('POST /api/%s refuses', endpoint => {
  storingNothing(() => {
    test.each(HOSTILE_TEXT)('a body %s', async (_, make, statuses, code) => {
      expectError(await post(endpoint, make(JSON.stringify(validOf(endpoint)))), statuses, code)
    })

    test.each(invalidBodies(endpoint))('%s', async (_, make) => {
      const answer = await post(endpoint, make(validOf(endpoint)))
      expectError(answer, 422, 'validation_failed')
    })

    test.each(ENCODED)('%s', async (_, encoding, make, statuses) => {
      const body = make(JSON.stringify(validOf(endpoint)))
      expectError(await post(endpoint, body, { 'content-encoding': encoding }), statuses)
    })

    test('an unknown key', async () => {
      for (const key of [randomUUID(), '00000000-0000-0000-0000-000000000000', site.id])
        expectError(await post(endpoint, { ...validOf(endpoint), key }), 404, 'not_found')
    })

    test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'])('the method %s', async method => {
      const answer = await request(`${service.url}/api/${endpoint}`, { method })
      expectError(answer, 405, 'method_not_allowed')
      expect(answer.headers.allow).toContain('POST')
    })

    test('numbers that are valid JSON but out of range', async () => {
      const numbers = FIELDS[endpoint].filter(field => field.kind === 'int')
      for (const { path } of numbers) {
        const marked = JSON.stringify(withField(validOf(endpoint), path, 'MARK'))
        for (const number of ['1e400', '-1e400', '-1', '1.5', '1e-9', '-0.1'])
          expectError(await post(endpoint, marked.replace('"MARK"', number)), 422, 'validation_failed')
      }
    })
  })
})

test('hostile input: a wrong field is named by its path', async () => {
  const answer = await post('collect', { ...validOf('collect'), url: { path: 5 }, screen: { width: -1 } })
  expectError(answer, 422)
  expect(Object.keys(answer.json.errors).sort()).toEqual(['screen.width', 'url.path'])
})

// What only bytes on a socket can say.

const head = (line: string, ...headers: string[]) =>
  [line, 'Host: localhost', 'User-Agent: curl/8.5.0', 'Connection: close', ...headers, '', ''].join('\r\n')
const collectHead = (...headers: string[]) => head('POST /api/collect HTTP/1.1', ...headers)
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

/** Requests as bytes; `silence` when the connection may also be closed without an answer. */
const RAW: [
  string,
  (valid: string) => string,
  number[],
  { silence?: true; deadlineMs?: number; end?: true }?,
][] = [
  ['noise', () => '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', [400], { silence: true, end: true }],
  ['words', () => 'hello there\r\n\r\n', [400]],
  ['a line without an end', () => 'GET /api/sites', [400], { silence: true, end: true }],
  ['a protocol of another kind', () => 'GET / SIP/2.0\r\n\r\n', [400]],
  ['HTTP/9.9', () => 'GET /api/sites HTTP/9.9\r\nHost: x\r\n\r\n', [400, 505]],
  [
    'the preface of HTTP/2',
    () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    [400, 404, 405, 505],
    { silence: true },
  ],
  ['a method in small letters', () => head('post /api/collect HTTP/1.1', 'Content-Length: 0'), [400, 405]],
  ['a method of our own', () => head('HACK /api/collect HTTP/1.1', 'Content-Length: 0'), [400, 405]],
  ['CONNECT', () => head('CONNECT localhost:1 HTTP/1.1'), [400, 404, 405], { silence: true }],
  ['a space in the path', () => head('GET /api/si tes HTTP/1.1'), [400, 404]],
  ['a NUL in the path', () => head('GET /api/sites\0 HTTP/1.1'), [400]],
  ['bytes above ASCII in the path', () => head('GET /api/sites/\xff\xfe HTTP/1.1'), [400, 401, 404]],
  ['another host in the path', () => head('GET http://evil.example/api/sites HTTP/1.1'), [400, 401, 404]],
  ['a path that is an asterisk', () => head('GET * HTTP/1.1'), [400, 404]],
  ['a path without a slash', () => head('GET api/sites HTTP/1.1'), [400, 404]],
  ['two slashes first', () => head('GET //api/sites HTTP/1.1'), [400, 401, 404]],
  ['only a question mark', () => head('GET ? HTTP/1.1'), [400, 404]],
  [
    'no Host header',
    valid => `POST /api/collect HTTP/1.1\r\nContent-Length: ${valid.length}\r\n\r\n${valid}`,
    [400],
  ],
  ['a header without a colon', () => collectHead('Nonsense'), [400]],
  ['a header with a space in its name', () => collectHead('A b: c'), [400]],
  ['a NUL in a header', () => collectHead('X-A: a\0b'), [400]],
  ['a header of 64 KiB', () => collectHead(`X-A: ${'a'.repeat(64 * KIB)}`), [400, 431, 413]],
  [
    '3,000 headers of 64 KiB',
    () => collectHead(...Array(3_000).fill('X-Header-A: 1234567890')),
    [400, 431, 413],
  ],
  [
    'a query string of 64 KiB',
    () => head(`GET /api/sites?search=${'a'.repeat(64 * KIB)} HTTP/1.1`),
    [400, 414, 431, 413],
  ],
  ['no length and no body', () => collectHead(), [400, 411]],
  ['a length too short', valid => `${collectHead(`Content-Length: ${valid.length - 5}`)}${valid}`, [400]],
  [
    'a Content-Length that is too long, then a disconnect',
    valid => `${collectHead(`Content-Length: ${valid.length + 5}`)}${valid}`,
    [400],
    { silence: true, end: true },
  ],
  [
    'a Content-Length that is too long, then silence',
    valid => `${collectHead(`Content-Length: ${valid.length + 5}`)}${valid}`,
    [400, 408],
    { silence: true, deadlineMs: 300 },
  ],
  ['a length of 10 GB', valid => `${collectHead('Content-Length: 10000000000')}${valid}`, [413]],
  ['a length beyond every number', () => collectHead(`Content-Length: ${'9'.repeat(40)}`), [400, 413]],
  ['a length below zero', valid => `${collectHead('Content-Length: -1')}${valid}`, [400]],
  ['a length that is a word', valid => `${collectHead('Content-Length: many')}${valid}`, [400]],
  ['a length in hex', valid => `${collectHead('Content-Length: 0x50')}${valid}`, [400]],
  [
    'two Content-Length headers',
    valid => `${collectHead(`Content-Length: ${valid.length}`, 'Content-Length: 5')}${valid}`,
    [400],
  ],
  [
    'a Content-Length and chunks',
    valid => `${collectHead('Content-Length: 5', 'Transfer-Encoding: chunked')}${chunk(valid)}0\r\n\r\n`,
    [400],
  ],
  ['chunks of no size', valid => `${collectHead('Transfer-Encoding: chunked')}zz\r\n${valid}\r\n`, [400]],
  [
    'chunks that end in the middle',
    valid => `${collectHead('Transfer-Encoding: chunked')}${chunk(valid).slice(0, -9)}`,
    [400],
    { silence: true, end: true },
  ],
  [
    'chunks over the limit',
    valid =>
      `${collectHead('Transfer-Encoding: chunked')}${chunk(valid)}${chunk(' '.repeat(64 * KIB)).repeat(5)}0\r\n\r\n`,
    [413],
  ],
  [
    'chunks over the limit without an end',
    valid =>
      `${collectHead('Transfer-Encoding: chunked')}${chunk(valid)}${chunk(' '.repeat(64 * KIB)).repeat(5)}`,
    [413],
  ],
  ['an unknown transfer encoding', valid => `${collectHead('Transfer-Encoding: magic')}${valid}`, [400, 501]],
  ['an unknown expectation', () => collectHead('Expect: the-inquisition', 'Content-Length: 0'), [400, 417]],
]

describe('hostile input on a socket:', () => {
  storingNothing(() => {
    test.each(RAW)('%s gives an error', async (_, make, statuses, options = {}) => {
      const answers = await rawRequest(
        service.url,
        Buffer.from(make(JSON.stringify(validOf('collect'))), 'latin1'),
        options,
      )
      const [answer] = answers
      if (!answer && options.silence) return
      expect(answer, 'an answer').toBeDefined()
      expectError(answer!, statuses)
    })
  })
})

describe('hostile input: the authenticated API refuses', () => {
  storingNothing(() => {
    const domains: [string, unknown][] = [
      ...[
        '',
        ' ',
        '.',
        '..',
        'a..b',
        'a b',
        '-a.example',
        'a-.example',
        'http://',
        'https:///path',
        '?',
        '#',
      ],
      ...[
        'javascript:alert(1)',
        'a.example:99999',
        'a.example:-1',
        'a.example:x',
        'user:pw@a.example',
        '@',
        '%',
      ],
      ...[
        'a.example\n.b',
        'a\u0000.example',
        '\ud800.example',
        'a\u202e.example',
        `${'a'.repeat(64)}.example`,
      ],
      ...['<script>', "'; drop table sites; --", '../../etc/passwd', '\\\\host\\share', '*.example'],
      ...[`${'a'.repeat(256)}`, `${ASTRAL.repeat(256)}`],
      ...[undefined, null, 5, true, [], ['a.example'], {}, { toString: 'a.example' }],
    ].map(domain => [JSON.stringify(domain)?.slice(0, 40) ?? 'missing', domain])

    test.each(domains)('the domain %s', async (_, domain) => {
      const answer = await request(`${service.url}/api/sites`, {
        method: 'POST',
        token: service.token,
        body: { domain },
      })
      expectError(answer, 422, 'validation_failed')
      expect(Object.keys(answer.json.errors)).toEqual(['domain'])
    })

    const zones: [string, unknown][] = [
      ...[
        'Mars/Olympus',
        'FOO+3',
        '+03:00',
        'UTC+3',
        '../../etc/passwd',
        'Europe/Berlin\u0000',
        'Europe/Berlin ',
      ],
      ...['a'.repeat(256), ASTRAL.repeat(256), 5, true, [], ['UTC'], {}],
    ].map(zone => [JSON.stringify(zone).slice(0, 40), zone])

    test.each(zones)('the timezone %s', async (_, timezone) => {
      const answer = await request(`${service.url}/api/sites`, {
        method: 'POST',
        token: service.token,
        body: { domain: 'zone.example', timezone },
      })
      expectError(answer, 422, 'validation_failed')
      expect(Object.keys(answer.json.errors)).toEqual(['timezone'])
    })

    const valid = '{"domain":"body.example"}'
    const bodies: [string, string | Buffer, number[], Record<string, string>?][] = [
      ['empty', '', [400, 422]],
      ['cut short', valid.slice(0, -1), [400]],
      ['a form', 'domain=body.example', [400]],
      ['null', 'null', [422]],
      ['an array', `[${valid}]`, [422]],
      ['a string', '"body.example"', [422]],
      ['under __proto__', `{"__proto__":${valid}}`, [422]],
      ['40,000 arrays deep', DEEP_ARRAY, [400, 422]],
      ['40,000 objects deep', DEEP_OBJECT, [400, 422]],
      ['a domain 40,000 arrays deep', `{"domain":${DEEP_ARRAY}}`, [400, 422]],
      ['of 100,000 keys', JSON.stringify(keys(100_000)), [413]],
      ['256 KiB and a byte', valid.padEnd(256 * KIB + 1), [413]],
      ['a gzip bomb', gzipBomb, [413, 415], { 'content-encoding': 'gzip' }],
      ['bad gzip', valid, [400, 415], { 'content-encoding': 'gzip' }],
      ['in an encoding nobody knows', valid, [400, 415], { 'content-encoding': 'snappy' }],
    ]

    test.each(bodies)('a body %s', async (_, body, statuses, headers = {}) => {
      const asked = { method: 'POST', token: service.token, body, headers }
      expectError(await request(`${service.url}/api/sites`, asked), statuses)
    })

    test.each(bodies)('a body %s without a token', async (_, body, _statuses, headers = {}) => {
      expectError(await request(`${service.url}/api/sites`, { method: 'POST', body, headers }), [401, 413])
    })

    const tokens = [
      ...[
        '',
        'Bearer',
        'Bearer ',
        'Bearer wa_',
        'Bearer wa_x',
        'Basic YTpi',
        'Token x',
        `Bearer ${'wa_'.repeat(3_000)}`,
      ],
      ...['Bearer null', 'Bearer undefined', "Bearer ' or 1=1 --", 'Bearer \xff\xfe', 'Bearer __proto__'],
    ].map(value => [value.slice(0, 40), value] as const)

    test.each(tokens)('the authorization "%s"', async (_, authorization) => {
      expectError(
        await request(`${service.url}/api/sites`, { headers: { authorization } }),
        401,
        'unauthenticated',
      )
    })

    test('a token with extra or missing characters', async () => {
      const { token } = service
      const others = [
        token.slice(0, -1),
        `${token}x`,
        token.slice(3),
        token.toUpperCase(),
        `${token} ${token}`,
        `x${token}`,
      ]
      for (const other of others)
        expectError(await request(`${service.url}/api/sites`, { token: other }), 401, 'unauthenticated')
    })

    const siteKeys: [string, string, number[]][] = [
      ['half a percent code', '%', [400, 404]],
      ['a percent code that is no hex', '%zz', [400, 404]],
      ['UTF-8 that is cut short', '%E0%A4', [400, 404]],
      ['a surrogate in UTF-8', '%ED%A0%80', [400, 404]],
      ['bytes that are no UTF-8', '%FF%FE', [400, 404]],
      ['a NUL', '%00', [400, 404]],
      ['a NUL behind a domain', 'hostile.example%00', [400, 404]],
      ['a line break', 'hostile.example%0d%0aX-Evil:%201', [400, 404]],
      ['slashes in code', '..%2f..%2fetc%2fpasswd', [400, 404]],
      ['8,000 letters', 'a'.repeat(8_000), [400, 404, 414]],
      ['800 emoji in code', encodeURIComponent(ASTRAL.repeat(800)), [400, 404, 414]],
      ['SQL', "'%20or%20'1'='1", [404]],
      ['a pattern', '%25', [404]],
      ['__proto__', '__proto__', [404]],
      ['constructor', 'constructor', [404]],
      ['a UUID and more', '00000000-0000-0000-0000-000000000000x', [404]],
      ['braces around a UUID', '%7B00000000-0000-0000-0000-000000000000%7D', [404]],
      ['nothing', '', [400, 404]],
      ['a space', '%20', [400, 404]],
    ]

    test.each(siteKeys)('a site key of %s', async (_, siteKey, statuses) => {
      const paths: [string, string][] = [
        ['GET', '/overview'],
        ['GET', '/overview?range=all'],
        ['DELETE', siteKey === '' ? '/' : ''],
      ]
      for (const [method, path] of paths) {
        const answer = await request(`${service.url}/api/sites/${siteKey}${path}`, {
          method,
          token: service.token,
        })
        if (siteKey === '' && method === 'DELETE') expectError(answer, [404, 405])
        else expectError(answer, statuses)
      }
    })

    const ranges = [
      ...[
        'range=',
        'range=TODAY',
        'range=today%00',
        'range=last_8_days',
        'range=__proto__',
        'range=constructor',
      ],
      ...[
        'from=2026-01-01',
        'to=2026-01-01',
        'from=2026-01-02&to=2026-01-01',
        'from=&to=',
        'from=2026-01-01&to=',
      ],
      ...['from=2026-02-30&to=2026-03-01', 'from=2026-02-29&to=2026-03-01', 'from=2026-13-01&to=2026-13-02'],
      ...[
        'from=2026-1-1&to=2026-1-2',
        'from=01-01-2026&to=02-01-2026',
        'from=today&to=tomorrow',
        'from=1&to=2',
      ],
      ...[
        'from=2026-01-01T00:00:00Z&to=2026-01-02',
        'from=2026-01-01%00&to=2026-01-02',
        'from=20260101&to=20260102',
      ],
      ...['from=2026-01-01%0a&to=2026-01-02', 'from=%20&to=%20', 'from=+2026-01-01&to=2026-01-02'],
      ...[
        'from=-2026-01-01&to=2026-01-02',
        'from=12026-01-01&to=12026-01-02',
        'from=2026-00-00&to=2026-00-00',
      ],
      ...['from=%EF%BC%92026-01-01&to=2026-01-02', 'from=infinity&to=infinity', 'from=now&to=now'],
    ]

    test.each(ranges)('an overview of %s', async query => {
      const asked = { token: service.token }
      const answer = await request(`${service.url}/api/sites/hostile.example/overview?${query}`, asked)
      expectError(answer, 422, 'validation_failed')
    })

    const lists = [
      ...['sort=visitors', 'sort=most_visitors%00', 'sort=__proto__', 'sort=domain_asc;drop%20table%20sites'],
      ...[`search=${'a'.repeat(256)}`, `search=${encodeURIComponent(ASTRAL.repeat(256))}`],
    ]

    test.each(lists)('a list of %s', async query => {
      const answer = await request(`${service.url}/api/sites?${query}`, { token: service.token })
      expectError(answer, 422, 'validation_failed')
    })

    const unknown = [
      '/api',
      '/api/',
      '/api/none',
      '/api/sites/a/b/c',
      '/.env',
      '/api/../../etc/passwd',
      '/%',
      '/%00',
      '/trpc',
      '/trpc/',
      '/trpc/%',
    ]

    test.each(unknown)('the unknown path %s', async path => {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await request(service.url + path, { method, token: service.token })
        expectError(answer, path.includes('%') ? [400, 404] : 404)
      }
    })
  })
})

describe('hostile input: /trpc refuses', () => {
  storingNothing(() => {
    const input = (value: unknown) => `input=${encodeURIComponent(JSON.stringify(value))}`
    const many = (count: number) => Array(count).fill('sites.list').join(',')
    const cases: [string, string, string, number[], (string | Buffer)?][] = [
      ['an unknown procedure', 'GET', 'sites.none', [404]],
      ['a procedure named __proto__', 'GET', '__proto__', [404]],
      ['a procedure named constructor', 'GET', 'sites.constructor', [404]],
      ['a NUL for a procedure', 'GET', '%00', [400, 404]],
      ['a query as POST with a body that is not JSON', 'POST', 'sites.list', [400], '{'],
      ['a query as POST with an array', 'POST', 'sites.list', [422], '[]'],
      ['a query as POST with an unknown value', 'POST', 'sites.list', [422], '{"sort": "x"}'],
      ['a mutation as a query', 'GET', `sites.create?${input({ domain: 'trpc.example' })}`, [405]],
      ['another method', 'PUT', 'sites.list', [405], '{}'],
      ['input that is not JSON', 'GET', 'sites.list?input={', [400]],
      ['input that is a bad percent code', 'GET', 'sites.list?input=%', [400]],
      ['input that is an array', 'GET', `sites.list?${input([])}`, [422]],
      ['input that is a number', 'GET', `sites.list?${input(5)}`, [422]],
      ['a search too long', 'GET', `sites.list?${input({ search: 'a'.repeat(256) })}`, [422]],
      ['a sort nobody knows', 'GET', `sites.list?${input({ sort: 'x' })}`, [422]],
      ['a search that is an object', 'GET', `sites.list?${input({ search: { a: 1 } })}`, [422]],
      ['no site key', 'GET', 'stats.overview', [422]],
      ['a site key that is a number', 'GET', `stats.overview?${input({ siteKey: 5 })}`, [404, 422]],
      ['a site key with a NUL', 'GET', `stats.overview?${input({ siteKey: '\0' })}`, [404, 422]],
      [
        'a site key with a lone surrogate',
        'GET',
        `stats.overview?${input({ siteKey: '\ud800' })}`,
        [404, 422],
      ],
      [
        'a lone from',
        'GET',
        `stats.overview?${input({ siteKey: 'hostile.example', from: '2026-01-01' })}`,
        [422],
      ],
      [
        'an impossible date',
        'GET',
        `stats.overview?${input({ siteKey: 'hostile.example', from: '2026-02-30', to: '2026-03-01' })}`,
        [422],
      ],
      ['10,000 calls in one', 'GET', `${many(1_400)}?batch=1&input={}`, [400, 413, 414, 422, 431]],
      ['a batch of nothing', 'GET', ',,,?batch=1&input={}', [404]],
      ['batch input that is not an object', 'GET', 'sites.list?batch=1&input=[', [400]],
      ['an empty body', 'POST', 'sites.create', [400, 422], ''],
      ['a body that is not JSON', 'POST', 'sites.create', [400], '{'],
      ['a body that is null', 'POST', 'sites.create', [422], 'null'],
      ['a body that is an array', 'POST', 'sites.create', [422], '[{"domain":"trpc.example"}]'],
      ['a domain under __proto__', 'POST', 'sites.create', [422], '{"__proto__":{"domain":"trpc.example"}}'],
      ['a domain that is an object', 'POST', 'sites.create', [422], '{"domain":{"toString":1}}'],
      ['a domain with a NUL', 'POST', 'sites.create', [422], '{"domain":"a\\u0000.example"}'],
      ['a body 40,000 arrays deep', 'POST', 'sites.create', [400, 422], DEEP_ARRAY],
      ['a body 40,000 objects deep', 'POST', 'sites.create', [400, 422], DEEP_OBJECT],
      ['a body of 100,000 keys', 'POST', 'sites.create', [413], JSON.stringify(keys(100_000))],
      [
        '256 KiB and a byte',
        'POST',
        'sites.create',
        [413],
        '{"domain":"trpc.example"}'.padEnd(256 * KIB + 1),
      ],
    ]

    test.each(cases)('%s', async (_, method, path, statuses, body) => {
      const headers = { ...(body !== undefined && { 'content-type': 'application/json' }) }
      const answer = await request(`${service.url}/trpc/${path}`, {
        method,
        token: service.token,
        body,
        headers,
      })
      expectTrpcError(answer, statuses)
    })

    test('a gzip bomb and a body that is not gzip', async () => {
      for (const [body, statuses] of [
        [gzipBomb, [413, 415]],
        [Buffer.from('{}'), [400, 415]],
      ] as const) {
        const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
        const asked = { method: 'POST', token: service.token, headers, body }
        expectTrpcError(await request(`${service.url}/trpc/sites.create`, asked), [...statuses])
      }
    })

    test('every call without a token', async () => {
      for (const path of [
        'sites.list',
        `sites.get?${input({ siteKey: site.id })}`,
        'sites.list,sites.list?batch=1&input={}',
      ])
        expectTrpcError(await request(`${service.url}/trpc/${path}`), 401)
    })
  })
})

describe('hostile input: a hit at a limit is stored', () => {
  const LIMITS = ENDPOINTS.flatMap(endpoint =>
    FIELDS[endpoint]
      .filter(field => field.max !== undefined)
      .map(({ path, kind, max = 0 }): [Endpoint, string, Kind, number] => [endpoint, path, kind, max]),
  )

  test.each(LIMITS)('/api/%s: %s, a %s of %i', async (endpoint, path, kind, max) => {
    const start = kind === 'url' ? 'https://example.com/' : ''
    const values =
      kind === 'int' ? [0, max] : ['a', ASTRAL].map(letter => start + letter.repeat(max - start.length))
    // An avatar's address may be held to ASCII.
    for (const value of kind === 'url' ? values.slice(0, 1) : values)
      expect((await post(endpoint, withField(validOf(endpoint), path, value))).text).toBe('')
  })

  test.each([
    ['collect', 'properties'],
    ['event', 'properties'],
    ['identify', 'custom'],
  ] as const)('/api/%s: %s of 50 keys of 64 letters with values of 500', async (endpoint, field) => {
    for (const letter of ['a', ASTRAL]) {
      const props = Object.fromEntries(
        Array.from({ length: 50 }, (_, index) => [letter.repeat(62) + (10 + index), letter.repeat(500)]),
      )
      expect((await post(endpoint, { ...validOf(endpoint), [field]: props })).text).toBe('')
    }
  })

  test.each(ENDPOINTS)('/api/%s: a body of 256 KiB', async endpoint => {
    const valid = JSON.stringify(validOf(endpoint))
    expect((await post(endpoint, valid.padEnd(256 * KIB))).status).toBe(202)
    const padding = 256 * KIB - valid.length - ',"x":""'.length
    expect((await post(endpoint, valid.replace(/\}$/, `,"x":"${'x'.repeat(padding)}"}`))).status).toBe(202)
  })

  test.each(['', 'search='])('a list with %s255 letters', async name => {
    for (const letter of ['a', ASTRAL]) {
      const query = name && `?${name}${encodeURIComponent(letter.repeat(255))}`
      expect((await request(`${service.url}/api/sites${query}`, { token: service.token })).status).toBe(200)
    }
  })

  test('all hits at a limit are stored, and there are no dead letters', async () => {
    await settle(service, sentinel)
    const sent = { collect: 0, event: 0, engage: 0, identify: 0 }
    for (const [endpoint, , kind] of LIMITS) sent[endpoint] += kind === 'url' ? 1 : 2
    for (const endpoint of ['collect', 'event', 'identify'] as const) sent[endpoint] += 2
    for (const endpoint of ENDPOINTS) sent[endpoint] += 2
    const rows = await service.db<{ type: string; count: number }[]>`
      select type, count(*)::int as count from events where site_no = ${site.siteNo} group by type`
    const stored = Object.fromEntries(rows.map(row => [row.type, row.count]))
    expect(stored).toMatchObject({ pageview: sent.collect, event: sent.event, identify: sent.identify })
    expect(await service.db`select reason from dead_letters`).toEqual([])
  })
})

/** What the documents leave open: it may be taken or refused, but a 5xx or a dead letter is neither. */
describe('hostile input: unusual values cause no internal error:', () => {
  const bodies: [string, Endpoint, (valid: string) => string | Buffer][] = [
    ['a byte order mark', 'collect', valid => `\ufeff${valid}`],
    [
      'bytes that are not UTF-8',
      'collect',
      valid => Buffer.from(valid.replace('"/"', '"/\xff\xc0\x80"'), 'latin1'),
    ],
    ['the same key twice', 'collect', valid => valid.replace('{', '{"hostname":5,')],
    ['an unknown field 40,000 arrays deep', 'collect', valid => valid.replace(/\}$/, `,"x":${DEEP_ARRAY}}`)],
    ['an unknown field 40,000 objects deep', 'event', valid => valid.replace(/\}$/, `,"x":${DEEP_OBJECT}}`)],
    ['revenue 40,000 arrays deep', 'event', valid => valid.replace(/\}$/, `,"$":${DEEP_ARRAY}}`)],
    [
      'an error 40,000 objects deep',
      'event',
      valid => valid.replace('signup', 'error').replace(/\}$/, `,"error":${DEEP_OBJECT}}`),
    ],
    [
      '20,000 unknown fields',
      'collect',
      valid => valid.replace(/\}$/, `,${JSON.stringify(keys(20_000)).slice(1)}`),
    ],
    ['an infinite property', 'event', valid => valid.replace(/\}$/, ',"properties":{"n":1e400}}')],
    [
      'an infinite revenue',
      'event',
      valid => valid.replace(/\}$/, ',"$":{"amount":1e400,"currency":"USD"}}'),
    ],
    [
      'a revenue beyond every column',
      'event',
      valid => valid.replace(/\}$/, ',"$":{"amount":1e30,"currency":"USD"}}'),
    ],
    [
      'a revenue just beyond 64 bits',
      'event',
      valid => valid.replace(/\}$/, ',"$":{"amount":9.3e16,"currency":"USD"}}'),
    ],
    ['a tiny revenue', 'event', valid => valid.replace(/\}$/, ',"$":{"amount":5e-324,"currency":"USD"}}')],
    ['a depth of 1e300', 'engage', valid => valid.replace('"sd":10', '"sd":1e300')],
    ['a depth of 1e400', 'engage', valid => valid.replace('"sd":10', '"sd":1e400')],
    ['a depth of minus zero', 'engage', valid => valid.replace('"sd":10', '"sd":-0')],
    ['an empty hostname', 'collect', valid => valid.replace(/"hostname":"[^"]*"/, '"hostname":""')],
    ['an empty path', 'collect', valid => valid.replace('"/"', '""')],
    ['an empty name', 'event', valid => valid.replace('signup', '')],
    ['a name of NUL', 'event', valid => valid.replace('signup', '\\u0000')],
    ['an empty identifier', 'identify', valid => valid.replace('user-1', '')],
    ['an identifier of NUL', 'identify', valid => valid.replace('user-1', '\\u0000')],
    ['an empty property key', 'event', valid => valid.replace(/\}$/, ',"properties":{"":"x"}}')],
    ['a null property', 'event', valid => valid.replace(/\}$/, ',"properties":{"a":null}}')],
    [
      'an avatar that is a script',
      'identify',
      valid => valid.replace(/\}$/, ',"avatar":"javascript:alert(1)"}'),
    ],
    ['a path of ten thousand slashes', 'collect', valid => valid.replace('"/"', `"${'/'.repeat(2_048)}"`)],
    [
      'a path with bad percent codes',
      'collect',
      valid => valid.replace('"/"', '"/%?utm_source=%&utm_medium=%E0%A4"'),
    ],
    [
      'a path with a thousand tags',
      'collect',
      valid => valid.replace('"/"', `"/?${'utm_source=a&'.repeat(150)}"`),
    ],
    [
      'tags of NUL and a lone surrogate',
      'collect',
      valid => valid.replace('"/"', '"/?utm_source=%00&utm_medium=\\ud800"'),
    ],
    ['a path that is a URL', 'collect', valid => valid.replace('"/"', '"https://a.example/b?c#d"')],
    ['a path that is no URL', 'collect', valid => valid.replace('"/"', '"http://[::bad"')],
    ['a referrer that is no URL', 'collect', valid => valid.replace(/\}$/, ',"referrer":"http://[::bad"}')],
    [
      'a referrer with a lone surrogate',
      'collect',
      valid => valid.replace(/\}$/, ',"referrer":"https://\\udc00\\u0000/"}'),
    ],
    [
      'a referrer that is a script',
      'collect',
      valid => valid.replace(/\}$/, ',"referrer":"javascript:alert(1)"}'),
    ],
    [
      'the NUL visitor',
      'collect',
      valid => valid.replace(/\}$/, ',"visitor_id":"00000000-0000-0000-0000-000000000000"}'),
    ],
    [
      'the highest visitor',
      'collect',
      valid => valid.replace(/\}$/, ',"visitor_id":"ffffffff-ffff-ffff-ffff-ffffffffffff"}'),
    ],
    [
      'a hostname with NUL and a lone surrogate',
      'collect',
      valid => valid.replace('"hostname":"', '$&\\u0000\\ud83d'),
    ],
    [
      'a title with a lone surrogate',
      'collect',
      valid => valid.replace('"/"', '"/","title":"\\ude00\\u0000\\ud83d"'),
    ],
    [
      'property names that every object has',
      'event',
      valid =>
        valid.replace(
          /\}$/,
          ',"properties":{"__proto__":"a","constructor":"b","toString":"c","hasOwnProperty":"d","prototype":"e"}}',
        ),
    ],
    [
      'properties with NUL and a lone surrogate',
      'event',
      valid => valid.replace(/\}$/, ',"properties":{"a\\u0000\\ud800":"b\\u0000\\udc00"}}'),
    ],
    [
      'keys that are the same once NUL is gone',
      'event',
      valid => valid.replace(/\}$/, ',"properties":{"a":"1","a\\u0000":"2"}}'),
    ],
    [
      'a key that is __proto__ once NUL is gone',
      'event',
      valid => valid.replace(/\}$/, ',"properties":{"__pro\\u0000to__":"1"}}'),
    ],
    [
      'custom named __proto__',
      'identify',
      valid => valid.replace(/\}$/, ',"custom":{"__proto__":"a","constructor":"b\\u0000"}}'),
    ],
    ['an event named __proto__', 'event', valid => valid.replace('signup', '__proto__')],
    [
      'an error of NUL',
      'event',
      valid =>
        valid
          .replace('signup', 'error')
          .replace(/\}$/, ',"error":{"message":"\\u0000\\ud800","stack":"\\udc00"}}'),
    ],
    [
      'an error of 200 KB',
      'event',
      valid =>
        valid
          .replace('signup', 'error')
          .replace(/\}$/, `,"error":{"message":"${'m'.repeat(100_000)}","stack":"${'s'.repeat(100_000)}"}}`),
    ],
  ]

  test.each(bodies)('%s', async (_, endpoint, make) => {
    expectTakenOrRefused(await post(endpoint, make(JSON.stringify(validOf(endpoint)))))
  })

  const headers: [string, Record<string, string>][] = [
    ['no user agent', { 'user-agent': '' }],
    ['a user agent of 12,000 letters', { 'user-agent': 'Mozilla/5.0 '.repeat(1_000) }],
    ['a user agent that is slow to match', { 'user-agent': `${'a'.repeat(6_000)}!${'('.repeat(6_000)}` }],
    ['a user agent above ASCII', { 'user-agent': 'M\xf6zilla/5.0 \xff\x80' }],
    ['a content type that is none', { 'content-type': 'nonsense; charset="' }],
    ['a character set that is none', { 'content-type': 'application/json; charset=klingon' }],
    ['UTF-16 by its content type', { 'content-type': 'application/json; charset=utf-16le' }],
    ['a forged address', { 'x-forwarded-for': `${'1.2.3.4,'.repeat(500)}'; drop table events --` }],
    ['a forged host', { host: 'evil.example:99999' }],
    ['a forged request id', { 'x-request-id': 'a'.repeat(5_000) }],
    ['an origin that is none', { origin: 'null' }],
    ['an origin with quotes', { origin: '"><script>' }],
    ['a method to override', { 'x-http-method-override': 'DELETE' }],
    ['a hit in gzip', { 'content-encoding': 'identity' }],
    ['an upgrade', { connection: 'Upgrade', upgrade: 'websocket' }],
    ['an expectation', { expect: '100-continue' }],
    ['an Accept nobody meets', { accept: 'image/webp' }],
  ]

  test.each(headers)('%s', async (_, given) => {
    expectTakenOrRefused(await post('collect', validOf('collect'), given))
  })

  const queries = [
    ...[
      'search=a&search=b',
      'search[]=a',
      'search[a]=b',
      'sort=domain_asc&sort=domain_desc',
      'sort=',
      'search=',
    ],
    ...[
      'period=24h&period=7d',
      'period[]=24h',
      'period=%00',
      'search=%00',
      'search=%ED%A0%80',
      'search=%',
      'search=%FF',
    ],
    ...[
      'search=%25',
      'search=_',
      'search=%5C',
      'search=%27',
      '__proto__=1',
      '__proto__[a]=1',
      'constructor=1',
    ],
    ...[
      'a%0d%0aSet-Cookie:%20b=1',
      '%00=1',
      '%C3%A9=1',
      '%E6%97%A5%E6%9C%AC=1',
      `${encodeURIComponent(ASTRAL)}=1`,
      '%=1',
    ],
    ...['=1', '&&&&', '=', '?', '#', 'a=1&a=2', `${'a=1&'.repeat(2_000)}`, `${'[a]'.repeat(2_000)}=1`],
    ...[`${Array.from({ length: 1_000 }, (_, index) => `p${index}`).join('&')}`, `${'x'.repeat(12_000)}=1`],
    ...['hasOwnProperty=1', 'toString=1', 'siteKey=x', 'search=a%0ab', '%7f=1', 'a,b=1', '%20=1'],
  ].map(query => [query.slice(0, 50), query] as const)

  test.each(queries)('a query string %s', async (_, query) => {
    const answer = await request(`${service.url}/api/sites?${query}`, { token: service.token })
    if (answer.status === 200) expect(answer.json).toBeInstanceOf(Array)
    else expectError(answer, [400, 414, 422, 431])
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  const overviews = [
    ...['from=0001-01-01&to=9999-12-31', 'from=0000-01-01&to=0000-01-02', 'from=9999-12-30&to=9999-12-31'],
    ...[
      'from=1582-10-10&to=1582-10-11',
      'from=1900-01-01&to=2100-01-01',
      'range=today&range=all',
      'range[]=today',
    ],
    ...[
      'from=2026-01-01&from=2026-01-02&to=2026-01-03',
      'from[a]=2026-01-01&to=2026-01-02',
      'range=all&siteKey=x',
    ],
  ]

  test.each(overviews)('an overview of %s', async query => {
    const asked = { token: service.token }
    const answer = await request(`${service.url}/api/sites/${site.id}/overview?${query}`, asked)
    if (answer.status === 200) expect(answer.json).toHaveProperty('days')
    else expectError(answer, [400, 422])
  })

  test('a pipelined request', async () => {
    const body = JSON.stringify(validOf('collect'))
    const one = `POST /api/collect HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n`
    const answers = await rawRequest(service.url, `${one}\r\n${body}${one}Connection: close\r\n\r\n${body}`)
    expect(answers.map(answer => answer.status)).toEqual([202, 202])
  })

  test('there are no dead letters', async () => {
    await settle(service, sentinel)
    expect(await service.db`select reason, left(payload, 300) as payload from dead_letters`).toEqual([])
  })
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
  const overview = await request(`${service.url}/api/sites/fresh.example/overview`, { token: service.token })
  expect(overview.json).toMatchObject({ pageviews: 1, visitors: 1, sessions: 1 })
  // Nothing fell over on the way.
  expect(
    service
      .output()
      .split('\n')
      .filter(line => /"level":[56]0\b/.test(line)),
  ).toEqual([])
})
