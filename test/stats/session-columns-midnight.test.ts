import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hit } from '../../src/ingestion/hit.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { type Api, type Member, startApi } from '../support/api.ts'
import { enrichedHit } from '../support/hits.ts'
import { inProcessPool } from '../support/in-process-pool.ts'
import { rollUpAll } from '../support/roll-up.ts'
import type { TestSite } from '../support/sites.ts'

/** Two finished days and today: a session of Ann goes from the first into the second day, Bob has one on each. */
const NOW = Date.UTC(2026, 2, 10, 12)
const MINUTE = 60_000
const DAY = 86_400_000
const MIDNIGHT = Date.UTC(2026, 2, 6)

let api: Api
let owner: Member
let site: TestSite

const visitor = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

const hit = (at: number, visitorNo: number, fields: Partial<Hit>) => ({
  ...enrichedHit(site, at, { visitorId: visitor(visitorNo), ...fields }),
  source: visitorNo === 1 ? 'Ann' : 'Bob',
})

beforeAll(async () => {
  api = await startApi({ now: () => new Date(NOW) })
  api.services.rollups = inProcessPool(api.services.db)
  owner = await api.member()
  const { db } = api.services
  const made = await api.call('POST', '/api/sites', { token: owner.token, body: { domain: 'a.example' } })
  const [row] = await db`select site_no as "siteNo" from sites where id = ${made.body.id}`
  site = { siteNo: row!.siteNo, id: made.body.id, key: made.body.tracking_key }
  await storeHits(db, 0, [
    hit(MIDNIGHT - 10 * MINUTE, 1, { url: '/a', title: 'A' }),
    hit(MIDNIGHT - 5 * MINUTE, 2, { url: '/a', title: 'A' }),
    hit(MIDNIGHT + 10 * MINUTE, 1, { url: '/b', title: 'B' }),
    hit(MIDNIGHT + 12 * MINUTE, 1, { type: 'event', name: 'signup', url: '/b', title: 'B' }),
    hit(MIDNIGHT + 600 * MINUTE, 2, { url: '/b', title: 'B' }),
    hit(NOW - 10 * MINUTE, 2, { url: '/a', title: 'A' }),
  ])
  await storeHits(db, 0, [
    hit(MIDNIGHT + 15 * MINUTE, 1, {
      type: 'engagement',
      url: '/b',
      title: 'B',
      engagedMs: 4_000,
      scroll: 70,
    }),
    hit(MIDNIGHT + 605 * MINUTE, 2, { type: 'engagement', url: '/b', title: 'B', engagedMs: 1_000 }),
  ])
  await db`
    insert into revenue (
      site_no, at, payment_id, currency, amount_minor, refunded_minor, is_recurring, visitor_no, session_no, session_at
    )
    select site_no, started_at, gen_random_uuid(), 'USD', 100, 0, false, visitor_no, session_no, started_at
    from sessions cross join generate_series(1, 40)
    where site_no = ${site.siteNo} and started_at < ${new Date(MIDNIGHT)}`
  await rollUpAll(db, new Date(NOW))
})
afterAll(() => api.close())

const read = async (path: string) => {
  const { status, body } = await api.call('GET', `/api/sites/a.example/${path}`, { token: owner.token })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

const FIRST_DAY = 'from=2026-03-05&to=2026-03-05'
const ALL_DAYS = 'from=2026-03-05&to=2026-03-10'
/** More than one filter: no rollup of values answers. */
const ANN = 'source=Ann&browser[is_not]=Opera'
const EVERYBODY = 'source[is_not]=nobody&browser[is_not]=Opera'

test('session columns: days that are over have them', async () => {
  const { db } = api.services
  const days = await db`
    select starts_at, session_parts from daily_rollups
    where site_no = ${site.siteNo} and starts_at in (${new Date(MIDNIGHT - DAY)}, ${new Date(MIDNIGHT)})`
  expect(days.map(({ session_parts: parts }) => parts)).toEqual([1, 1])
})

test('session columns: hits count on their day, a session with all its hits on the day of its start', async () => {
  expect(await read(`overview?${FIRST_DAY}&${ANN}`)).toMatchObject({
    visitors: 1,
    sessions: 1,
    pageviews: 1,
    bounce_rate: 0,
    custom_events: 0,
  })
  const { data: rows } = await read(`stats/breakdown?dimension=path&${FIRST_DAY}&${ANN}&sort=value`)
  expect(rows).toMatchObject([
    // All 40 payments of the session: its hit on the day has this path.
    { value: '/a', visitors: 1, sessions: 1, pageviews: 1, revenue: 4_000, time_on_page_seconds: null },
    // Seen by the session after the day: no visitor of it, and no money.
    {
      value: '/b',
      visitors: 0,
      sessions: 1,
      pageviews: 0,
      revenue: 0,
      time_on_page_seconds: 4,
      scroll_depth: 70,
    },
  ])
})

test('session columns: all days together, with today from rows', async () => {
  expect(await read(`overview?${ALL_DAYS}&${EVERYBODY}`)).toMatchObject({
    visitors: 2,
    sessions: 4,
    pageviews: 5,
    custom_events: 1,
    bounce_rate: 75,
  })
  const { data: rows } = await read(`stats/breakdown?dimension=path&${ALL_DAYS}&${EVERYBODY}&sort=value`)
  expect(rows).toMatchObject([
    { value: '/a', visitors: 2, sessions: 3, pageviews: 3, revenue: 8_000, scroll_depth: null },
    {
      value: '/b',
      visitors: 2,
      sessions: 2,
      pageviews: 2,
      revenue: 4_000,
      // Of Ann 4 s, of Bob 1 s without a scroll depth.
      time_on_page_seconds: 2.5,
      scroll_depth: 70,
    },
  ])
  const sources = await read(`stats/breakdown?dimension=source&${ALL_DAYS}&${EVERYBODY}&sort=value`)
  expect(sources.data).toMatchObject([
    { value: 'Ann', visitors: 1, sessions: 1, pageviews: 2, bounce_rate: 0 },
    { value: 'Bob', visitors: 1, sessions: 3, pageviews: 3, bounce_rate: 100 },
  ])
})

test('session columns: titles', async () => {
  const { data: rows } = await read(`stats/page-titles?${ALL_DAYS}&${EVERYBODY}`)
  expect(rows).toMatchObject([
    { title: 'A', path: '/a', hostname: 'example.com', pageviews: 3, sessions: 3, bounce_rate: 66.67 },
    { title: 'B', path: '/b', pageviews: 2, sessions: 2, bounce_rate: 50, time_on_page_seconds: 2.5 },
  ])
})

test('session columns: a series has each day', async () => {
  const { values } = await read(`stats/timeseries?metric=pageviews&group=day&${ALL_DAYS}&${EVERYBODY}`)
  expect(values).toEqual([2, 2, 0, 0, 0, 1])
})

test('session columns: a late hit counts at once, and after the day was rolled up again', async () => {
  const { db } = api.services
  await storeHits(db, 0, [hit(MIDNIGHT - 8 * MINUTE, 1, { url: '/late', title: 'Late' })])
  const counts = async () => {
    const { data: rows } = await read(`stats/breakdown?dimension=path&${FIRST_DAY}&${ANN}&sort=value`)
    return rows.map(({ value, pageviews }: { value: string; pageviews: number }) => [value, pageviews])
  }
  const expected = [
    ['/a', 1],
    ['/b', 0],
    ['/late', 1],
  ]
  expect(await counts()).toEqual(expected)
  await rollUpAll(db, new Date(NOW))
  expect(await counts()).toEqual(expected)
})
