import { afterAll, beforeAll, expect, test } from 'vitest'
import { PUBLIC_SECTIONS } from '../../src/dimensions/sections.ts'
import { type Revenue, startRevenue } from '../contract/revenue-shop.ts'
import type { StatsSite } from '../contract/stats-site.ts'

let revenue: Revenue
let site: StatsSite
let secret: string

const RANGE = 'from=2026-01-10&to=2026-01-10'

beforeAll(async () => {
  revenue = await startRevenue()
  site = await revenue.site()
  const { db } = revenue.api.services
  await db`update sites set details_from = '2026-02-01T00:00:00Z' where site_no = ${site.siteNo}`
  await db`
    insert into kept_hit_buckets (site_no, bucket, pageviews, custom_events, types, service_events)
    values (${site.siteNo}, '2026-01-10T10:00:00Z', 3, 0, '{"pageview": 3, "event": 2}', '{"payment": 2}')`
  const body = { name: 'test', sections: PUBLIC_SECTIONS }
  secret = (await revenue.call('POST', `${site.path}/shares`, body)).body.secret
})
afterAll(() => revenue.close())

const read = async (path: string, token?: string) =>
  (await revenue.api.call('GET', `${site.path}${path}`, { token: token ?? revenue.owner.token })).body

test('kept numbers: without the section revenue, events of money of days whose details are gone do not count', async () => {
  const path = `/stats/events/timeseries?${RANGE}`
  expect((await read(path)).types).toContain('event')
  expect((await read(path, secret)).types).not.toContain('event')
  const values = `/stats/filter-values?dimension=event_name&${RANGE}`
  expect((await read(values, secret)).values).toEqual([])
})
