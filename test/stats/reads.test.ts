import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { type Api, type Member, startApi } from '../support/api.ts'
import { enrichedHit } from '../support/hits.ts'
import { inProcessPool } from '../support/in-process-pool.ts'

const NOW = Date.UTC(2026, 2, 10, 12)
const MINUTE = 60_000

let api: Api
let owner: Member
let site: { siteNo: number; id: string; key: string }

beforeAll(async () => {
  const log: any = {
    ...console,
    level: 'error',
    child: () => log,
    error: (x: any) => console.error(x?.err ?? x),
    debug() {},
    info() {},
    warn() {},
    fatal() {},
    trace() {},
  }
  api = await startApi({ log, now: () => new Date(NOW) })
  api.services.rollups = inProcessPool(api.services.db)
  owner = await api.member()
  const made = await api.call('POST', '/api/sites', { token: owner.token, body: { domain: 'a.example' } })
  const [row] = await api.services.db`select site_no as "siteNo" from sites where id = ${made.body.id}`
  site = { siteNo: row!.siteNo, id: made.body.id, key: made.body.tracking_key }
})
afterAll(() => api.close())

const visitor = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

test('every read answers', async () => {
  const at = NOW - 60 * MINUTE
  await storeHits(api.services.db, 0, [
    enrichedHit(site, at, {
      visitorId: visitor(1),
      url: '/a',
      title: 'A',
      country: 'DE',
      props: { plan: 'pro' },
    }),
    enrichedHit(site, at + MINUTE, { visitorId: visitor(1), url: '/b', title: 'B', country: 'DE' }),
    enrichedHit(site, at + 2 * MINUTE, {
      visitorId: visitor(1),
      type: 'engagement',
      url: '/b',
      scroll: 60,
      engagedMs: 5000,
    }),
    enrichedHit(site, at + 3 * MINUTE, {
      visitorId: visitor(1),
      type: 'event',
      name: 'Signup',
      url: '/b',
      props: { plan: 'pro' },
      revenue: { amountMinor: '500', currency: 'USD' },
    }),
    enrichedHit(site, at, { visitorId: visitor(2), url: '/a', title: 'A', country: 'AT' }),
    enrichedHit(site, at, {
      visitorId: visitor(2),
      type: 'error',
      name: 'error',
      url: '/a',
      error: { name: 'TypeError', message: 'x is undefined' },
    }),
  ])
  const [goal] = await api.services
    .db`insert into goals (site_no, display_name, type, match_value, match_operator, currency) values (${site.siteNo}, 'Signup', 'event', 'Signup', 'is', 'USD') returning id`
  const [scroll] = await api.services
    .db`insert into goals (site_no, display_name, type, match_value, match_operator, scroll_threshold) values (${site.siteNo}, 'Scroll', 'scroll', '/**', 'matches_pattern', 50) returning id`
  const get = async (path: string) => {
    const answer = await api.call('GET', `/api/sites/a.example${path}`, { token: owner.token })
    console.log(path, answer.status, JSON.stringify(answer.body))
    return answer
  }
  const list = await get('/stats/errors')
  for (const path of [
    '/overview',
    '/overview?country=DE',
    `/overview?goal=${goal!.id}`,
    `/overview?goal=${scroll!.id}&path=/b`,
    '/overview?path[matches_pattern]=/*&user_id=(none)&visit_count=1',
    '/overview?prop_key=plan&prop_value=pro',
    '/stats/timeseries?metric=visitors&range=yesterday',
    '/stats/timeseries?metric=bounce_rate&country=DE',
    '/stats/breakdown?dimension=path',
    '/stats/breakdown?dimension=country',
    '/stats/breakdown?dimension=user_id&page=2',
    '/stats/goals',
    '/stats/goals?path=/a',
    '/stats/events',
    '/stats/events?types=error,nonsense&per_page=1',
    '/stats/events/timeseries?country=DE',
    '/stats/events/property-breakdown?event_type=event&event_name=Signup',
    '/stats/page-titles',
    '/stats/page-titles?path=/b',
    '/stats/page-titles/timeseries?title=A',
    '/stats/filter-values?dimension=path',
    '/stats/filter-values?dimension=country&country=DE',
    '/stats/filter-values?dimension=visit_count',
    '/stats/filter-values?dimension=event_name',
    `/stats/errors/${list.body.data[0]?.id}`,
    `/stats/errors/${list.body.data[0]?.id}/timeseries`,
    `/stats/errors/${list.body.data[0]?.id}/events`,
    '/stats/errors/nope',
    '/stats/events?goal=1',
    '/overview?path[nope]=1',
    '/overview?path[matches_regex]=(',
    '/overview?prop_value=1',
  ])
    await get(path)
})
