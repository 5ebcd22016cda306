import { randomUUID } from 'node:crypto'
import { DateTime } from 'luxon'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { enrichedHit } from '../support/hits.ts'
import { sharedService, type TestService } from '../support/service.ts'
import {
  createMember,
  createSite,
  expectError,
  type Member,
  request,
  type Site,
  sendHit,
  settle,
} from './requests.ts'

// What is refused of sites, and who may see and change them, is in test/sites/sites.test.ts, test/http/routes.test.ts and access.txt.

const COUNTED = [
  ...['pageviews', 'visitors', 'sessions', 'views_per_visit', 'bounce_rate', 'avg_session_seconds'],
  'custom_events',
]
const ZEROS = Object.fromEntries(COUNTED.map(name => [name, 0]))
/** A zone in which it is about noon, so that no test sees its day end. */
const offset = 12 - new Date().getUTCHours()
const NOON = offset === 0 ? 'Etc/GMT' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`
const DAY = 86_400_000

let service: TestService
let sentinel: Site

beforeAll(async () => {
  service = await sharedService()
  sentinel = await createSite(service, 'sentinel.example')
})
afterAll(() => service.close())

const get = (path: string, token = service.token) => request(`${service.url}/api${path}`, { token })
const create = (token: string, body: object) =>
  request(`${service.url}/api/sites`, { method: 'POST', token, body })
const remove = (token: string, siteKey: string) =>
  request(`${service.url}/api/sites/${siteKey}`, { method: 'DELETE', token })
const pageview = (site: Site, body: object = {}) => sendHit(service, 'collect', site, body)
const visitor = () => ({ visitor_id: randomUUID() })

/** Stores pageviews of some days ago, one of each visitor. */
const storePast = (site: Site, days: number, visitorIds: string[]) => {
  const at = Date.now() - days * DAY
  const hits = visitorIds.map(visitorId => enrichedHit(site, at, { visitorId }))
  return storeHits(service.db, 0, hits)
}

/** A site of any team. */
async function siteOf(token: string, domain: string, timezone = NOON): Promise<Site> {
  const { status, json, text } = await create(token, { domain, timezone })
  expect(status, text).toBe(201)
  const [row] = await service.db<{ site_no: number }[]>`select site_no from sites where id = ${json.id}`
  return { id: json.id, key: json.tracking_key, domain, siteNo: row!.site_no }
}

const overviewOf = async (site: Site, query = '', token = service.token) => {
  const answer = await get(`/sites/${site.id}/overview${query}`, token)
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

describe('GET /api/sites/{siteKey}/overview', () => {
  let site: Site
  const today = DateTime.now().setZone(NOON).startOf('day')
  const date = (days: number) => today.plus({ days }).toISODate()!

  // A visitor who reads twice and signs up, one who leaves at once, one who only clicks.
  const expected = {
    pageviews: 3,
    visitors: 3,
    sessions: 3,
    views_per_visit: 1,
    bounce_rate: 33.33,
    avg_session_seconds: expect.any(Number),
    custom_events: 1,
  }

  beforeAll(async () => {
    site = await siteOf(service.token, 'overview.example')
    const reader = visitor()
    await pageview(site, reader)
    await pageview(site, { ...reader, url: { path: '/pricing' } })
    await sendHit(service, 'event', site, reader)
    await pageview(site, visitor())
    await sendHit(service, 'event', site, { ...visitor(), name: 'outbound' })
    await settle(service, sentinel)
  })

  test('the answer has exactly these fields, without revenue fields when there are no payments and no processor', async () => {
    const overview = await overviewOf(site)
    expect(overview).toEqual({
      kpi: { metric: 'mrr', label: 'MRR change', currency: 'USD', static: false },
      ...expected,
      days: 1,
      previous: ZEROS,
    })
    expect(overview.avg_session_seconds).toBeLessThan(10)
  })

  test('the site key can be the id or the domain, in any case', async () => {
    const byId = await get(`/sites/${site.id}/overview`)
    for (const siteKey of [site.domain, site.id.toUpperCase(), site.domain.toUpperCase()])
      expect((await get(`/sites/${siteKey}/overview`)).json, siteKey).toEqual(byId.json)
  })

  test('all numbers are zero before the first hit', async () => {
    const empty = await siteOf(service.token, 'empty.example')
    for (const query of ['', '?range=all', '?range=last_30_days'])
      expect(await overviewOf(empty, query)).toMatchObject({ ...ZEROS, previous: ZEROS })
    expect((await overviewOf(empty, '?range=all')).days).toBe(1)
  })

  test.each([
    ['today', 1],
    ['yesterday', 1],
    ['last_7_days', 7],
    ['last_30_days', 30],
    ['this_month', today.day],
    ['last_month', today.minus({ months: 1 }).daysInMonth!],
    ['last_12_months', Math.round(today.diff(today.startOf('month').minus({ months: 11 }), 'days').days) + 1],
    ['all', 1],
  ])('the range %s has %i days', async (range, days) => {
    const overview = await overviewOf(site, `?range=${range}`)
    const hasToday = range !== 'yesterday' && range !== 'last_month'
    expect(overview).toMatchObject({ days, ...(hasToday ? expected : ZEROS) })
    expect(Object.keys(overview.previous).sort()).toEqual([...COUNTED].sort())
  })

  test('from and to are both included, and range is ignored when they are given', async () => {
    const query = `?from=${date(-1)}&to=${date(0)}&range=nonsense`
    expect(await overviewOf(site, query)).toMatchObject({ ...expected, days: 2 })
    expect(await overviewOf(site, `?from=${date(-9)}&to=${date(-1)}`)).toMatchObject({ ...ZEROS, days: 9 })
    expect(await overviewOf(site, '?from=2024-01-01&to=2024-12-31')).toMatchObject({ ...ZEROS, days: 366 })
    expect(await overviewOf(site, '?from=2024-02-29&to=2024-02-29')).toMatchObject({ days: 1 })
  })

  test('previous covers the same number of days directly before', async () => {
    expect(await overviewOf(site, `?from=${date(1)}&to=${date(1)}`)).toMatchObject({
      ...ZEROS,
      previous: expected,
    })
    expect(await overviewOf(site, `?from=${date(4)}&to=${date(6)}`)).toMatchObject({
      ...ZEROS,
      previous: ZEROS,
    })
    expect(await overviewOf(site, `?from=${date(2)}&to=${date(3)}`)).toMatchObject({
      days: 2,
      previous: expected,
    })
  })

  test.each([
    ['range=last_year', 'range'],
    ['from=2026-01-01&range=today', 'to'],
    ['from=2026-02-30&to=2026-03-01', 'from'],
  ])('the query %s gives 422', async (query, field) => {
    const answer = await get(`/sites/${site.id}/overview?${query}`)
    expectError(answer, 422, 'validation_failed')
    expect(Object.keys(answer.json.errors)).toEqual([field])
  })

  test('late hits count on the day on which they happened', async () => {
    const past = await siteOf(service.token, 'past.example')
    const [returning, other] = [visitor(), visitor()]
    const two = { pageviews: 2, visitors: 2, sessions: 2 }
    await storePast(past, 1, [returning.visitor_id, other.visitor_id])
    expect(await overviewOf(past)).toMatchObject({ ...ZEROS, previous: two })
    await pageview(past, returning)
    await settle(service, sentinel)
    expect(await overviewOf(past)).toMatchObject({ pageviews: 1, visitors: 1, sessions: 1, bounce_rate: 100 })
    expect(await overviewOf(past, '?range=yesterday')).toMatchObject(two)
    // Who comes on two days is one visitor of both.
    const both = { pageviews: 3, visitors: 2, sessions: 3, views_per_visit: 1, bounce_rate: 100 }
    expect(await overviewOf(past, '?range=last_7_days')).toMatchObject(both)
    expect(await overviewOf(past, '?range=all')).toMatchObject({ ...both, days: 2 })

    const older = await siteOf(service.token, 'older.example')
    await storePast(older, 31, [returning.visitor_id, other.visitor_id])
    await storePast(older, 30, [returning.visitor_id])
    expect(await overviewOf(older, '?range=last_30_days')).toMatchObject({ ...ZEROS, previous: both })
    expect(await overviewOf(older, '?range=all')).toMatchObject({ ...both, days: 32 })
    expect(await overviewOf(older, '?range=last_12_months')).toMatchObject(both)
  })
})

describe('GET /api/sites', () => {
  let member: Member
  const sites: Record<string, Site> = {}
  const list = async (query = '') => {
    const answer = await get(`/sites${query}`, member.token)
    expect(answer.status, answer.text).toBe(200)
    return answer.json as Record<string, unknown>[]
  }
  const domains = async (query = '') => (await list(query)).map(item => item.domain)

  beforeAll(async () => {
    member = await createMember(service)
    // Not in the order of any sort.
    for (const [domain, visitors] of [
      ['c.example', 1],
      ['a.example', 0],
      ['d-x.example', 2],
      ['b.example', 1],
    ] as const) {
      const site = await siteOf(member.token, domain)
      sites[domain] = site
      for (let count = 0; count < visitors; count++) await pageview(site, visitor())
    }
    await settle(service, sentinel)
  })

  test.each([
    ['', 24],
    ['&period=24h', 24],
    ['&period=7d', 7],
    ['&period=30d', 30],
    ['&period=90d', 24],
    ['&period=7D', 24],
  ])('the items of "%s" have exactly these fields, and sparklines of %i buckets', async (query, buckets) => {
    const items = await list(`?sort=domain_asc${query}`)
    const counts = { 'a.example': 0, 'b.example': 1, 'c.example': 1, 'd-x.example': 2 }
    expect(items.map(item => item.domain)).toEqual(Object.keys(counts))
    for (const [domain, visitors] of Object.entries(counts)) {
      const item = items.find(each => each.domain === domain)!
      const sparkline = item.sparkline as number[]
      expect(item).toEqual({
        id: sites[domain]!.id,
        domain,
        favicon_url: `${service.url}/favicons/${domain}`,
        timezone: NOON,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/),
        has_data: visitors > 0,
        is_pinned: false,
        visitors,
        change: visitors === 0 ? 0 : 100,
        sparkline,
        revenue: 0,
        revenue_sparkline: Array(buckets).fill(0),
        currency: 'USD',
        has_revenue: false,
      })
      expect(sparkline).toHaveLength(buckets)
      expect(sparkline.reduce((sum, count) => sum + count, 0)).toBe(visitors)
      // The hits are of now; the hour may have turned since.
      expect(sparkline.at(-1)! + sparkline.at(-2)!).toBe(visitors)
    }
  })

  test('the list is sorted and searched; pinned sites come first in every order', async () => {
    const [a, b, c, d] = ['a.example', 'b.example', 'c.example', 'd-x.example'] as const
    for (const [query, expected] of [
      ['', [d, b, c, a]],
      ['?sort=most_visitors', [d, b, c, a]],
      ['?sort=fewest_visitors', [a, b, c, d]],
      ['?sort=domain_asc', [a, b, c, d]],
      ['?sort=domain_desc', [d, c, b, a]],
      ['?search=B.EX', [b]],
      ['?search=example&sort=domain_desc', [d, c, b, a]],
      ['?search=', [d, b, c, a]],
      ...['nowhere', '%25', '_', '%5C'].map(text => [`?search=${text}`, []]),
    ] as [string, string[]][])
      expect(await domains(query), query).toEqual(expected)
    await service.db`update sites set is_pinned = true where id = ${sites[c]!.id}`
    for (const sort of ['most_visitors', 'fewest_visitors', 'domain_asc', 'domain_desc'])
      expect((await domains(`?sort=${sort}`))[0], sort).toBe(c)
  })

  test('change compares with the window directly before', async () => {
    const site = await siteOf(member.token, 'moved.example')
    await storePast(site, 1, [randomUUID(), randomUUID()])
    const item = async (period: string) => (await list(`?search=moved&period=${period}`))[0]!
    expect(await item('24h')).toMatchObject({ visitors: 0, change: -100 })
    await pageview(site, visitor())
    await settle(service, sentinel)
    expect(await item('24h')).toMatchObject({ visitors: 1, change: -50 })
    const week = await item('7d')
    expect(week).toMatchObject({ visitors: 3, change: 100 })
    expect((week.sparkline as number[]).slice(-2)).toEqual([2, 1])
  })

  test('sites of another team are not listed; an unknown sort is refused', async () => {
    const other = await createMember(service)
    expect((await get('/sites', other.token)).json).toEqual([])
    expectError(await get('/sites?sort=domain'), 422, 'validation_failed')
  })
})

describe('POST and DELETE /api/sites', () => {
  test('a site is created with its Location, and deleted with its data', async () => {
    const member = await createMember(service)
    const { status, json, headers } = await create(member.token, { domain: 'New.example' })
    expect([status, json.domain, json.timezone]).toEqual([201, 'new.example', 'UTC'])
    expect(json.tracking_key).not.toBe(json.id)
    expect(new URL(headers.location!, service.url).pathname).toBe(`/api/sites/${json.id}`)
    for (const siteKey of [json.id, 'new.example'])
      expect((await get(`/sites/${siteKey}`, member.token)).json).toEqual(json)
    expectError(await create(member.token, { domain: 'new.example' }), 422, 'validation_failed')

    const old = await siteOf(member.token, 'again.example')
    await pageview(old)
    await settle(service, sentinel)
    const gone = await remove(member.token, old.id)
    expect({ status: gone.status, text: gone.text }).toEqual({ status: 204, text: '' })
    expect(gone.headers['x-request-id']).toMatch(/./)
    expectError(await get(`/sites/${old.id}`, member.token), 404, 'not_found')
    const fresh = await siteOf(member.token, 'again.example')
    expect([fresh.id, fresh.key]).not.toEqual([old.id, old.key])
    expect(await overviewOf(fresh, '?range=all', member.token)).toMatchObject(ZEROS)
  })

  test('concurrent requests create a domain once and do not exceed the ceiling of 30', async () => {
    const member = await createMember(service)
    const same = Array.from({ length: 5 }, () => create(member.token, { domain: 'race.example' }))
    const statuses = (await Promise.all(same)).map(answer => answer.status)
    expect(statuses.sort()).toEqual([201, 422, 422, 422, 422])
    const many = Array.from({ length: 40 }, (_, index) =>
      create(member.token, { domain: `race-${index}.example` }),
    )
    const made = (await Promise.all(many)).filter(answer => answer.status === 201)
    expect(made).toHaveLength(29)
    expectError(await create(member.token, { domain: 'one-more.example' }), 403, 'forbidden')
    expect((await remove(member.token, 'race.example')).status).toBe(204)
    expect((await create(member.token, { domain: 'one-more.example' })).status).toBe(201)
  })
})

test('the typed client: a call gives the same answer as REST', async () => {
  const member = await createMember(service)
  const client = createClient(service.url, member.token)
  const made = await client.sites.create.mutate({ domain: 'Client.Example', timezone: NOON })
  const [row] = await service.db<{ site_no: number }[]>`select site_no from sites where id = ${made.id}`
  const site = { id: made.id, key: made.tracking_key, domain: made.domain, siteNo: row!.site_no }
  await pageview(site)
  await settle(service, sentinel)
  const rest = async (path: string) => (await get(path, member.token)).json
  expect(await client.sites.get.query({ siteKey: 'client.example' })).toEqual(await rest(`/sites/${site.id}`))
  expect(await client.sites.list.query()).toEqual(await rest('/sites'))
  expect(await client.sites.list.query({ period: '7d', sort: 'domain_desc', search: 'CLI' })).toEqual(
    await rest('/sites?period=7d'),
  )
  for (const range of ['today', 'last_month', 'all'] as const)
    expect(await client.stats.overview.query({ siteKey: site.id, range })).toEqual(
      await rest(`/sites/${site.id}/overview?range=${range}`),
    )
  const dates = { from: '2026-01-01', to: '2026-01-31' }
  expect(await client.stats.overview.query({ siteKey: site.id, ...dates })).toMatchObject({
    ...ZEROS,
    days: 31,
  })
  await client.sites.delete.mutate({ siteKey: site.id })
  expect(await client.sites.list.query({})).toEqual([])
})
