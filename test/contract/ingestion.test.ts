import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventually, startService, type TestService } from '../support/service.ts'
import {
  type Asked,
  CHROME,
  createSite,
  type Endpoint,
  expectError,
  request,
  required,
  type Site,
  sendHit,
  settle,
} from './requests.ts'

const ENDPOINTS: Endpoint[] = ['collect', 'event', 'engage', 'identify']
/** Stands in no file for another reason. */
const ADDRESS = '127.99.88.77'
const FORGED = '203.0.113.77'

let service: TestService
let sentinel: Site
let siteCount = 0

beforeAll(async () => {
  service = await startService({
    SITES_PER_TEAM: '1000',
    LOG_LEVEL: 'debug',
    TRUST_PROXY: '0',
    // The limits are on, so that what they keep is looked into as well.
    RATE_LIMIT_COLLECT: '100000',
    RATE_LIMIT_EVENT: '100000',
    RATE_LIMIT_ENGAGE: '100000',
    RATE_LIMIT_IDENTIFY: '100000',
    RATE_LIMIT_API: '100000',
  })
  sentinel = await createSite(service, 'sentinel.example')
})
afterAll(() => service.close())

const newSite = () => createSite(service, `site-${++siteCount}.example`)
const send = (endpoint: Endpoint, site: Site, body: object = {}, asked: Omit<Asked, 'body' | 'token'> = {}) =>
  sendHit(service, endpoint, site, body, asked)

async function accepted(...hit: Parameters<typeof send>) {
  const answer = await send(...hit)
  expect(answer.text).toBe('')
  expect(answer.status).toBe(202)
  return answer
}

/** Every event of a site, in time order, once all that was sent is stored. */
async function storedEvents(site: Site) {
  await settle(service, sentinel)
  return [...(await service.db`select * from events where site_no = ${site.siteNo} order by at, id`)]
}

async function storedSessions(site: Site) {
  await settle(service, sentinel)
  return [...(await service.db`select * from sessions where site_no = ${site.siteNo} order by first_at`)]
}

/** Of more than today: a day may end within a test. */
const overviewOf = async (site: Site) =>
  (await request(`${service.url}/api/sites/${site.id}/overview?range=last_7_days`, { token: service.token }))
    .json

/** Sends one hit to a site of its own. @returns its row */
async function storedHit(
  endpoint: Endpoint,
  body: object = {},
  asked: Omit<Asked, 'body' | 'token'> = {},
  given?: Site,
) {
  const site = given ?? (await newSite())
  await accepted(endpoint, site, body, asked)
  const rows = await eventually(async () => {
    const found = await service.db`select * from events where site_no = ${site.siteNo} order by at desc`
    return found.length > 0 && found
  })
  return rows[0]!
}

describe('ingestion: content types', () => {
  test.each([
    ['application/json', 'application/json'],
    ['text/plain', 'text/plain'],
    ['text/plain with a character set', 'text/plain;charset=UTF-8'],
    ['no content type', undefined],
    ['a form', 'application/x-www-form-urlencoded'],
    ['bytes', 'application/octet-stream'],
    ['another character set, which is ignored', 'application/json; charset=iso-8859-1'],
    ['nonsense', 'nonsense'],
  ])('a hit is stored with %s', async (_, type) => {
    const headers = { 'content-type': type }
    const row = await storedHit('collect', { url: { path: '/', title: 'Größe 😀' } }, { headers })
    expect(row.title).toBe('Größe 😀')
  })

  test.each(ENDPOINTS)('/api/%s accepts text and gives 202 with an empty body', async endpoint => {
    const headers = { 'content-type': 'text/plain' }
    const answer = await send(endpoint, await newSite(), {}, { headers })
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 202, text: '' })
    expect(answer.headers['x-request-id']).toMatch(/./)
    expect(answer.headers['x-hit-dropped']).toBeUndefined()
  })

  test('unknown fields are ignored', async () => {
    const row = await storedHit('event', { unknown: { deep: [1] }, type: 'pageview', at: 0, timestamp: 0 })
    expect(row).toMatchObject({ type: 'event', name: 'signup' })
    expect(Math.abs(Date.now() - row.at)).toBeLessThan(60_000)
  })
})

describe('ingestion: CORS', () => {
  test.each(ENDPOINTS)('the preflight of /api/%s gives 204', async endpoint => {
    const answer = await request(`${service.url}/api/${endpoint}`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })
    expect(answer.status).toBe(204)
    expect(answer.text).toBe('')
    expect(['*', 'https://shop.example']).toContain(answer.headers['access-control-allow-origin'])
    expect(answer.headers['access-control-allow-methods']).toContain('POST')
    expect(answer.headers['access-control-allow-headers']?.toLowerCase()).toMatch(/content-type|\*/)
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
  })

  test.each(ENDPOINTS)(
    'pages of any origin can read every answer of /api/%s, without credentials',
    async endpoint => {
      const site = await newSite()
      const headers = { origin: 'https://shop.example' }
      const answers = [
        await send(endpoint, site, {}, { headers }),
        await send(endpoint, { ...site, key: randomUUID() }, {}, { headers }),
        await send(endpoint, site, { hostname: 5 }, { headers }),
        await request(`${service.url}/api/${endpoint}`, { method: 'POST', headers, body: '{' }),
      ]
      expect(answers.map(answer => answer.status)).toEqual([202, 404, 422, 400])
      for (const answer of answers) {
        expect(['*', 'https://shop.example']).toContain(answer.headers['access-control-allow-origin'])
        expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
      }
    },
  )
})

describe('ingestion: tracking keys', () => {
  test.each(ENDPOINTS)('an unknown key gives 404 on /api/%s, a malformed key 422', async endpoint => {
    const site = await newSite()
    expectError(await send(endpoint, { ...site, key: randomUUID() }), 404, 'not_found')
    // The site's id is no key.
    expectError(await send(endpoint, { ...site, key: site.id }), 404, 'not_found')
    expectError(await send(endpoint, { ...site, key: 'malformed' }), 422, 'validation_failed')
  })

  test('a key is a UUID in lower or upper case', async () => {
    const site = await newSite()
    await accepted('collect', { ...site, key: site.key.toUpperCase() })
    expect(await storedEvents(site)).toHaveLength(1)
  })
})

describe('ingestion: crawlers', () => {
  const crawlers = [
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
    'Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)',
    'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
    'Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)',
  ]

  test('a hit of a crawler gives 202 with X-Hit-Dropped and is not stored', async () => {
    const site = await newSite()
    for (const agent of crawlers)
      for (const endpoint of ENDPOINTS) {
        const answer = await accepted(endpoint, site, {}, { headers: { 'user-agent': agent } })
        expect(answer.headers['x-hit-dropped'], agent).toBe('bot')
      }
    expect(await storedEvents(site)).toEqual([])
    expect(await service.db`select 1 from visitors where site_no = ${site.siteNo}`).toHaveLength(0)
    expect(await overviewOf(site)).toMatchObject({ pageviews: 0, visitors: 0, sessions: 0, custom_events: 0 })
  })

  test.each([
    'curl/8.5.0',
    'python-requests/2.31.0',
    'Go-http-client/2.0',
    'okhttp/4.12.0',
    'axios/1.7.2',
    'node',
    'GuzzleHttp/7',
    'Java/17.0.2',
    'PostmanRuntime/7.39.0',
    'Ruby',
    'aiohttp/3.9.5',
    CHROME,
  ])('%s is not a crawler', async agent => {
    const site = await newSite()
    const answer = await accepted('event', site, {}, { headers: { 'user-agent': agent } })
    expect(answer.headers['x-hit-dropped']).toBeUndefined()
    expect(await storedEvents(site)).toHaveLength(1)
  })
})

test('ingestion: reserved names give 202 with X-Hit-Dropped and are not stored', async () => {
  const names = [
    ...['pageview', 'engagement', 'performance', 'web-vitals', 'payment', 'free_trial', 'trial_started'],
    ...['trial_converted', 'subscription_started', 'subscription_renewed', 'subscription_upgraded'],
    ...[
      'subscription_downgraded',
      'subscription_cancel_scheduled',
      'subscription_reactivated',
      'subscription_ended',
    ],
    // NUL is stripped, and what is left is reserved.
    'pay\u0000ment',
  ]
  const site = await newSite()
  for (const name of names) {
    const answer = await accepted('event', site, { name })
    expect(answer.headers['x-hit-dropped'], name).toBe('reserved_name')
  }
  // Names only look alike.
  for (const name of ['payments', 'Pageview']) await accepted('event', site, { name })
  expect((await storedEvents(site)).map(row => row.name)).toEqual(['payments', 'Pageview'])
})

describe('ingestion: optional fields', () => {
  const fields: Record<Endpoint, object> = {
    collect: {
      ...{ properties: null, referrer: null, screen: null, language: null, os: null, os_version: null },
      ...{ browser: null, device: null, visitor_id: null },
    },
    event: {
      ...{
        url: null,
        properties: null,
        referrer: null,
        screen: null,
        language: null,
        os: null,
        os_version: null,
      },
      ...{ browser: null, device: null, visitor_id: null, $: null, revenue: null, error: null },
    },
    engage: { visitor_id: null },
    identify: { name: null, avatar: null, custom: null, visitor_id: null },
  }

  test.each(ENDPOINTS)('optional fields of /api/%s can be null', async endpoint => {
    await accepted(endpoint, await newSite(), fields[endpoint])
  })

  test('fields of nested objects can be null', async () => {
    await accepted('collect', await newSite(), {
      url: { path: '/', title: null },
      screen: { width: null, height: null },
      browser: { name: null, version: null },
    })
  })

  test('an event needs only key, hostname and name', async () => {
    const site = await newSite()
    const body = { key: site.key, hostname: site.domain, name: 'bare' }
    const answer = await request(`${service.url}/api/event`, { method: 'POST', body })
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 202, text: '' })
    expect((await storedEvents(site))[0]).toMatchObject({ type: 'event', name: 'bare', revenue_minor: null })
  })

  test('all sent fields are stored, those of the device once per session', async () => {
    const site = await newSite()
    const body = {
      url: { path: '/a', title: 'A' },
      screen: { width: 1920, height: 1080 },
      language: 'de-AT',
      os: 'Plan 9',
      os_version: '4',
      browser: { name: 'Mothra', version: '1.0' },
      device: 'tablet',
    }
    expect(await storedHit('collect', body, {}, site)).toMatchObject({
      type: 'pageview',
      title: 'A',
      os: 'Plan 9',
      browser: 'Mothra',
      size: 'tablet',
    })
    expect((await storedSessions(site))[0]).toMatchObject({
      screen: '1920x1080',
      language: 'de-AT',
      os: 'Plan 9',
      os_version: '4',
      browser: 'Mothra',
      browser_version: '1.0',
      size: 'tablet',
    })
  })
})

test.each([
  ['/', 'https://example.com/'],
  ['/a/b?utm_source=x&y=%20#top', 'https://example.com/a/b?utm_source=x&y=%20#top'],
  ['/a#top?no=query', 'https://example.com/a#top?no=query'],
  ['a?b', 'https://example.com/a?b'],
  ['?b', 'https://example.com/?b'],
  ['#top', 'https://example.com/#top'],
  ['https://other.example/a?b', 'https://other.example/a?b'],
  ['https://other.example', 'https://other.example'],
])('event log: the URL %s is shown as it was sent', async (path, url) => {
  const site = await newSite()
  await storedHit('collect', { hostname: 'example.com', url: { path } }, {}, site)
  const { json } = await request(`${service.url}/api/sites/${site.id}/stats/events`, { token: service.token })
  expect(json.data).toMatchObject([{ url }])
})

describe('ingestion: properties', () => {
  test('values are stored as strings', async () => {
    const row = await storedHit('event', {
      properties: { text: 'x', int: 5, float: 1.5, yes: true, no: false, empty: '', umlaut: 'ü😀' },
    })
    expect(row.props).toMatchObject({
      text: 'x',
      int: '5',
      float: '1.5',
      yes: 'true',
      no: 'false',
      umlaut: 'ü😀',
    })
    for (const value of Object.values(row.props)) expect(value).toBeTypeOf('string')
  })

  test('NUL is removed, and a lone surrogate becomes U+FFFD', async () => {
    const row = await storedHit('event', { name: 'a\u0000b', properties: { 'k\u0000': 'v\u0000\ud800w' } })
    expect(row).toMatchObject({ name: 'ab', props: { k: 'v\ufffdw' } })
  })

  test('the name __proto__ is dropped; names of other object members are kept', async () => {
    const site = await newSite()
    const hit = JSON.stringify(required('event', site))
    const body = hit.replace(
      /\}$/,
      ',"properties":{"__proto__":"a","__pro\\u0000to__":"d","constructor":"b","toString":"c"}}',
    )
    expect((await request(`${service.url}/api/event`, { method: 'POST', body })).status).toBe(202)
    const [row] = await storedEvents(site)
    expect(row?.props).toEqual({ constructor: 'b', toString: 'c' })
  })
})

describe('ingestion: reported revenue', () => {
  const good: [string, object, number, string][] = [
    ['$ in USD', { $: { amount: 49.99, currency: 'USD' } }, 4999, 'USD'],
    ['revenue in USD', { revenue: { amount: 49.99, currency: 'USD' } }, 4999, 'USD'],
    ['JPY, which has no minor unit', { $: { amount: 500, currency: 'JPY' } }, 500, 'JPY'],
    ['KWD, which has thousandths', { $: { amount: 1.234, currency: 'KWD' } }, 1234, 'KWD'],
    ['a currency in small letters', { $: { amount: 10, currency: 'eur' } }, 1000, 'EUR'],
    ['29 cents, which binary fractions miss', { $: { amount: 0.29, currency: 'USD' } }, 29, 'USD'],
    ['1.15, which binary fractions miss', { $: { amount: 1.15, currency: 'USD' } }, 115, 'USD'],
    ['4.35, which binary fractions miss', { $: { amount: 4.35, currency: 'USD' } }, 435, 'USD'],
    ['half a cent, away from zero', { $: { amount: 0.125, currency: 'USD' } }, 13, 'USD'],
    ['half a yen, away from zero', { $: { amount: 2.5, currency: 'JPY' } }, 3, 'JPY'],
  ]

  test.each(good)('reported revenue is stored in minor units: %s', async (_, body, minor, currency) => {
    const row = await storedHit('event', { name: 'Order', ...body })
    expect([Number(row.revenue_minor), row.revenue_currency]).toEqual([minor, currency])
  })

  const bad: [string, unknown][] = [
    ['a bare number', 5],
    ['text', '5 USD'],
    ['true', true],
    ['an array', [5, 'USD']],
    ['an empty object', {}],
    ['null', null],
    ['no currency', { amount: 5 }],
    ['no amount', { currency: 'USD' }],
    ['an amount of zero', { amount: 0, currency: 'USD' }],
    ['an amount below zero', { amount: -5, currency: 'USD' }],
    ['an amount that is text', { amount: '5', currency: 'USD' }],
    ['an amount that is null', { amount: null, currency: 'USD' }],
    ['two letters of currency', { amount: 5, currency: 'US' }],
    ['four letters of currency', { amount: 5, currency: 'USDT' }],
    ['a currency that is a number', { amount: 5, currency: 840 }],
    ['a currency of other characters', { amount: 5, currency: '€€€' }],
    ['an amount beyond every column', { amount: 1e300, currency: 'USD' }],
  ]

  test.each(bad)('invalid revenue is dropped, and the event is kept: %s', async (_, value) => {
    for (const field of ['$', 'revenue']) {
      const row = await storedHit('event', { name: 'Order', [field]: value })
      expect(row).toMatchObject({ name: 'Order', revenue_minor: null, revenue_currency: null })
    }
  })

  test('reported revenue does not count in the overview', async () => {
    const site = await newSite()
    await storedHit('event', { name: 'Order', $: { amount: 5, currency: 'USD' } }, {}, site)
    const overview = await overviewOf(site)
    expect(overview).toMatchObject({ custom_events: 1 })
    for (const field of ['revenue', 'recurring_revenue', 'payments', 'mrr'])
      expect(overview).not.toHaveProperty(field)
  })
})

describe('ingestion: autocaptured events', () => {
  test.each(['outbound', 'download', 'button', 'form', 'copy'])(
    'the event %s has its own type',
    async name => {
      const site = await newSite()
      const row = await storedHit('event', { name, properties: { selector: '#buy' } }, {}, site)
      expect(row).toMatchObject({ type: name, name, props: { selector: '#buy' } })
      await settle(service, sentinel)
      expect(await overviewOf(site)).toMatchObject({ custom_events: 0, visitors: 1, sessions: 1 })
    },
  )
})

describe('ingestion: errors', () => {
  const error = {
    name: 'TypeError',
    message: 'x is not a function',
    stack: 'at a.js',
    file_name: 'a.js',
    line_number: '10',
    column_number: '5',
  }
  const columns = {
    type: 'error',
    name: 'TypeError',
    error_message: 'x is not a function',
    error_stack: 'at a.js',
    error_file: 'a.js',
    error_line: '10',
    error_column: '5',
  }

  test('an error is stored with all its fields', async () => {
    expect(await storedHit('event', { name: 'error', error })).toMatchObject(columns)
    expect(await storedHit('event', { name: 'error', properties: error })).toMatchObject(columns)
    const numbers = { ...error, line_number: 10, column_number: 5 }
    expect(await storedHit('event', { name: 'error', error: numbers })).toMatchObject(columns)
  })

  test('error groups are separated by site and exact message', async () => {
    const [one, other] = [await newSite(), await newSite()]
    const id = async (site: Site, given: object) => {
      await accepted('event', site, { name: 'error', error: { ...error, ...given } })
      return (await storedEvents(site)).at(-1)!.error_id as string
    }
    const first = await id(one, {})
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(await id(one, { name: 'RangeError', stack: 'elsewhere', line_number: '99' })).toBe(first)
    expect(await id(one, { message: 'X is not a function' })).not.toBe(first)
    expect(await id(one, { message: 'x is not a function ' })).not.toBe(first)
    expect(await id(other, {})).not.toBe(first)
    expect(first).toBe(uuidV5(one.id, error.message))
  })

  test.each([
    ['no name', { message: 'm' }, 'Error', 'm'],
    ['no message', { name: 'TypeError' }, 'TypeError', 'TypeError'],
    ['neither', {}, 'Error', 'Error'],
    ['a wrong shape', 'text', 'Error', 'Error'],
    ['an array', [1], 'Error', 'Error'],
    ['a message that is an object', { message: {} }, 'Error', 'Error'],
  ])(
    'an error with %s gets its name or message from the remaining fields',
    async (_, given, name, message) => {
      const row = await storedHit('event', { name: 'error', error: given })
      expect(row).toMatchObject({ type: 'error', name, error_message: message })
    },
  )

  test('messages are cut to 5,000 characters and stacks to 20,000, after the group is determined', async () => {
    const site = await newSite()
    for (const end of ['a', 'b']) {
      const long = { message: `${'😀'.repeat(5_000)}${end}`, stack: '😀'.repeat(20_001) }
      await accepted('event', site, { name: 'error', error: long })
    }
    const [one, other] = await storedEvents(site)
    expect([...one!.error_message]).toHaveLength(5_000)
    expect([...one!.error_stack]).toHaveLength(20_000)
    expect(one!.error_message).toBe('😀'.repeat(5_000))
    expect(one!.error_id).not.toBe(other!.error_id)
  })
})

/** RFC 4122, version 5. */
function uuidV5(namespace: string, name: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

describe('ingestion: engagement', () => {
  test('engagement takes title and session of its pageview and extends the session', async () => {
    const site = await newSite()
    const visitor = { visitor_id: randomUUID() }
    await accepted('collect', site, { ...visitor, url: { path: '/a?x=1', title: 'A' } })
    await sleep(30)
    const ping = { ...visitor, url: { path: '/a', title: 'Other' } }
    await accepted('engage', site, { ...ping, sd: 250, time: 4_294_967_295 })
    const [pageview, engagement] = await storedEvents(site)
    expect(engagement).toMatchObject({
      type: 'engagement',
      title: 'A',
      path: '/a',
      scroll: 100,
      session_no: pageview!.session_no,
      page_at: pageview!.at,
    })
    expect(Number(engagement!.engaged_ms)).toBe(4_294_967_295)
    const [session] = await storedSessions(site)
    expect(session).toMatchObject({ pageviews: 1, events: 0 })
    expect(Number(session!.duration_ms)).toBeGreaterThanOrEqual(30)
    const overview = await overviewOf(site)
    expect(overview).toMatchObject({ pageviews: 1, custom_events: 0, sessions: 1, bounce_rate: 100 })
    expect(overview.avg_session_seconds).toBeGreaterThanOrEqual(0.03)
  })

  test('engagement belongs to the newest pageview of its path', async () => {
    const site = await newSite()
    const visitor = { visitor_id: randomUUID() }
    for (const [path, title] of [
      ['/a', 'first'],
      ['/a', 'second'],
      ['/b', 'third'],
    ])
      await accepted('collect', site, { ...visitor, url: { path, title } })
    await accepted('engage', site, { ...visitor, url: { path: '/a' } })
    expect((await storedEvents(site)).at(-1)).toMatchObject({ type: 'engagement', title: 'second' })
  })

  test('engagement without a pageview is not stored', async () => {
    const site = await newSite()
    const visitor_id = randomUUID()
    await accepted('engage', site, { visitor_id })
    await accepted('event', site, { visitor_id, url: { path: '/' } })
    await accepted('engage', site, { visitor_id })
    await accepted('collect', site, { visitor_id, url: { path: '/a' } })
    await accepted('engage', site, { visitor_id, url: { path: '/b' } })
    await accepted('engage', site, { visitor_id: randomUUID(), url: { path: '/a' } })
    expect((await storedEvents(site)).map(row => row.type)).toEqual(['event', 'pageview'])
    expect(await storedSessions(site)).toHaveLength(1)
  })

  test.each([
    [0, 0],
    [100, 100],
    [101, 100],
    [1_000_000, 100],
  ])('the depth %i is stored as %i', async (sd, kept) => {
    const site = await newSite()
    await accepted('collect', site)
    await accepted('engage', site, { sd })
    expect((await storedEvents(site)).at(-1)).toMatchObject({ type: 'engagement', scroll: kept })
  })
})

describe('ingestion: identify', () => {
  test('earlier and later hits of the session get the user', async () => {
    const site = await newSite()
    const visitor = { visitor_id: randomUUID() }
    await accepted('collect', site, visitor)
    await accepted('identify', site, { ...visitor, identifier: 'u1' })
    await accepted('event', site, visitor)
    const sessions = await storedSessions(site)
    expect(sessions).toMatchObject([{ user_id: 'u1', pageviews: 1, events: 1 }])
    const rows = await storedEvents(site)
    expect(rows.map(row => row.type)).toEqual(['pageview', 'identify', 'event'])
    expect(new Set(rows.map(row => String(row.session_no))).size).toBe(1)
  })

  test('another identifier starts a new session with the next hit', async () => {
    const site = await newSite()
    const visitor = { visitor_id: randomUUID() }
    await accepted('collect', site, visitor)
    for (const identifier of ['u1', 'u1', 'u2']) await accepted('identify', site, { ...visitor, identifier })
    expect(await storedSessions(site)).toMatchObject([{ user_id: 'u1' }])
    await accepted('collect', site, { ...visitor, url: { path: '/next' } })
    expect(await storedSessions(site)).toMatchObject([
      { user_id: 'u1', pageviews: 1, visit_count: 1 },
      { user_id: 'u2', pageviews: 1, visit_count: 2, entry_path: '/next' },
    ])
    expect(await overviewOf(site)).toMatchObject({ visitors: 1, sessions: 2, pageviews: 2 })
  })

  test('identify without a session waits for the next hit and starts no session', async () => {
    const site = await newSite()
    const visitor = { visitor_id: randomUUID() }
    await accepted('identify', site, { ...visitor, identifier: 'early' })
    expect(await storedSessions(site)).toEqual([])
    expect(await overviewOf(site)).toMatchObject({ visitors: 0, sessions: 0, pageviews: 0 })
    const { json } = await request(`${service.url}/api/sites/${site.id}`, { token: service.token })
    expect(json.has_data).toBe(false)
    await accepted('collect', site, visitor)
    expect(await storedSessions(site)).toMatchObject([{ user_id: 'early', pageviews: 1 }])
  })

  test('identify does not extend a session', async () => {
    const site = await newSite()
    const visitor = { visitor_id: randomUUID() }
    await accepted('collect', site, visitor)
    await sleep(30)
    await accepted('identify', site, visitor)
    const [session] = await storedSessions(site)
    expect(Number(session!.duration_ms)).toBe(0)
  })

  test('the latest name, avatar and custom fields of an identifier are kept', async () => {
    const site = await newSite()
    const avatar = 'https://example.com/a.png'
    await accepted('identify', site, { identifier: 'u1', name: 'Old', custom: { plan: 'free' } })
    await accepted('identify', site, {
      identifier: 'u1',
      name: 'New',
      avatar,
      custom: { plan: 'pro', seats: 5 },
    })
    await settle(service, sentinel)
    expect([...(await service.db`select * from identities where site_no = ${site.siteNo}`)]).toMatchObject([
      { identifier: 'u1', name: 'New', avatar, custom: { plan: 'pro', seats: '5' } },
    ])
  })
})

describe('ingestion: visitors', () => {
  const visitors = (site: Site) => service.db`select * from visitors where site_no = ${site.siteNo}`

  test('one visitor id on two sites is two visitors', async () => {
    const [one, other] = [await newSite(), await newSite()]
    const visitor_id = randomUUID()
    for (const site of [one, other]) await accepted('collect', site, { visitor_id })
    await settle(service, sentinel)
    const [[here], [there]] = [await visitors(one), await visitors(other)]
    expect([here?.id, there?.id]).toEqual([visitor_id, visitor_id])
    expect(here!.visitor_no).not.toBe(there!.visitor_no)
  })

  test('without an id, a visitor is recognized by address and user agent, on every endpoint', async () => {
    const site = await newSite()
    const other = { 'user-agent': CHROME.replace('126', '127') }
    await accepted('collect', site)
    await accepted('collect', site)
    await accepted('event', site)
    await accepted('engage', site)
    await settle(service, sentinel)
    expect(await visitors(site)).toHaveLength(1)
    expect((await storedEvents(site)).map(row => row.type)).toContain('engagement')
    await accepted('collect', site, {}, { headers: other })
    await settle(service, sentinel)
    expect(await visitors(site)).toHaveLength(2)
    await accepted('collect', site, {}, { from: ADDRESS })
    await settle(service, sentinel)
    expect(await visitors(site)).toHaveLength(3)
    expect(await overviewOf(site)).toMatchObject({ visitors: 3, sessions: 3 })
    for (const { id } of await visitors(site)) expect(id).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('without an id, a visitor is another one on another site', async () => {
    const [one, other] = [await newSite(), await newSite()]
    for (const site of [one, other]) await accepted('collect', site)
    await settle(service, sentinel)
    const [[here], [there]] = [await visitors(one), await visitors(other)]
    expect(here!.id).not.toBe(there!.id)
  })

  test('without a trusted proxy, X-Forwarded-For does not change the visitor', async () => {
    const site = await newSite()
    const forged = [{ 'x-forwarded-for': FORGED }, { 'x-forwarded-for': '8.8.8.8' }, { 'x-real-ip': FORGED }]
    for (const headers of [{}, ...forged, { forwarded: `for=${FORGED}` }, { 'cf-connecting-ip': '8.8.8.8' }])
      await accepted('collect', site, {}, { headers })
    const rows = await storedEvents(site)
    expect(new Set(rows.map(row => row.visitor_no)).size).toBe(1)
    expect(new Set(rows.map(row => row.country))).toEqual(new Set(['']))
  })
})

describe('ingestion: stored rows', () => {
  test('path, query and fragment are stored separately, as sent', async () => {
    const path = '/a/b?utm_source=s&utm_medium=m&utm_campaign=c&utm_content=o&utm_term=t%20u#part'
    const row = await storedHit('collect', { url: { path } })
    expect(row).toMatchObject({
      path: '/a/b',
      entry_path: '/a/b',
      query: '?utm_source=s&utm_medium=m&utm_campaign=c&utm_content=o&utm_term=t%20u#part',
      url: '',
      ...{ utm_source: 's', utm_medium: 'm', utm_campaign: 'c', utm_content: 'o', utm_term: 't u' },
      source: 's',
    })
  })

  test('a loopback address has no country', async () => {
    expect(await storedHit('collect')).toMatchObject({ country: '', region: '', city: '' })
  })

  test.each([
    ['Chrome', 'Windows', 'desktop', CHROME],
    [
      'Safari',
      'iOS',
      'mobile',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    ],
    ['Firefox', 'Linux', 'desktop', 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0'],
    [
      'Safari',
      'iPadOS',
      'tablet',
      'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1',
    ],
  ])('browser %s, system %s and size %s are recognized', async (browser, os, size, agent) => {
    const site = await newSite()
    const row = await storedHit('collect', {}, { headers: { 'user-agent': agent } }, site)
    expect(row).toMatchObject({ browser, os, size })
    const [session] = await storedSessions(site)
    expect(session).toMatchObject({ browser, os, size, browser_version: expect.stringMatching(/^\d/) })
  })

  test.each([
    [
      'the device before everything',
      { device: 'mobile', screen: { width: 2000, height: 1 } },
      CHROME,
      'mobile',
    ],
    ['the user agent before the screen', { screen: { width: 100, height: 1 } }, CHROME, 'desktop'],
    ['a screen under 576', { screen: { width: 575, height: 1 } }, 'curl/8.5.0', 'mobile'],
    ['a screen of 576', { screen: { width: 576, height: 1 } }, 'curl/8.5.0', 'tablet'],
    ['a screen under 992', { screen: { width: 991, height: 1 } }, 'curl/8.5.0', 'tablet'],
    ['a screen of 992', { screen: { width: 992, height: 1 } }, 'curl/8.5.0', 'desktop'],
  ])('the size is derived from %s', async (_, body, agent, size) => {
    expect((await storedHit('collect', body, { headers: { 'user-agent': agent } })).size).toBe(size)
  })

  const origins: [string, string, string | RegExp, string, string?][] = [
    ['', '/', 'Direct / None', 'Direct'],
    ['https://{host}/other', '/', 'Direct / None', 'Direct'],
    ['https://www.google.com/', '/', 'Google', 'Organic Search'],
    ['https://www.google.co.uk/search?q=x', '/', 'Google', 'Organic Search'],
    ['https://www.bing.com/search', '/', 'Bing', 'Organic Search'],
    ['https://duckduckgo.com/', '/', 'DuckDuckGo', 'Organic Search'],
    ['https://www.facebook.com/', '/', 'Facebook', 'Organic Social'],
    ['https://l.facebook.com/l.php', '/', 'Facebook', 'Organic Social'],
    ['https://t.co/abc', '/', 'X', 'Organic Social'],
    ['https://www.linkedin.com/feed', '/', 'LinkedIn', 'Organic Social'],
    ['https://www.reddit.com/r/x', '/', 'Reddit', 'Organic Social'],
    ['https://news.ycombinator.com/item?id=1', '/', 'Hacker News', '', 'any channel'],
    ['https://www.youtube.com/watch', '/', 'YouTube', 'Organic Video'],
    ['https://chatgpt.com/', '/', 'ChatGPT', 'AI Assistants'],
    ['https://www.blog.example/post?x=1#y', '/', 'blog.example', 'Referral'],
    ['', '/?utm_source=newsletter&utm_medium=email', 'newsletter', 'Email'],
    ['https://www.google.com/', '/?utm_source=partner', 'partner', '', 'any channel'],
    ['', '/?source=book', 'book', '', 'any channel'],
    ['', '/?ref=producthunt', /producthunt|Product Hunt/i, '', 'any channel'],
    ['', '/?utm_source=a&source=b&ref=c', 'a', '', 'any channel'],
    ['', '/?utm_source=google&utm_medium=cpc', /google/i, 'Paid Search'],
    ['https://www.google.com/', '/?gclid=x', 'Google', 'Paid Search'],
    ['https://www.bing.com/', '/?msclkid=x', 'Bing', 'Paid Search'],
    ['', '/?utm_source=facebook&utm_medium=paid_social', /facebook/i, 'Paid Social'],
    ['', '/?utm_source=youtube&utm_medium=cpv&utm_campaign=x', /youtube/i, '', 'any channel'],
    ['', '/?utm_source=youtube&utm_medium=cpc', /youtube/i, 'Paid Video'],
    ['', '/?utm_source=nobody&utm_medium=ppc', 'nobody', 'Paid Other'],
    ['', '/?utm_source=nobody&utm_medium=retargeting', 'nobody', 'Paid Other'],
    ['', '/?utm_source=google&utm_medium=cpc&utm_campaign=shopping', /google/i, 'Paid Shopping'],
    ['', '/?utm_source=google&utm_medium=cpc&utm_campaign=cross-network', /google/i, 'Cross-network'],
    ['', '/?utm_source=nobody&utm_medium=display', 'nobody', 'Display'],
    ['', '/?utm_source=nobody&utm_medium=affiliate', 'nobody', 'Affiliates'],
    ['', '/?utm_source=nobody&utm_medium=audio', 'nobody', 'Audio'],
    ['', '/?utm_source=nobody&utm_medium=sms', 'nobody', 'SMS'],
    ['', '/?utm_source=nobody&utm_medium=push', 'nobody', 'Mobile Push Notifications'],
    ['', '/?utm_source=nobody&utm_medium=referral', 'nobody', 'Referral'],
  ]

  test.each(origins)(
    'from "%s" to %s has the source %s and the channel %s',
    async (from, path, source, channel) => {
      const site = await newSite()
      const referrer = from.replace('{host}', site.domain) || undefined
      const row = await storedHit('collect', { referrer, url: { path } }, {}, site)
      expect(row.source).toMatch(source instanceof RegExp ? source : /./)
      if (typeof source === 'string') expect(row.source).toBe(source)
      if (channel !== '') expect(row.channel).toBe(channel)
    },
  )

  test('host and path of the referrer are stored', async () => {
    const row = await storedHit('collect', { referrer: 'https://user:secret@blog.example/post?x=1#y' })
    expect(row.referrer).toBe('blog.example/post')
  })

  test('source, entry page and referrer are those of the first hit of the session', async () => {
    const site = await newSite()
    const visitor = { visitor_id: randomUUID() }
    await accepted('collect', site, { ...visitor, url: { path: '/in' }, referrer: 'https://www.google.com/' })
    const later = { ...visitor, url: { path: '/on?utm_source=mail' }, referrer: 'https://www.bing.com/' }
    await accepted('collect', site, later)
    for (const row of await storedEvents(site))
      expect(row).toMatchObject({ source: 'Google', entry_path: '/in' })
    expect(await storedSessions(site)).toMatchObject([{ source: 'Google', entry_path: '/in', pageviews: 2 }])
  })
})

describe('ingestion: sites', () => {
  const has_data = async (site: Site) => {
    const one = await request(`${service.url}/api/sites/${site.id}`, { token: service.token })
    const list = await request(`${service.url}/api/sites?search=${site.domain}`, { token: service.token })
    expect(list.json[0].has_data).toBe(one.json.has_data)
    return one.json.has_data
  }

  test.each(['collect', 'event'] as const)(
    'has_data is true after the first hit on /api/%s',
    async endpoint => {
      const site = await newSite()
      expect(await has_data(site)).toBe(false)
      await accepted(endpoint, site)
      await settle(service, sentinel)
      expect(await has_data(site)).toBe(true)
    },
  )

  test('the key of a deleted site gives 404 within a second, and queued hits are not stored', async () => {
    const site = await newSite()
    await accepted('collect', site)
    await settle(service, sentinel)
    const burst = Array.from({ length: 200 }, () => send('collect', site, { visitor_id: randomUUID() }))
    await Promise.all(burst.slice(0, 100))
    const url = `${service.url}/api/sites/${site.id}`
    expect((await request(url, { method: 'DELETE', token: service.token })).status).toBe(204)
    const deletedAt = performance.now()
    const count = async () => {
      const [row] = await service.db`select count(*)::int as n from events where site_no = ${site.siteNo}`
      return row!.n as number
    }
    // A transaction that began before the deletion may still store its hits; they are purged with the others.
    const [{ now }] = (await service.db`select clock_timestamp() as now`) as unknown as [{ now: Date }]
    await expect
      .poll(
        () =>
          service.db`select from pg_stat_activity where xact_start < ${now} and datname = current_database()`,
      )
      .toHaveLength(0)
    const atOnce = await count()
    await Promise.all(burst)
    // Of every process, not of one by luck.
    await sleep(Math.max(0, 1_000 - (performance.now() - deletedAt)))
    for (let time = 0; time < 8; time++)
      for (const endpoint of ENDPOINTS) expectError(await send(endpoint, site), 404, 'not_found')
    expectError(await request(`${url}/overview`, { token: service.token }), 404, 'not_found')
    await settle(service, sentinel)
    expect(await count()).toBeLessThanOrEqual(atOnce)
    expect(await service.db`select reason from dead_letters`).toHaveLength(0)
  })

  test('the data of a deleted site is removed', async () => {
    const site = await newSite()
    await accepted('collect', site)
    await settle(service, sentinel)
    const url = `${service.url}/api/sites/${site.id}`
    expect((await request(url, { method: 'DELETE', token: service.token })).status).toBe(204)
    await eventually(async () => {
      const [row] = await service.db`
        select (select count(*) from events where site_no = ${site.siteNo})
             + (select count(*) from sessions where site_no = ${site.siteNo})
             + (select count(*) from visitors where site_no = ${site.siteNo}) as n`
      return Number(row!.n) === 0
    })
  })
})

test('ingestion: every answer has the rate headers', async () => {
  const site = await newSite()
  for (const answer of [
    await send('collect', site),
    await send('event', site),
    await send('engage', site),
    await send('identify', site),
    await send('collect', site, { hostname: 5 }),
    await send('collect', { ...site, key: randomUUID() }),
  ]) {
    expect(Number(answer.headers['x-ratelimit-limit'])).toBeGreaterThan(0)
    expect(Number(answer.headers['x-ratelimit-remaining'])).toBeGreaterThanOrEqual(0)
    const seconds = Number(answer.headers['x-ratelimit-reset']) - Date.now() / 1000
    expect(seconds).toBeGreaterThan(-2)
    expect(seconds).toBeLessThanOrEqual(61)
  }
})

test('ingestion: a hit appears in the overview within seconds', async () => {
  const site = await newSite()
  const delays: number[] = []
  for (let pageviews = 1; pageviews <= 20; pageviews++) {
    const sentAt = performance.now()
    await accepted('collect', site)
    await eventually(async () => (await overviewOf(site)).pageviews === pageviews)
    delays.push(performance.now() - sentAt)
  }
  delays.sort((a, b) => a - b)
  console.info(
    `visible after ${Math.round(delays[10]!)} ms at the median, ${Math.round(delays[19]!)} ms at most`,
  )
})

test('privacy: the address of a client is not in Redis, its files, the database or the log', async () => {
  const site = await newSite()
  const asked = { from: ADDRESS, headers: { 'x-forwarded-for': FORGED } }
  for (const endpoint of ENDPOINTS) await accepted(endpoint, site, {}, asked)
  // Also of requests that fail.
  await send('collect', site, { hostname: 5 }, asked)
  await send('event', { ...site, key: randomUUID() }, {}, asked)
  await request(`${service.url}/api/collect`, { method: 'POST', body: '{', ...asked })
  await request(`${service.url}/api/sites`, asked)
  await request(`${service.url}/api/none`, asked)
  await settle(service, sentinel)

  const redis = new Redis(service.redisUrl.replace('unix://', ''))
  onTestFinished(() => redis.disconnect())
  const kept: [string, Buffer][] = []
  for (const key of await redis.keys('*')) {
    kept.push([`the key ${key}`, Buffer.from(key)])
    const dump = await redis.type(key).then(type => contents(redis, type, key))
    kept.push([`what Redis has under ${key}`, dump])
  }
  expect(kept.length, 'something in Redis').toBeGreaterThan(0)
  for (const file of filesUnder(dirname(service.redisUrl.replace('unix://', ''))))
    kept.push([`the file ${file}`, readFileSync(file)])
  for (const table of ['events', 'sessions', 'visitors', 'identities', 'dead_letters', 'sites', 'tokens']) {
    const rows = await service.db`select to_jsonb(t)::text as row from ${service.db(table)} t`
    kept.push([`the table ${table}`, Buffer.from(rows.map(({ row }) => row).join('\n'))])
  }
  kept.push(['the log', Buffer.from(service.output())])
  for (const [where, bytes] of kept)
    for (const [name, form] of formsOf(ADDRESS, FORGED))
      expect(bytes.includes(form), `${name} in ${where}`).toBe(false)
})

async function contents(redis: Redis, type: string, key: string): Promise<Buffer> {
  const answers: Record<string, () => Promise<unknown>> = {
    string: () => redis.getBuffer(key),
    hash: () => redis.hgetallBuffer(key),
    list: () => redis.lrangeBuffer(key, 0, -1),
    set: () => redis.smembersBuffer(key),
    zset: () => redis.zrangeBuffer(key, 0, -1),
    stream: () => redis.xrangeBuffer(key, '-', '+'),
    // Expired since it was listed.
    none: async () => '',
  }
  return Buffer.concat(buffersIn(await answers[type]!()))
}

function buffersIn(value: unknown): Buffer[] {
  if (Buffer.isBuffer(value)) return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(buffersIn) : []
}

function* filesUnder(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const stat = statSync(path)
    if (stat.isDirectory()) yield* filesUnder(path)
    else if (stat.isFile()) yield path
  }
}

/** The ways an address may be written down. Its four bytes alone stand in a large file by chance. */
function* formsOf(...addresses: string[]): Generator<[string, string]> {
  for (const address of addresses) {
    const bytes = Buffer.from(address.split('.').map(Number))
    yield [address, address]
    yield [`${address} in hex`, bytes.toString('hex')]
    yield [`${address} as a number`, String(bytes.readUInt32BE())]
    yield [`${address} in Base64`, Buffer.from(address).toString('base64').slice(0, -2)]
    for (const hash of ['md5', 'sha1', 'sha256']) {
      const digest = createHash(hash).update(address).digest()
      yield [`the ${hash} of ${address}`, digest.toString('hex')]
      yield [`the ${hash} of ${address} in Base64`, digest.toString('base64url').slice(0, 20)]
    }
  }
}
