// @module-tag full
import { expect, test } from 'vitest'
import type { Hit } from '../../src/ingestion/hit.ts'
import { errorFingerprint } from '../../src/ingestion/stages/error.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { recordNewPayment } from '../support/payments.ts'
import { rollUpAll } from '../support/roll-up.ts'
import { ADA, BEN, DAY, hit, type StatsSite, THAT_DAY, useStats } from './stats-site.ts'

const MOST = Number.MAX_SAFE_INTEGER
const TWICE_MOST = String(2n * BigInt(MOST))
const MOST_OF_64_BITS = String(2n ** 63n - 1n)
const at = (time: string) => `${DAY}T${time}Z`

let site: StatsSite

const stats = useStats(async () => {
  site = await stats.site()
  await stats.goal(site, { match_type: 'event', match_value: 'paid', display_name: 'paid', currency: 'USD' })
  const event = (second: number, name: string, fields: Partial<Hit> = {}) =>
    hit(site, at(`09:00:${String(second).padStart(2, '0')}`), {
      type: 'event',
      name,
      visitorId: ADA,
      ...fields,
    })
  const error = (second: number, message: string) =>
    hit(site, at(`09:00:${String(second).padStart(2, '0')}`), {
      type: 'error',
      name: 'error',
      visitorId: BEN,
      error: { message, stack: 'at f' },
    })
  await storeHits(
    stats.api.services.db,
    0,
    [
      event(1, 'one', { props: { plan: 'pro' } }),
      event(2, 'two', { props: { tier: 'a' } }),
      event(3, 'three', { props: { flood: 'x' } }),
      event(4, 'four', { props: { plan: 'pro', more: 'y', most: 'z' } }),
      event(5, 'paid', { revenue: { amountMinor: '500', currency: 'USD' } }),
      ...['boom', 'bang', 'crash', 'thud'].map((message, index) => error(10 + index, message)),
    ],
    2,
  )
})

/** From rows, and then from rollups of the day. */
async function bothWays(check: () => Promise<void>): Promise<void> {
  await check()
  await rollUpAll(stats.api.services.db, new Date('2026-03-12T00:00:00Z'))
  await check()
}

test('(other): reports show values beyond the daily maximum as (other)', () =>
  bothWays(async () => {
    const { data } = await stats.read(site, `/stats/breakdown?dimension=event_name&${THAT_DAY}`)
    const values = data.map(({ value }: { value: string }) => value).sort()
    expect(values).toEqual(['(other)', 'one', 'paid', 'two'])
    const path = '/stats/events/property-breakdown?event_type=event&event_name=(other)'
    expect((await stats.read(site, `${path}&${THAT_DAY}`)).rows).toEqual([
      { key: '(other)', value: '(other)', visitors: 1 },
      { key: 'plan', value: 'pro', visitors: 1 },
    ])
    const filtered = await stats.read(site, `/stats/events?${THAT_DAY}&event_name=(other)&types=event`)
    expect(filtered.meta.total).toBe(2)
  }))

test('(other): the name of a goal is counted even after a flood of other names', async () => {
  const [goal] = await stats.read(site, `/stats/goals?${THAT_DAY}`)
  expect(goal).toMatchObject({ display_name: 'paid', conversions: 1, revenue: 500 })
})

test('(other): the error group of what exceeds the daily maximum has a fingerprint', () =>
  bothWays(async () => {
    const id = errorFingerprint(site.id, '(other)')
    const { data } = await stats.read(site, `/stats/errors?${THAT_DAY}`)
    const names = { message: '(other)', error_name: '(other)' }
    const times = { first_seen: `${DAY}T09:00:12.000Z`, last_seen: `${DAY}T09:00:13.000Z` }
    expect(data[0]).toEqual({ id, ...names, ...times, occurrences: 2, sessions: 1, visitors: 1 })
    expect(data).toHaveLength(3)
    expect(await stats.read(site, `/stats/errors/${id}?${THAT_DAY}`)).toMatchObject({ occurrences: 2 })
    const occurrences = await stats.read(site, `/stats/errors/${id}/events?${THAT_DAY}`)
    expect(occurrences.data[0]).toMatchObject({ event_name: '(other)', message: '(other)', stack: '' })
    const { series } = await stats.read(site, `/stats/errors/${id}/timeseries?${THAT_DAY}`)
    expect(Math.max(...series.error)).toBe(2)
  }))

const buy = (amountMinor: string, visitorId = ADA) =>
  ({ type: 'event', name: 'buy', visitorId, revenue: { amountMinor, currency: 'USD' } }) as const

async function pay(site: StatsSite, amounts: number[], timestamp: string, visitorId?: string) {
  for (const amountMinor of amounts)
    await recordNewPayment(stats.api.services.db, site, {
      amountMinor,
      visitorId,
      paidAt: new Date(timestamp),
    })
}

test('goal report: a sum beyond 2^53 is null with all digits in another field; other goals keep their numbers', async () => {
  const site = await stats.site()
  const currency = { match_type: 'event', currency: 'USD' }
  await stats.goal(site, { ...currency, match_value: 'huge' })
  await stats.goal(site, { ...currency, match_value: 'buy', display_name: 'large' })
  await stats.goal(site, { ...currency, match_value: 'sell', display_name: 'small' })
  await stats.store([
    hit(site, at('09:00:00'), buy(String(MOST))),
    hit(site, at('09:00:01'), buy(String(MOST), BEN)),
    hit(site, at('09:00:02'), { ...buy('700'), name: 'sell' }),
    hit(site, at('09:00:03'), { ...buy(MOST_OF_64_BITS), name: 'huge' }),
    hit(site, at('09:00:04'), { ...buy(MOST_OF_64_BITS), name: 'huge' }),
  ])
  const [huge, large, small] = await stats.read(site, `/stats/goals?${THAT_DAY}`)
  expect(huge).toMatchObject({ revenue: null, revenue_exact: String(2n * BigInt(MOST_OF_64_BITS)) })
  expect(large).toMatchObject({ conversions: 2, visitors: 2, revenue: null, revenue_exact: TWICE_MOST })
  expect(small).toMatchObject({ conversions: 1, revenue: 700 })
  expect(small).not.toHaveProperty('revenue_exact')
})

test('breakdown: revenue beyond 2^53 is null with all digits in another field; other values keep their numbers', async () => {
  const site = await stats.site()
  await stats.store([
    hit(site, at('09:00:00'), { visitorId: ADA, url: '/large' }, { source: 'Large' }),
    hit(site, at('09:00:00'), { visitorId: BEN, url: '/small' }, { source: 'Small' }),
  ])
  await pay(site, [MOST, MOST], at('09:01:00'), ADA)
  await pay(site, [500], at('09:02:00'), BEN)
  for (const [dimension, large, small] of [
    ['source', 'Large', 'Small'],
    ['path', '/large', '/small'],
  ]) {
    for (const filter of ['', '&hostname=example.com']) {
      const { data } = await stats.read(site, `/stats/breakdown?dimension=${dimension}&${THAT_DAY}${filter}`)
      const of = (value: string) => data.find((row: { value: string }) => row.value === value)
      expect(of(large!)).toMatchObject({ visitors: 1, revenue: null, revenue_exact: TWICE_MOST })
      expect(of(small!)).toMatchObject({ visitors: 1, revenue: 500 })
      expect(of(small!)).not.toHaveProperty('revenue_exact')
    }
  }
})

test('list of sites: revenue beyond 2^53 is capped and marked; other sites are not affected', async () => {
  const [large, small] = [await stats.site(), await stats.site()]
  await pay(large, [MOST, MOST], '2026-03-18T10:00:00Z')
  await pay(large, [100], '2026-03-18T11:00:00Z')
  await pay(small, [500], '2026-03-18T10:00:00Z')
  for (const period of ['24h', '7d', '30d']) {
    const answer = await stats.ask(`/api/sites?period=${period}`)
    expect(answer.status).toBe(200)
    const of = ({ id }: StatsSite) => answer.json.find((site: { id: string }) => site.id === id)
    expect(of(large)).toMatchObject({ revenue: MOST, revenue_exact: String(2n * BigInt(MOST) + 100n) })
    expect(Math.max(...of(large).revenue_sparkline)).toBe(MOST)
    expect(of(small)).toMatchObject({ revenue: 500 })
    expect(of(small)).not.toHaveProperty('revenue_exact')
  }
})

test('engaged time: sums beyond 2^53 are averaged from rows, from rollups and with filters', async () => {
  const site = await stats.site()
  const page = { url: '/long', title: 'Long', visitorId: ADA }
  const ping = (time: string) =>
    hit(site, at(time), { ...page, type: 'engagement', scroll: 1, engagedMs: MOST })
  await stats.store([hit(site, at('09:00:00'), page), ping('09:00:01'), ping('09:00:02'), ping('09:00:03')])
  const seconds = async (filter = '') =>
    (await stats.read(site, `/stats/page-titles?${THAT_DAY}${filter}`)).data[0].time_on_page_seconds
  const filters = ['', '&hostname=example.com', '&path=/long']
  const expected = (3 * MOST) / 1000
  for (const filter of filters) expect(await seconds(filter)).toBeCloseTo(expected, -3)
  await rollUpAll(stats.api.services.db, new Date('2026-03-13T00:00:00Z'))
  for (const filter of filters) expect(await seconds(filter)).toBeCloseTo(expected, -3)
})

test('session length: sums beyond 2^53 are averaged from rows, from rollups and with filters', async () => {
  const { db } = stats.api.services
  const site = await stats.site()
  await stats.store([
    hit(site, at('09:00:00'), { visitorId: ADA }),
    hit(site, at('09:30:00'), { visitorId: BEN }),
    hit(site, '2026-03-11T10:00:00Z', { visitorId: BEN }),
  ])
  await db`update sessions set duration_ms = ${MOST} where site_no = ${site.siteNo}`
  const range = 'from=2026-03-10&to=2026-03-11'
  const length = async (filter = '') =>
    (await stats.read(site, `/overview?${range}${filter}`)).avg_session_seconds
  const expectMost = async () => {
    const metric = `/stats/timeseries?metric=avg_session_seconds&${range}`
    for (const filter of ['', '&hostname=example.com']) {
      expect(await length(filter)).toBeCloseTo(MOST / 1000, -3)
      expect(Math.max(...(await stats.read(site, metric + filter)).values)).toBeCloseTo(MOST / 1000, -3)
    }
  }
  await expectMost()
  await rollUpAll(db, new Date('2026-03-14T00:00:00Z'))
  await expectMost()
})
