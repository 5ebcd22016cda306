import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { generateToken } from '../../../src/access/teams/token-format.ts'
import { useApi } from '../../access/teams/use-api.ts'
import { browser, newPlace, type Place, token } from '../../contract/callers.ts'

let place: Place
/** The clock stands still: limits count by the minute. */
const NOW = new Date()

const api = useApi(() => ({ now: () => NOW }))
beforeEach(async () => {
  Object.assign(api.services.config.limits, { api: 0, browser: 0 })
  place = await newPlace(api.services.db, { isPublic: true })
})

const read = (siteKey: string, headers: Record<string, string> = {}, what = 'overview') =>
  api.call('GET', `/api/sites/${siteKey}/${what}`, { headers })
const domainOf = async (siteId: string): Promise<string> => {
  const [site] = await api.services.db`select domain from sites where id = ${siteId}`
  return site!.domain
}

test('public sites: everybody reads them, by id and by domain, until they are public no more; what they show is told', async () => {
  const domain = await domainOf(place.siteId)
  for (const key of [place.siteId, domain]) expect((await read(key)).status).toBe(200)
  const { body } = await read(domain, {}, 'shared')
  expect(body).toEqual({
    ...{ id: place.siteId, domain, timezone: 'UTC', currency: 'USD' },
    ...{ favicon_url: expect.stringContaining(domain), has_data: false, first_event_at: null, name: null },
    sections: ['traffic', 'sources', 'pages', 'locations', 'devices', 'goals', 'events', 'errors'],
    ...{ filters: {}, may_export: false, expires_at: null },
  })
  const headers = await token(api.services.db, place, {})
  const path = `/api/sites/${place.siteId}/sharing`
  expect((await api.call('PATCH', path, { headers, body: { is_public: false } })).status).toBe(200)
  expect((await read(place.siteId)).status).toBe(401)
})

test('public sites: a site that is not public, and one that does not exist, are refused alike', async () => {
  const keys = [place.otherSiteId, await domainOf(place.otherSiteId), randomUUID(), 'unknown.example', '%20']
  const answers = await Promise.all(keys.map(key => read(key)))
  for (const { status, headers, body } of answers) {
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect({ ...body, request_id: '' }).toEqual({ ...answers[0]!.body, request_id: '' })
  }
})

test('public sites: a domain that several teams made public is that of the oldest site, and for users that of their own, with everything', async () => {
  const domain = `${randomUUID()}.example`
  const { db } = api.services
  const places: Place[] = []
  for (const isPublic of [false, true, true]) {
    places.push(await newPlace(db, { isPublic }))
    await db`update sites set domain = ${domain} where id = ${places.at(-1)!.siteId}`
  }
  expect((await read(domain, {}, 'shared')).body.id).toBe(places[1]!.siteId)
  const { body } = await read(domain, await browser(db, places[2]!), 'shared')
  expect(body).toMatchObject({ id: places[2]!.siteId, name: null, may_export: true })
  expect(body.sections).toHaveLength(11)
})

test('public sites: a signed-in person reads a public site of another team, or outside of their limit, as everybody does', async () => {
  const stranger = await browser(api.services.db, await newPlace(api.services.db))
  const teamless = await browser(api.services.db, null)
  const limited = await browser(api.services.db, place, { role: 'member', siteIds: [place.otherSiteId] })
  for (const headers of [stranger, teamless, limited]) {
    expect((await read(place.siteId, headers)).status).toBe(200)
    expect((await read(place.siteId, headers, 'stats/timeseries?metric=mrr')).status).toBe(403)
    expect((await read(place.siteId, headers, 'shared')).body.sections).toHaveLength(8)
  }
  expect((await read(place.otherSiteId, stranger)).status).toBe(404)
  expect((await read(place.otherSiteId, teamless)).status).toBe(403)
  // An ended session keeps nobody from it.
  const ended = { Cookie: `analytics_session=${'A'.repeat(43)}`, 'Sec-Fetch-Site': 'same-origin' }
  expect((await read(place.siteId, ended)).status).toBe(200)
  expect((await read(place.otherSiteId, ended)).body.message).toMatch(/session has ended/)
})

test('public sites: a token never falls back to what is public', async () => {
  const { db } = api.services
  const tokens = [
    await token(db, await newPlace(db), {}),
    await token(db, place, { siteIds: [place.otherSiteId] }),
    await token(db, place, { scopes: ['ingest'] }),
  ]
  for (const invalid of [generateToken(), 'nonsense', `wsh_${'A'.repeat(43)}`])
    tokens.push({ Authorization: `Bearer ${invalid}` })
  const answers = await Promise.all(tokens.map(headers => read(place.siteId, headers)))
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 403, 401, 401, 401])
})

test('over tRPC the input decides: without a site it is refused as without a token', async () => {
  const ask = async (input: string) =>
    (await fetch(`${api.url}/trpc/stats.overview${input && `?input=${encodeURIComponent(input)}`}`)).status
  expect(await ask(JSON.stringify({ siteKey: place.siteId }))).toBe(200)
  for (const input of ['', '{', '{}', '[]', '{"siteKey":7}'])
    expect([input, await ask(input)]).toEqual([input, 401])
})

test('limits of shared reads: a network has the limit of a browser for all sites', async () => {
  const other = await newPlace(api.services.db, { isPublic: true })
  await api.services.redis.flushall()
  api.services.config.limits.browser = 2
  const first = await read(place.siteId)
  expect(first.headers.get('x-ratelimit-limit')).toBe('2')
  expect(first.headers.get('x-ratelimit-remaining')).toBe('1')
  expect((await read(other.siteId)).status).toBe(200)
  const refused = await read(place.siteId)
  expect([refused.status, refused.body.message]).toEqual([429, expect.stringContaining('from this address')])
})

test('limits of shared reads: all readers of a site together have twenty times as much, and users are not among them', async () => {
  await api.services.redis.flushall()
  api.services.config.limits.browser = 1
  const { trustProxy } = api.services.config
  api.services.config.trustProxy = 1
  const statuses: number[] = []
  for (let count = 0; count < 21; count++)
    statuses.push((await read(place.siteId, { 'X-Forwarded-For': `192.0.2.${count}` })).status)
  expect(statuses).toEqual([...Array(20).fill(200), 429])
  expect((await read(place.siteId, await token(api.services.db, place, {}))).status).toBe(200)
  api.services.config.trustProxy = trustProxy
})

test('limits of shared reads: keys that name no public site are limited, and those that do are not', async () => {
  api.services.config.limits.api = 1
  expect((await read(place.siteId)).status).toBe(200)
  const statuses: number[] = []
  for (let count = 0; count < 12; count++) statuses.push((await read(randomUUID())).status)
  expect(statuses.slice(-1)).toEqual([429])
  expect(statuses[0]).toBe(401)
  expect((await read(place.siteId)).status).toBe(200)
})
