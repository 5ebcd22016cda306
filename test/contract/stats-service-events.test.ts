// @module-tag full
import { beforeAll, describe, expect, test } from 'vitest'
import { DIMENSIONS, isInSessionRow } from '../../src/platform/dimensions/dimensions.ts'
import { ofFile } from '../support/of-file.ts'
import type { Json } from '../support/stripe.ts'
import { startRevenue } from './revenue-shop.ts'
import { ADA, BEN, hit, type StatsSite } from './stats-site.ts'

const TODAY = 'from=2026-03-18&to=2026-03-18'
/** Those that only the row of the session has. */
const ROW_DIMENSIONS = DIMENSIONS.filter(isInSessionRow)
const SESSION_DIMENSIONS = [...ROW_DIMENSIONS, 'country']

const revenue = ofFile(startRevenue)

/** A session with a value for every dimension, and a payment that no visitor made. */
const site = ofFile(() => revenue.shop())
beforeAll(async () => {
  const page = { url: '/home', title: 'Home', language: 'de', screenWidth: 9, screenHeight: 9 }
  const ofSession = {
    ...{ source: 'Google', channel: 'Email', referrerPage: 'google.com/', size: 'mobile' as const },
    ...{ utmSource: 's', utmMedium: 'm', utmCampaign: 'c', utmContent: 'o', utmTerm: 't' },
    ...{ browserName: 'Chrome', browserFullVersion: '1', osName: 'macOS', osFullVersion: '2' },
    ...{ country: 'DE', region: 'DE-BE', city: 'Berlin' },
  }
  await revenue.store([
    hit(site, '2026-03-18T11:50:00Z', { ...page, visitorId: ADA }, ofSession),
    hit(site, '2026-03-18T11:51:00Z', { visitorId: ADA, type: 'identify', identity: { identifier: 'u' } }),
  ])
  expect((await revenue.pay(site, { timestamp: '2026-03-18T11:55:00Z' })).status).toBe(201)
})

const namesOf = (rows: { event_name: string }[]) => rows.map(row => row.event_name || 'pageview').sort()

/** What the event log, events over time, live, and the goal `payment` find. */
async function found(filter: string) {
  const { data } = await revenue.read(site, `/stats/events?${TODAY}&${filter}`)
  const { series } = await revenue.read(site, `/stats/events/timeseries?${TODAY}&${filter}`)
  const live = await revenue.read(site, `/stats/live?${filter}`)
  const goals = await revenue.read(site, `/stats/goals?${TODAY}&${filter}`)
  const sum = (values: number[] = []) => values.reduce((total, value) => total + value, 0)
  return {
    log: namesOf(data),
    series: [sum(series.pageview), sum(series.event)],
    live: namesOf(live.events),
    visitors: live.minutes.reduce((total: number, { visitors }: { visitors: number }) => total + visitors, 0),
    conversions: goals.find((goal: { display_name: string }) => goal.display_name === 'payment').conversions,
  }
}

const seen = (isEvent: boolean, isVisit: boolean) => {
  const names = [...(isVisit ? ['pageview'] : []), ...(isEvent ? ['payment'] : [])]
  return {
    ...{ log: names, series: [Number(isVisit), Number(isEvent)], live: names },
    ...{ visitors: Number(isVisit), conversions: Number(isEvent) },
  }
}
const EVENT = seen(true, false)

/** Conditions, whether the service event passes, and whether the visit does. */
const CONDITIONS: [string, boolean, boolean][] = [
  ['=(none)', true, false],
  ['[matches_regex]=^$', true, false],
  ['[is_not]=~', true, true],
  ['[does_not_contain]=~', true, true],
  ['[contains]=', true, true],
  ['[starts_with]=', true, true],
  ['[ends_with]=', true, true],
  ['[is_not]=(none)', false, true],
  ['[matches_regex]=.', false, true],
  ['=~', false, false],
]

/** One of each kind of column, which have all conditions: of the session's end, of its user, a number, a text, and one of hits. */
const EVERY: readonly string[] = ['exit_path', 'user_id', 'visit_count', 'language', 'country']

// The others have some each, and all together every condition.
test.each(SESSION_DIMENSIONS)(
  'filters: a service event without a session has an empty %s',
  async dimension => {
    const some = CONDITIONS.filter((_, index) => index % 3 === SESSION_DIMENSIONS.indexOf(dimension) % 3)
    for (const [condition, isEvent, isVisit] of EVERY.includes(dimension) ? CONDITIONS : some) {
      expect(await found(`${dimension}${condition}`), condition).toEqual(seen(isEvent, isVisit))
    }
  },
)

test('filters: a service event without a session passes only where every filter takes the empty value', async () => {
  expect(await found('user_id=(none)&visit_count=(none)&country=(none)&exit_path[is_not]=/home')).toEqual(
    EVENT,
  )
  expect((await found('user_id=(none)&visit_count=1')).log).toEqual([])
  expect((await found('user_id=(none)&country=DE')).log).toEqual([])
  expect((await found('user_id[is_not]=u&path=/home')).log).toEqual([])
})

describe('payments from before their visitor was known', () => {
  const STEPS = encodeURIComponent(
    JSON.stringify([
      { type: 'event', value: 'payment' },
      { type: 'pageview', value: '/x' },
    ]),
  )
  /** That of a payment whose visitor has a session later, and was known then. */
  const LONELY_DAY = 'from=2026-03-05&to=2026-03-05'
  const PAYMENT_DAY = 'from=2026-03-10&to=2026-03-10'
  const ALL_DAYS = 'from=2026-03-06&to=2026-03-18'
  let shop: StatsSite
  /** Of the session that begins eight days after the payment. */
  let session: Json

  beforeAll(async () => {
    shop = await revenue.shop()
    const other = { visitorId: BEN, url: '/other', language: 'fr' }
    await revenue.store([hit(shop, '2026-03-10T08:00:00Z', other)])
    for (const [timestamp, visitor_id] of [
      ['2026-03-10T12:00:00Z', ADA],
      ['2026-03-05T12:00:00Z', BEN],
    ]) {
      expect((await revenue.pay(shop, { timestamp, visitor_id })).status).toBe(201)
    }
    const page = { visitorId: ADA, url: '/x', language: 'de', screenWidth: 9, screenHeight: 9 }
    const browser = { browserName: 'Firefox', browserFullVersion: '1', osName: 'macOS', osFullVersion: '2' }
    await revenue.store([
      hit(shop, '2026-03-18T11:50:00Z', page, browser),
      hit(shop, '2026-03-18T11:51:00Z', { visitorId: ADA, type: 'identify', identity: { identifier: 'u' } }),
    ])
    session = (await revenue.read(shop, `/stats/sessions?${TODAY}`)).data[0]
  })

  /** Expects that each read of a range finds the payment this often. */
  async function expectFound(range: string, filter: string, count: number) {
    const query = `${range}&${filter}`
    const { payments } = await revenue.read(shop, `/overview?${query}`)
    const log = await revenue.read(shop, `/stats/events?types=event&${query}`)
    const goals: Json[] = await revenue.read(shop, `/stats/goals?${query}`)
    const goal = goals.find(({ display_name }) => display_name === 'payment')!
    const asked = `cohort=goal&cohort_goal=${goal.id}&period=month&${query}`
    const { cohorts } = await revenue.read(shop, `/stats/retention?${asked}`)
    const cohort = cohorts.reduce((sum: number, { size }: { size: number }) => sum + size, 0)
    const { steps } = await revenue.read(shop, `/stats/funnel?window=3600&steps=${STEPS}&${query}`)
    const found = {
      payments,
      log: log.meta.total,
      conversions: goal.conversions,
      cohort,
      funnel: steps[0].count,
    }
    const each = { payments: count, log: count, conversions: count, cohort: count, funnel: count }
    expect(found, filter).toEqual(each)
  }

  test.each(ROW_DIMENSIONS)('filters: such a payment has the %s of its later session', async dimension => {
    const value = encodeURIComponent(String(session[dimension]))
    for (const condition of [`=${value}`, '[is_not]=zz']) {
      await expectFound(PAYMENT_DAY, `${dimension}${condition}`, 1)
    }
    for (const condition of ['=(none)', `[is_not]=${value}`]) {
      await expectFound(PAYMENT_DAY, `${dimension}${condition}`, 0)
    }
    await expectFound(ALL_DAYS, `${dimension}=${value}`, 1)
    await expectFound(ALL_DAYS, `${dimension}=(none)`, 0)
    const query = `by=session&steps=${STEPS}&${PAYMENT_DAY}&dimension=${dimension}`
    const { rows } = await revenue.read(shop, `/stats/funnel?${query}`)
    expect(rows.map((row: Json) => [row.value, row.steps[0].count])).toEqual([
      [String(session[dimension]), 1],
    ])
  })

  test.each(EVERY)(
    'filters: without a session at its time, such a payment has an empty %s',
    async dimension => {
      for (const condition of ['=(none)', '[is_not]=zz', '[matches_regex]=^$', '[contains]=']) {
        await expectFound(LONELY_DAY, `${dimension}${condition}`, 1)
      }
      for (const condition of ['=zz', '[is_not]=(none)', '[matches_regex]=.']) {
        await expectFound(LONELY_DAY, `${dimension}${condition}`, 0)
      }
    },
  )
})
