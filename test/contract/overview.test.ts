import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { enrichedHit } from '../support/hits.ts'
import { createMember, type Member } from '../support/member.ts'
import { ofFile } from '../support/of-file.ts'
import { sharedService } from '../support/service.ts'
import { createSite, request, type Site, sendHit, settle } from './requests.ts'

// What is refused of sites, and who may see and change them, is in test/access/sites/sites.test.ts, test/http/api/routes.test.ts and access.txt.

const COUNTED = [
  ...['pageviews', 'visitors', 'sessions', 'views_per_visit', 'bounce_rate', 'avg_session_seconds'],
  'custom_events',
]
const ZEROS = Object.fromEntries(COUNTED.map(name => [name, 0]))
/** A zone in which it is about noon, so that no test sees its day end. */
const offset = 12 - new Date().getUTCHours()
const NOON = offset === 0 ? 'Etc/GMT' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`
const DAY = 86_400_000

const service = ofFile(sharedService)

const sentinel = ofFile(() => createSite(service, 'sentinel.example'))

const get = (path: string, token = service.token) => request(`${service.url}/api${path}`, { token })
const pageview = (site: Site, body: object = {}) => sendHit(service, 'collect', site, body)
const visitor = () => ({ visitor_id: randomUUID() })

/** Stores pageviews of some days ago, one of each visitor. */
const storePast = (site: Site, days: number, visitorIds: string[]) => {
  const at = Date.now() - days * DAY
  const hits = visitorIds.map(visitorId => enrichedHit(site, at, { visitorId }))
  return storeHits(service.db, 0, hits)
}

/** A site of any team. */
const siteOf = (token: string, domain: string) => createSite({ ...service, token }, domain, NOON)

const overviewOf = async (site: Site, query = '', token = service.token) => {
  const answer = await get(`/sites/${site.id}/overview${query}`, token)
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

describe('GET /api/sites/{siteKey}/overview', () => {
  let site: Site
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

  test('all numbers are zero before the first hit', async () => {
    const empty = await siteOf(service.token, 'empty.example')
    for (const query of ['', '?range=all', '?range=last_30_days'])
      expect(await overviewOf(empty, query)).toMatchObject({ ...ZEROS, previous: ZEROS })
    expect((await overviewOf(empty, '?range=all')).days).toBe(1)
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

  beforeAll(async () => {
    member = await createMember({ db: service.db, now: () => new Date() })
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
})
