import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'
import {
  type Asked,
  CHROME,
  createSite,
  type Endpoint,
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
  // The limits are on, so that what they keep is looked into as well.
  const limits = ['COLLECT', 'EVENT', 'ENGAGE', 'IDENTIFY', 'API'].map(name => [
    `RATE_LIMIT_${name}`,
    '100000',
  ])
  const others = { SITES_PER_TEAM: '1000', LOG_LEVEL: 'debug', TRUST_PROXY: '0' }
  service = await startService({ ...others, ...Object.fromEntries(limits) })
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

const get = (path: string) => request(`${service.url}/api/sites${path}`, { token: service.token })

/** Of more than today: a day may end within a test. */
const overviewOf = async (site: Site) => (await get(`/${site.id}/overview?range=last_7_days`)).json

/** As the site and the list of sites say it. */
async function hasData(site: Site): Promise<boolean> {
  const [one, list] = [await get(`/${site.id}`), await get(`?search=${site.domain}`)]
  expect(list.json[0].has_data).toBe(one.json.has_data)
  return one.json.has_data
}

test('ingestion, bodies: a hit is stored with any content type, and answered by 202 with an empty body', async () => {
  const site = await newSite()
  const types = [
    ...['application/json', 'text/plain', 'text/plain;charset=UTF-8', 'nonsense', undefined],
    ...['application/octet-stream', 'application/x-www-form-urlencoded'],
    // Which is ignored.
    'application/json; charset=iso-8859-1',
  ]
  for (const type of types) {
    const url = { path: '/', title: `Größe 😀 ${type}` }
    await accepted('collect', site, { url }, { headers: { 'content-type': type } })
  }
  for (const endpoint of ENDPOINTS) {
    const { headers } = await accepted(endpoint, site, {}, { headers: { 'content-type': 'text/plain' } })
    expect(headers['x-request-id']).toMatch(/./)
    expect(headers['x-hit-dropped']).toBeUndefined()
  }
  const rows = await storedEvents(site)
  expect(rows.slice(0, types.length).map(row => row.title)).toEqual(types.map(type => `Größe 😀 ${type}`))
})

test('ingestion, bodies: unknown fields are ignored, and a key is a UUID in upper case, too', async () => {
  const site = await newSite()
  const unknown = { unknown: { deep: [1] }, type: 'pageview', at: 0, timestamp: 0 }
  const given = { key: site.key.toUpperCase(), ...unknown }
  await accepted('event', site, given)
  const [row] = await storedEvents(site)
  expect(row).toMatchObject({ type: 'event', name: 'signup' })
  expect(Math.abs(Date.now() - row!.at)).toBeLessThan(60_000)
})

test.each(ENDPOINTS)('ingestion, CORS: the preflight of /api/%s gives 204', async endpoint => {
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
  'ingestion, CORS: pages of any origin can read every answer of /api/%s and its limit',
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
    for (const { headers } of answers) {
      expect(['*', 'https://shop.example']).toContain(headers['access-control-allow-origin'])
      expect(headers['access-control-allow-credentials']).toBeUndefined()
      expect(Number(headers['x-ratelimit-limit'])).toBeGreaterThan(0)
      expect(Number(headers['x-ratelimit-remaining'])).toBeGreaterThanOrEqual(0)
      const seconds = Number(headers['x-ratelimit-reset']) - Date.now() / 1000
      expect(seconds).toBeGreaterThan(-2)
      expect(seconds).toBeLessThanOrEqual(61)
    }
  },
)

test('ingestion: a hit of a crawler gives 202 with X-Hit-Dropped and is not stored', async () => {
  const site = await newSite()
  const headers = { 'user-agent': 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)' }
  for (const endpoint of ENDPOINTS) {
    const answer = await accepted(endpoint, site, {}, { headers })
    expect(answer.headers['x-hit-dropped']).toBe('bot')
  }
  expect(await storedEvents(site)).toEqual([])
  expect(await service.db`select 1 from visitors where site_no = ${site.siteNo}`).toHaveLength(0)
  expect(await overviewOf(site)).toMatchObject({ pageviews: 0, visitors: 0, sessions: 0, custom_events: 0 })
  // A program is no crawler.
  const program = await accepted('event', site, {}, { headers: { 'user-agent': 'curl/8.5.0' } })
  expect(program.headers['x-hit-dropped']).toBeUndefined()
  expect(await storedEvents(site)).toHaveLength(1)
})

test('ingestion: reserved names give 202 with X-Hit-Dropped and are not stored', async () => {
  const names = [
    ...['pageview', 'engagement', 'performance', 'web-vitals', 'payment', 'free_trial', 'trial_started'],
    ...['trial_converted', 'subscription_started', 'subscription_renewed', 'subscription_upgraded'],
    ...['subscription_downgraded', 'subscription_cancel_scheduled', 'subscription_reactivated'],
    'subscription_ended',
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

test('ingestion, stored rows: what is sent is stored in its columns; the session has what it opened with', async () => {
  const site = await newSite()
  const path = '/a/b?utm_source=s&utm_medium=m&utm_campaign=c&utm_content=o&utm_term=t%20u#part'
  const system = { os: 'Plan 9', os_version: '4', language: 'de-AT', device: 'tablet' }
  const body = {
    url: { path, title: 'A' },
    referrer: 'https://user:secret@blog.example/post?x=1#y',
    screen: { width: 1920, height: 1080 },
    browser: { name: 'Mothra', version: '1.0' },
    ...system,
  }
  const tags = { utm_source: 's', utm_medium: 'm', utm_campaign: 'c', utm_content: 'o', utm_term: 't u' }
  const origin = { ...tags, source: 's', referrer: 'blog.example/post', entry_path: '/a/b' }
  // A loopback address has no country.
  const device = { os: 'Plan 9', browser: 'Mothra', size: 'tablet', country: '', region: '', city: '' }
  await accepted('collect', site, body)
  expect((await storedEvents(site))[0]).toMatchObject({
    ...{ type: 'pageview', title: 'A', path: '/a/b', url: '', query: path.slice(4) },
    ...origin,
    ...device,
  })
  const versions = { os_version: '4', browser_version: '1.0' }
  const [session] = await storedSessions(site)
  expect(session).toMatchObject({
    ...{ screen: '1920x1080', language: 'de-AT', ...versions },
    ...origin,
    ...device,
  })
})

test('ingestion, stored rows: browser, system and size are those of the user agent; source and channel come from the referrer', async () => {
  const site = await newSite()
  await accepted('collect', site, { referrer: 'https://www.google.com/' })
  const [row] = await storedEvents(site)
  const device = { browser: 'Chrome', os: 'Windows', size: 'desktop' }
  expect(row).toMatchObject({ ...device, source: 'Google', channel: 'Organic Search' })
})

test('ingestion, stored rows: the event log shows the URL as it was sent', async () => {
  const site = await newSite()
  const urls = {
    '/': 'https://example.com/',
    '/a/b?utm_source=x&y=%20#top': 'https://example.com/a/b?utm_source=x&y=%20#top',
    '/a#top?no=query': 'https://example.com/a#top?no=query',
    'a?b': 'https://example.com/a?b',
    '?b': 'https://example.com/?b',
    '#top': 'https://example.com/#top',
    'https://other.example/a?b': 'https://other.example/a?b',
    'https://other.example': 'https://other.example',
  }
  for (const path of Object.keys(urls))
    await accepted('collect', site, { hostname: 'example.com', url: { path } })
  await settle(service, sentinel)
  const { json } = await get(`/${site.id}/stats/events`)
  expect(json.data.map((row: { url: string }) => row.url).reverse()).toEqual(Object.values(urls))
})

test('ingestion, stored rows: properties are stored as strings, as text can be stored, and without __proto__', async () => {
  const site = await newSite()
  const properties =
    '{"int":5,"float":1.5,"yes":true,"no":false,"empty":"","umlaut":"ü😀","k\\u0000":"v\\u0000\\ud800w","__proto__":"a","__pro\\u0000to__":"d","constructor":"b","toString":"c"}'
  const hit = JSON.stringify({ ...required('event', site), name: 'a\u0000b' })
  const body = hit.replace(/\}$/, () => `,"properties":${properties}}`)
  expect((await request(`${service.url}/api/event`, { method: 'POST', body })).status).toBe(202)
  const [row] = await storedEvents(site)
  expect(row!.name).toBe('ab')
  expect(row!.props).toEqual({
    ...{ empty: '', int: '5', float: '1.5', yes: 'true', no: 'false', umlaut: 'ü😀', k: 'v\ufffdw' },
    ...{ constructor: 'b', toString: 'c' },
  })
})

test('ingestion: engagement takes title and session of its pageview and extends the session', async () => {
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

test('ingestion: identify names the session before and after it, and keeps the latest fields of an identifier', async () => {
  const site = await newSite()
  const visitor = { visitor_id: randomUUID() }
  const latest = { identifier: 'u1', name: 'New', avatar: 'https://example.com/a.png' }
  const old = { identifier: 'u1', name: 'Old', custom: { plan: 'free' } }
  await accepted('identify', site, { ...visitor, ...old })
  // It waits for a session, and starts none.
  expect(await storedSessions(site)).toEqual([])
  expect(await overviewOf(site)).toMatchObject({ visitors: 0, sessions: 0, pageviews: 0 })
  expect(await hasData(site)).toBe(false)
  await accepted('collect', site, visitor)
  await accepted('identify', site, { ...visitor, ...latest, custom: { plan: 'pro', seats: 5 } })
  await accepted('event', site, visitor)
  expect(await storedSessions(site)).toMatchObject([{ user_id: 'u1', pageviews: 1, events: 1 }])
  expect(await hasData(site)).toBe(true)
  // Another identifier starts a session with the next hit.
  await accepted('identify', site, { ...visitor, identifier: 'u2' })
  expect(await storedSessions(site)).toMatchObject([{ user_id: 'u1' }])
  await accepted('collect', site, { ...visitor, url: { path: '/next' } })
  expect(await storedSessions(site)).toMatchObject([
    { user_id: 'u1', pageviews: 1, visit_count: 1 },
    { user_id: 'u2', pageviews: 1, visit_count: 2, entry_path: '/next' },
  ])
  const identities = await service.db`
    select * from identities where site_no = ${site.siteNo} order by identifier`
  const custom = { plan: 'pro', seats: '5' }
  expect([...identities]).toMatchObject([{ ...latest, custom }, { identifier: 'u2' }])
})

const visitors = (site: Site) => service.db`select * from visitors where site_no = ${site.siteNo}`

test('ingestion, visitors: a visitor is another one on another site, with an id and without', async () => {
  const [one, other] = [await newSite(), await newSite()]
  const visitor_id = randomUUID()
  for (const site of [one, other])
    for (const body of [{ visitor_id }, {}]) await accepted('collect', site, body)
  await settle(service, sentinel)
  const rows = [...(await visitors(one)), ...(await visitors(other))]
  expect(rows.filter(row => row.id === visitor_id)).toHaveLength(2)
  expect(new Set(rows.map(row => row.visitor_no)).size).toBe(4)
  expect(new Set(rows.map(row => row.id)).size).toBe(3)
})

test('ingestion, visitors: without an id, a visitor is recognized by address and user agent, on every endpoint', async () => {
  const site = await newSite()
  const other = { 'user-agent': CHROME.replace('126', '127') }
  for (const endpoint of ['collect', 'collect', 'event', 'engage'] as const) await accepted(endpoint, site)
  expect((await storedEvents(site)).map(row => row.type)).toContain('engagement')
  expect(await visitors(site)).toHaveLength(1)
  await accepted('collect', site, {}, { headers: other })
  await settle(service, sentinel)
  expect(await visitors(site)).toHaveLength(2)
  await accepted('collect', site, {}, { from: ADDRESS })
  await settle(service, sentinel)
  expect(await visitors(site)).toHaveLength(3)
  expect(await overviewOf(site)).toMatchObject({ visitors: 3, sessions: 3 })
  for (const { id } of await visitors(site)) expect(id).toMatch(/^[0-9a-f-]{36}$/)
})

test('ingestion, visitors: without a trusted proxy, X-Forwarded-For does not change the visitor', async () => {
  const site = await newSite()
  const forged = [{ 'x-forwarded-for': FORGED }, { 'x-forwarded-for': '8.8.8.8' }, { 'x-real-ip': FORGED }]
  for (const headers of [{}, ...forged, { forwarded: `for=${FORGED}` }, { 'cf-connecting-ip': '8.8.8.8' }])
    await accepted('collect', site, {}, { headers })
  const rows = await storedEvents(site)
  expect(new Set(rows.map(row => row.visitor_no)).size).toBe(1)
  expect(new Set(rows.map(row => row.country))).toEqual(new Set(['']))
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
