import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accessLog } from '../../../src/transfer/converters/access-log/access-log.ts'
import { convert, jsonLines } from './converted.ts'
import { anyText, RUNS, randomObjects } from './random-fields.ts'

const CHROME =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36'

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
  logger: 'http.log.access',
  msg: 'handled request',
  request: {
    remote_ip: '10.0.0.1',
    remote_port: '5342',
    client_ip: '203.0.113.7',
    proto: 'HTTP/2.0',
    method: 'GET',
    host: 'www.example.com:443',
    uri: '/pricing?utm_source=news',
    headers: {
      'User-Agent': [CHROME],
      Referer: ['https://www.google.com/'],
      'Accept-Language': ['de-AT,de;q=0.9'],
      'Sec-Fetch-Dest': ['document'],
    },
  },
  duration: 0.0012,
  size: 10900,
  status: 200,
  resp_headers: { 'Content-Type': ['text/html; charset=utf-8'] },
}

const CLOUDFLARE = {
  ClientIP: '203.0.113.7',
  ClientRequestHost: 'example.com',
  ClientRequestMethod: 'GET',
  ClientRequestURI: '/pricing?utm_source=news',
  ClientRequestReferer: 'https://www.google.com/',
  ClientRequestUserAgent: CHROME,
  ClientCountry: 'us',
  ClientRegionCode: 'CA',
  ClientCity: 'Oakland',
  ClientDeviceType: 'desktop',
  ClientIPClass: 'noRecord',
  BotScore: 90,
  EdgeStartTimestamp: '2024-03-31T06:30:00Z',
  EdgeResponseStatus: 200,
  EdgeResponseContentType: 'text/html',
}

const hit = {
  endpoint: 'collect',
  timestamp: '2024-03-31T06:30:00.000Z',
  ip: '203.0.113.7',
  user_agent: CHROME,
  body: {
    hostname: 'example.com',
    url: { path: '/pricing?utm_source=news' },
    referrer: 'https://www.google.com/',
  },
}

const reasonOf = async (line: string) => {
  const { hits, left } = await convert(accessLog, `${combined()}\n${line}`)
  expect(hits.length + left.length).toBe(2)
  return left[0]
}

test('access log: a line of the combined format is a page view in UTC', async () => {
  expect(await convert(accessLog, combined())).toEqual({ hits: [hit], left: [] })
  expect((await convert(accessLog, gzipSync(`${combined()}\r\n`))).hits).toEqual([hit])
})

test('access log: more fields, a host before the line, users and the common format', async () => {
  expect(
    (await convert(accessLog, `example.com:443 ${combined({ user: 'Ada Lovelace' })} "10.0.0.1" rt=0.2`))
      .hits,
  ).toEqual([hit])
  const netscape = combined({ userAgent: 'Mozilla/4.08 [en] (Win98; I ;Nav)', referrer: '-' })
  expect((await convert(accessLog, netscape)).hits[0]!.user_agent).toBe('Mozilla/4.08 [en] (Win98; I ;Nav)')
  const common = combined().split(' "https')[0]!
  const { hits } = await convert(accessLog, common)
  expect(hits).toEqual([
    {
      endpoint: 'collect',
      timestamp: hit.timestamp,
      ip: hit.ip,
      body: { hostname: 'example.com', url: hit.body.url },
    },
  ])
})

test('access log: escaped bytes, IPv6 and times without offset', async () => {
  const line = combined({
    ip: '2001:db8::1',
    time: '31/Mar/2024:03:30:00',
    request: 'GET /caf\\xC3\\xA9?a=\\x22 HTTP/1.1',
    referrer: 'https://a.example/\\"x\\"',
  })
  const { hits } = await convert(accessLog, line, { timezone: 'Europe/Berlin' })
  expect(hits[0]).toMatchObject({
    timestamp: '2024-03-31T01:30:00.000Z',
    ip: '2001:db8::1',
    body: { url: { path: '/café?a="' }, referrer: 'https://a.example/"x"' },
  })
})

test('access log: only documents that people asked for count', async () => {
  const cases: [Parameters<typeof combined>[0], string | undefined][] = [
    [{ request: 'POST /pricing HTTP/1.1' }, 'not GET'],
    [{ request: 'HEAD / HTTP/1.1' }, 'not GET'],
    [{ request: '\\x16\\x03\\x01' }, 'not GET'],
    [{ status: 301 }, 'redirect'],
    [{ status: 304 }, undefined],
    [{ status: 206 }, 'answer without a page'],
    [{ status: 404 }, 'error'],
    [{ status: 500 }, 'error'],
    [{ request: 'GET /logo.PNG?v=2 HTTP/1.1' }, 'file, not a page'],
    [{ request: 'GET /a/report.pdf HTTP/1.1' }, 'file, not a page'],
    [{ request: 'GET /index.html HTTP/1.1' }, undefined],
    [{ request: 'GET /index.php?x=a.png HTTP/1.1' }, undefined],
    [{ request: 'GET /users/ada.lovelace HTTP/1.1' }, undefined],
    [{ request: 'GET /release/1.2 HTTP/1.1' }, undefined],
    [{ request: 'GET /apiary HTTP/1.1' }, undefined],
    [{ request: 'GET /api/users HTTP/1.1' }, 'call of an API, feed, probe or administration'],
    [{ request: 'GET /blog/feed/ HTTP/1.1' }, 'call of an API, feed, probe or administration'],
    [{ request: 'GET /wp-admin/post.php HTTP/1.1' }, 'call of an API, feed, probe or administration'],
    [{ request: 'GET http://evil.example/ HTTP/1.1' }, 'another website'],
    [{ userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' }, 'crawler'],
    [{ userAgent: 'curl/8.0.1' }, 'not a browser'],
    [{ userAgent: 'python-requests/2.31' }, 'not a browser'],
    [{ userAgent: '-' }, 'not a browser'],
    [{ time: '31/Foo/2024:03:30:00 +0000' }, 'no valid time'],
  ]
  for (const [change, reason] of cases) {
    expect(await reasonOf(combined(change)), JSON.stringify(change)).toBe(reason)
  }
  expect(await reasonOf('nginx: [warn] something')).toBe('not a line of an access log')
})

test('access log: Caddy says what it answered and what the browser wanted', async () => {
  const { hits } = await convert(accessLog, jsonLines(CADDY))
  expect(hits).toEqual([
    {
      ...hit,
      timestamp: '2024-03-31T06:30:00.123Z',
      body: { ...hit.body, hostname: 'www.example.com', language: 'de-AT' },
    },
  ])
  const withRequest = (change: object) => jsonLines({ ...CADDY, request: { ...CADDY.request, ...change } })
  const withHeaders = (change: object) => withRequest({ headers: { ...CADDY.request.headers, ...change } })
  expect(await reasonOf(withHeaders({ 'Sec-Fetch-Dest': ['image'] }))).toBe('file, not a page')
  expect(await reasonOf(withHeaders({ 'Sec-Purpose': ['prefetch;prerender'] }))).toBe(
    'page that was only fetched ahead',
  )
  expect(await reasonOf(withHeaders({ 'X-Requested-With': ['XMLHttpRequest'] }))).toMatch(/^call of an API/)
  expect(await reasonOf(withHeaders({ 'User-Agent': undefined }))).toBe('not a browser')
  expect(await reasonOf(withRequest({ host: 'other.example' }))).toBe('another website')
  const json = { ...CADDY, resp_headers: { 'Content-Type': ['application/json'] } }
  expect(await reasonOf(jsonLines(json))).toBe('file, not a page')
  expect(await reasonOf(jsonLines({ level: 'info', msg: 'serving' }))).toBe('not a line of an access log')
})

test('access log: Caddy has its times in several forms, and addresses in older ones', async () => {
  const timeOf = async (ts: unknown) =>
    (await convert(accessLog, jsonLines({ ...CADDY, ts }), { timezone: 'Europe/Berlin' })).hits[0]!.timestamp
  expect(await timeOf(1711866600123)).toBe('2024-03-31T06:30:00.123Z')
  expect(await timeOf('1711866600123456789')).toBe('2024-03-31T06:30:00.123Z')
  expect(await timeOf('2024/03/31 08:30:00.123')).toBe('2024-03-31T06:30:00.123Z')
  expect(await timeOf('2024-03-31T08:30:00.123+0200')).toBe('2024-03-31T06:30:00.123Z')
  expect(await timeOf('31/Mar/2024:08:30:00 +0200')).toBe('2024-03-31T06:30:00.000Z')
  const old = {
    ...CADDY.request,
    client_ip: undefined,
    remote_ip: undefined,
    remote_addr: '[2001:db8::1]:443',
  }
  expect((await convert(accessLog, jsonLines({ ...CADDY, request: old }))).hits[0]!.ip).toBe('2001:db8::1')
})

test('access log: Cloudflare knows places and machines', async () => {
  const expected = {
    ...hit,
    location: { country: 'US', region: 'US-CA', city: 'Oakland' },
    body: { ...hit.body, device: 'desktop' },
  }
  expect((await convert(accessLog, jsonLines(CLOUDFLARE))).hits).toEqual([expected])
  for (const EdgeStartTimestamp of [1711866600000000000, 1711866600]) {
    expect((await convert(accessLog, jsonLines({ ...CLOUDFLARE, EdgeStartTimestamp }))).hits).toEqual([
      expected,
    ])
  }
  const reason = (change: object) => reasonOf(jsonLines({ ...CLOUDFLARE, ...change }))
  expect(await reason({ BotScore: 2 })).toBe('crawler')
  expect(await reason({ BotScore: 0 })).toBeUndefined()
  expect(await reason({ VerifiedBotCategory: 'Search Engine Crawler' })).toBe('crawler')
  expect(await reason({ ClientIPClass: 'searchEngine' })).toBe('crawler')
  expect(await reason({ EdgeResponseContentType: 'image/webp' })).toBe('file, not a page')
  expect(await reason({ ClientRequestHost: 'shop.example.com' })).toBeUndefined()
  const { left } = await convert(
    accessLog,
    jsonLines({ ...CLOUDFLARE, ClientRequestHost: 'shop.example.com' }, CLOUDFLARE),
    {
      website: 'example.com',
    },
  )
  expect(left).toEqual(['another website'])
})

test('access log: a wrong file says what it must be; odd lines are counted', async () => {
  await expect(convert(accessLog, 'a,b\n1,2')).rejects.toThrow(
    /is of another format\. Bring an access log of nginx or Apache/,
  )
  await expect(convert(accessLog, '{"a": 1}')).rejects.toThrow(/is of another format/)
  const invalid = Buffer.from(`\xef\xbb\xbf${combined({ request: 'GET /caf\xe9 HTTP/1.1' })}`, 'latin1')
  expect((await convert(accessLog, invalid)).hits[0]!.body.url).toEqual({ path: '/caf\ufffd' })
  const long = combined({ request: `GET /${'x'.repeat(10 * 1024 * 1024)} HTTP/1.1` })
  expect((await convert(accessLog, `${combined()}\n${long}\n\n{"request": "cut`)).left).toEqual([
    'the line is too long',
    'not a line of an access log',
  ])
  expect(
    (await convert(accessLog, combined({ request: `GET /${'x'.repeat(3_000)} HTTP/1.1` }))).left,
  ).toEqual(['part of a row: address of the page cut to 2048 characters'])
})

test('access log: every line of any request is one that the import takes', async () => {
  const line = fc.record(
    { ip: anyText, time: anyText, request: anyText, referrer: anyText, userAgent: anyText },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 4 }),
      randomObjects(CADDY, CLOUDFLARE),
      async (lines, objects) => {
        await convert(accessLog, [combined(), ...lines.map(combined), jsonLines(...objects)].join('\n'))
      },
    ),
    RUNS,
  )
})
