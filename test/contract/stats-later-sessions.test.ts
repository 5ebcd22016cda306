// @module-tag full
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DIMENSIONS, isInSessionRow } from '../../src/dimensions/dimensions.ts'
import type { Json } from '../support/stripe.ts'
import { type Revenue, startRevenue } from './revenue-shop.ts'
import { ADA, BEN, hit, type StatsSite } from './stats-site.ts'

/** That of a payment whose visitor has a session later, and was known then. */
const LONELY_DAY = 'from=2026-03-05&to=2026-03-05'
const PAYMENT_DAY = 'from=2026-03-10&to=2026-03-10'
/** Days that embedded databases read in several slices of sessions. */
const ALL_DAYS = 'from=2026-03-06&to=2026-03-18'
const STEPS = encodeURIComponent(
  JSON.stringify([
    { type: 'event', value: 'payment' },
    { type: 'pageview', value: '/x' },
  ]),
)
const ROW_DIMENSIONS = DIMENSIONS.filter(isInSessionRow)

let revenue: Revenue
let site: StatsSite
/** Of the session that begins eight days after the payment. */
let session: Json

beforeAll(async () => {
  revenue = await startRevenue()
  site = await revenue.shop()
  await revenue.store([hit(site, '2026-03-10T08:00:00Z', { visitorId: BEN, url: '/other', language: 'fr' })])
  expect((await revenue.pay(site, { timestamp: '2026-03-10T12:00:00Z', visitor_id: ADA })).status).toBe(201)
  expect((await revenue.pay(site, { timestamp: '2026-03-05T12:00:00Z', visitor_id: BEN })).status).toBe(201)
  await revenue.store([
    hit(
      site,
      '2026-03-18T11:50:00Z',
      { visitorId: ADA, url: '/x', language: 'de', screenWidth: 9, screenHeight: 9 },
      { browserName: 'Firefox', browserFullVersion: '1', osName: 'macOS', osFullVersion: '2' },
    ),
    hit(site, '2026-03-18T11:51:00Z', { visitorId: ADA, type: 'identify', identity: { identifier: 'u' } }),
  ])
  session = (await revenue.read(site, '/stats/sessions?from=2026-03-18&to=2026-03-18')).data[0]
})
afterAll(() => revenue.close())

const isPayment = (goal: Json) => goal.display_name === 'payment'

/** How often each read of a range finds the payment. */
async function found(range: string, filter: string) {
  const { payments } = await revenue.read(site, `/overview?${range}&${filter}`)
  const log = await revenue.read(site, `/stats/events?types=event&${range}&${filter}`)
  const goal = (await revenue.read(site, `/stats/goals?${range}&${filter}`)).find(isPayment)
  const cohorts = await revenue.read(
    site,
    `/stats/retention?cohort=goal&cohort_goal=${goal.id}&period=month&${range}&${filter}`,
  )
  const funnel = await revenue.read(site, `/stats/funnel?window=3600&steps=${STEPS}&${range}&${filter}`)
  return {
    payments,
    log: log.meta.total,
    conversions: goal.conversions,
    cohort: cohorts.cohorts.reduce((sum: number, { size }: { size: number }) => sum + size, 0),
    funnel: funnel.steps[0].count,
  }
}
const times = (count: number) => ({
  payments: count,
  log: count,
  conversions: count,
  cohort: count,
  funnel: count,
})

test.each(ROW_DIMENSIONS)(
  'filters: a payment from before its visitor was known has the %s of its later session',
  async dimension => {
    const value = encodeURIComponent(String(session[dimension]))
    for (const filter of [`${dimension}=${value}`, `${dimension}[is_not]=zz`]) {
      expect(await found(PAYMENT_DAY, filter), filter).toEqual(times(1))
    }
    for (const filter of [`${dimension}=(none)`, `${dimension}[is_not]=${value}`]) {
      expect(await found(PAYMENT_DAY, filter), filter).toEqual(times(0))
    }
    revenue.api.services.slices = { hits: 1, shortestMs: 6 * 3_600_000 }
    expect(await found(ALL_DAYS, `${dimension}=${value}`)).toEqual(times(1))
    expect(await found(ALL_DAYS, `${dimension}=(none)`)).toEqual(times(0))
    revenue.api.services.slices = undefined
  },
)

test.each(ROW_DIMENSIONS)('funnel: a first step of a later session counts for its %s', async dimension => {
  const { rows } = await revenue.read(
    site,
    `/stats/funnel?by=session&steps=${STEPS}&${PAYMENT_DAY}&dimension=${dimension}`,
  )
  expect(rows.map((row: Json) => [row.value, row.steps[0].count])).toEqual([[String(session[dimension]), 1]])
})

// One of each kind of column: of the session's end, of its user, a number, a text, and one that hits have, too.
test.each(['exit_path', 'user_id', 'visit_count', 'language', 'country'])(
  'filters: a payment of a visitor without a session at its time has an empty %s',
  async dimension => {
    for (const condition of ['=(none)', '[is_not]=zz', '[matches_regex]=^$', '[contains]=']) {
      expect(await found(LONELY_DAY, `${dimension}${condition}`), condition).toEqual(times(1))
    }
    for (const condition of ['=zz', '[is_not]=(none)', '[matches_regex]=.']) {
      expect(await found(LONELY_DAY, `${dimension}${condition}`), condition).toEqual(times(0))
    }
  },
)
