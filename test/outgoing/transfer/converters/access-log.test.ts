import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accessLog } from '../../../../src/outgoing/transfer/converters/access-log/access-log.ts'
import { convert, jsonLines } from './converted.ts'
import { anyText, expectTaken, randomObjects } from './random-fields.ts'

const CHROME =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36'

const PATH = '/pricing?utm_source=news'
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
const FILE = 'file, not a page'
const CALL = 'call of an API, feed, probe or administration'

const combined = ({
  ip = '203.0.113.7',
  user = '-',
  time = '30/Mar/2024:23:30:00 -0700',
  request = 'GET /pricing?utm_source=news HTTP/2.0',
  status = 200,
  referrer = 'https://www.google.com/',
  userAgent = CHROME,
} = {}) => `${ip} - ${user} [${time}] "${request}" ${status} 5316 "${referrer}" "${userAgent}"`

const CADDY = {
  level: 'info',
  ts: 1711866600.1234567,
  msg: 'handled request',
  request: {
    ...{ remote_ip: '10.0.0.1', client_ip: '203.0.113.7', proto: 'HTTP/2.0', method: 'GET' },
    ...{ host: 'www.example.com:443', uri: PATH },
    headers: {
      'User-Agent': [CHROME],
      Referer: ['https://www.google.com/'],
      'Accept-Language': ['de-AT,de;q=0.9'],
      'Sec-Fetch-Dest': ['document'],
    },
  },
  size: 10900,
  status: 200,
  resp_headers: { 'Content-Type': ['text/html; charset=utf-8'] },
}

const CLOUDFLARE = {
  ...{ ClientIP: '203.0.113.7', ClientRequestHost: 'example.com', ClientRequestMethod: 'GET' },
  ...{ ClientRequestURI: PATH, ClientRequestReferer: 'https://www.google.com/' },
  ...{ ClientRequestUserAgent: CHROME, ClientCountry: 'us', ClientRegionCode: 'CA', ClientCity: 'Oakland' },
  ...{ ClientDeviceType: 'desktop', ClientIPClass: 'noRecord', BotScore: 90 },
  ...{ EdgeStartTimestamp: '2024-03-31T06:30:00Z', EdgeResponseStatus: 200 },
  EdgeResponseContentType: 'text/html',
}

const hit = {
  endpoint: 'collect',
  timestamp: '2024-03-31T06:30:00.000Z',
  ip: '203.0.113.7',
  user_agent: CHROME,
  body: { hostname: 'example.com', url: { path: PATH }, referrer: 'https://www.google.com/' },
}

const hitsOf = async (file: string, timezone = 'UTC') => (await convert(accessLog, file, { timezone })).hits

const get = (address: string) => combined({ request: `GET ${address} HTTP/1.1` })

/** Expects the reason for which lines are left out; lines without one become page views. */
async function expectLeft(cases: [reason: string | undefined, ...lines: (string | object)[]][]) {
  for (const [reason, ...lines] of cases) {
    for (const given of lines) {
      const line = typeof given === 'string' ? given : jsonLines(given)
      const { hits, left } = await convert(accessLog, `${combined()}\n${line}`)
      expect([hits.length, left], line).toEqual(reason === undefined ? [2, []] : [1, [reason]])
    }
  }
}

test('access log: a line of the combined format is a page view in UTC', async () => {
  expect(await convert(accessLog, combined())).toEqual({ hits: [hit], left: [] })
  expect((await convert(accessLog, gzipSync(`${combined()}\r\n`))).hits).toEqual([hit])
})

test('access log: more fields, a host before the line, users and the common format', async () => {
  const more = `example.com:443 ${combined({ user: 'Ada Lovelace' })} "10.0.0.1" rt=0.2`
  expect(await hitsOf(more)).toEqual([hit])
  const userAgent = 'Mozilla/4.08 [en] (Win98; I ;Nav)'
  const [netscape] = await hitsOf(combined({ userAgent, referrer: '-' }))
  expect(netscape!.user_agent).toBe(userAgent)
  const { user_agent: _, ...rest } = hit
  const body = { hostname: 'example.com', url: hit.body.url }
  expect(await hitsOf(combined().split(' "https')[0]!)).toEqual([{ ...rest, body }])
})

test('access log: escaped bytes, IPv6 and times without offset', async () => {
  const line = combined({
    ip: '2001:db8::1',
    time: '31/Mar/2024:03:30:00',
    request: 'GET /caf\\xC3\\xA9?a=\\x22 HTTP/1.1',
    referrer: 'https://a.example/\\"x\\"',
  })
  expect((await hitsOf(line, 'Europe/Berlin'))[0]).toMatchObject({
    timestamp: '2024-03-31T01:30:00.000Z',
    ip: '2001:db8::1',
    body: { url: { path: '/café?a="' }, referrer: 'https://a.example/"x"' },
  })
})

test('access log: only documents that people asked for count', async () => {
  const pages = ['/index.html', '/index.php?x=a.png', '/users/ada.lovelace', '/release/1.2', '/apiary']
  await expectLeft([
    [
      'not GET',
      ...['POST /pricing HTTP/1.1', 'HEAD / HTTP/1.1', '\\x16\\x03\\x01'].map(request =>
        combined({ request }),
      ),
    ],
    ['redirect', combined({ status: 301 })],
    ['answer without a page', combined({ status: 206 })],
    ['error', combined({ status: 404 }), combined({ status: 500 })],
    [FILE, get('/logo.PNG?v=2'), get('/a/report.pdf')],
    [undefined, combined({ status: 304 }), ...pages.map(get)],
    [CALL, get('/api/users'), get('/blog/feed/'), get('/wp-admin/post.php')],
    ['another website', get('http://evil.example/')],
    ['crawler', combined({ userAgent: GOOGLEBOT })],
    [
      'not a browser',
      ...['curl/8.0.1', 'python-requests/2.31', '-'].map(userAgent => combined({ userAgent })),
    ],
    ['no valid time', combined({ time: '31/Foo/2024:03:30:00 +0000' })],
    ['not a line of an access log', 'nginx: [warn] something'],
  ])
})

test('access log: an address that begins with two slashes is a path', async () => {
  for (const start of ['//', '///']) {
    const [line] = await hitsOf(get(`${start}blog/post?a=1`))
    expect(line!.body).toMatchObject({ hostname: 'example.com', url: { path: '/blog/post?a=1' } })
  }
  await expectLeft([[CALL, get('//wp-admin/x')]])
})

test('access log: extensions of files and content types after the format', async () => {
  const files = ['sitemap.xsl', 'setup.py', 'a.xslt', 'data.ndjson', 'archive.tar.lz4', 'model.glb']
  const pages = ['a.aspx', 'a.jsp', 'a.do', 'a.phtml', 'ada.lovelace', 'v2.0', 'node.js-guide']
  const types = ['"image/png"', 'application/json', '"10.0.0.1" "application/xml; charset=utf-8" 0.2']
  const pictured = combined({ referrer: 'https://a.example/image/png' })
  await expectLeft([
    [FILE, ...[...files, 'dump.SQLITE3', 'id.pfx'].map(name => get(`/x/${name}`))],
    [undefined, ...pages.map(name => get(`/x/${name}`))],
    [FILE, ...[...types, 'type=text/css'].map(more => `${combined()} ${more}`)],
    [undefined, `${combined()} "text/html; charset=UTF-8"`, `${get('/feed.xsl')} "text/html"`],
    [undefined, `${pictured} "-" rt=0.2`],
    [FILE, { ...CADDY, resp_headers: { 'content-type': ['image/webp'] } }],
    [FILE, { ...CLOUDFLARE, EdgeResponseContentType: 'application/json' }],
  ])
})

test('access log: Caddy says what it answered and what the browser wanted', async () => {
  const body = { ...hit.body, hostname: 'www.example.com', language: 'de-AT' }
  expect(await hitsOf(jsonLines(CADDY))).toEqual([{ ...hit, timestamp: '2024-03-31T06:30:00.123Z', body }])
  const withRequest = (change: object) => ({ ...CADDY, request: { ...CADDY.request, ...change } })
  const withHeaders = (change: object) => withRequest({ headers: { ...CADDY.request.headers, ...change } })
  await expectLeft([
    [FILE, withHeaders({ 'Sec-Fetch-Dest': ['image'] })],
    ['page that was only fetched ahead', withHeaders({ 'Sec-Purpose': ['prefetch;prerender'] })],
    [CALL, withHeaders({ 'X-Requested-With': ['XMLHttpRequest'] })],
    ['not a browser', withHeaders({ 'User-Agent': undefined })],
    ['another website', withRequest({ host: 'other.example' })],
    [FILE, { ...CADDY, resp_headers: { 'Content-Type': ['application/json'] } }],
    ['not a line of an access log', { level: 'info', msg: 'serving' }],
  ])
})

test('access log: Caddy has its times in several forms, and addresses in older ones', async () => {
  for (const [ts, millisecond] of [
    [1711866600123, '123'],
    ['1711866600123456789', '123'],
    ['2024/03/31 08:30:00.123', '123'],
    ['2024-03-31T08:30:00.123+0200', '123'],
    ['31/Mar/2024:08:30:00 +0200', '000'],
  ]) {
    const [found] = await hitsOf(jsonLines({ ...CADDY, ts }), 'Europe/Berlin')
    expect(found!.timestamp, `${ts}`).toBe(`2024-03-31T06:30:00.${millisecond}Z`)
  }
  const { client_ip: _, remote_ip: __, ...request } = CADDY.request
  const old = { ...CADDY, request: { ...request, remote_addr: '[2001:db8::1]:443' } }
  expect((await hitsOf(jsonLines(old)))[0]!.ip).toBe('2001:db8::1')
})

test('access log: Cloudflare knows places and machines', async () => {
  const location = { country: 'US', region: 'US-CA', city: 'Oakland' }
  const expected = { ...hit, location, body: { ...hit.body, device: 'desktop' } }
  for (const EdgeStartTimestamp of ['2024-03-31T06:30:00Z', 1711866600000000000, 1711866600])
    expect(await hitsOf(jsonLines({ ...CLOUDFLARE, EdgeStartTimestamp }))).toEqual([expected])
  const shop = { ...CLOUDFLARE, ClientRequestHost: 'shop.example.com' }
  await expectLeft([
    ['crawler', { ...CLOUDFLARE, BotScore: 2 }, { ...CLOUDFLARE, ClientIPClass: 'searchEngine' }],
    ['crawler', { ...CLOUDFLARE, VerifiedBotCategory: 'Search Engine Crawler' }],
    [undefined, { ...CLOUDFLARE, BotScore: 0 }, shop],
    [FILE, { ...CLOUDFLARE, EdgeResponseContentType: 'image/webp' }],
  ])
  const { left } = await convert(accessLog, jsonLines(shop, CLOUDFLARE), { website: 'example.com' })
  expect(left).toEqual(['another website'])
})

test('access log: a wrong file says what it must be; odd lines are counted', async () => {
  await expect(convert(accessLog, 'a,b\n1,2')).rejects.toThrow(
    /is of another format\. Bring an access log of nginx or Apache/,
  )
  await expect(convert(accessLog, '{"a": 1}')).rejects.toThrow(/is of another format/)
  const invalid = Buffer.from(`\xef\xbb\xbf${get('/caf\xe9')}`, 'latin1')
  expect((await convert(accessLog, invalid)).hits[0]!.body.url).toEqual({ path: '/caf\ufffd' })
  const long = get(`/${'x'.repeat(10 * 1024 * 1024)}`)
  expect((await convert(accessLog, `${combined()}\n${long}\n\n{"request": "cut`)).left).toEqual([
    'the line is too long',
    'not a line of an access log',
  ])
  const { left } = await convert(accessLog, get(`/${'x'.repeat(3_000)}`))
  expect(left).toEqual(['part of a row: address of the page cut to 2048 characters'])
})

test('access log: every line of any request is one that the import takes', async () => {
  const fields = { ip: anyText, time: anyText, request: anyText, referrer: anyText, userAgent: anyText }
  const lines = fc.array(fc.record(fields, { requiredKeys: [] }), { maxLength: 4 })
  const files = fc
    .tuple(lines, randomObjects(CADDY, CLOUDFLARE))
    .map(([texts, objects]) => [combined(), ...texts.map(combined), jsonLines(...objects)].join('\n'))
  await expectTaken(accessLog, files)
})
