import { afterAll, beforeAll, expect, test } from 'vitest'
import { DIMENSIONS, isInSessionRow } from '../../src/dimensions/dimensions.ts'
import { type Revenue, startRevenue } from './revenue-shop.ts'
import { ADA, hit, type StatsSite } from './stats-site.ts'

const TODAY = 'from=2026-03-18&to=2026-03-18'
/** Those that only the row of the session has, and one that each hit has, too. */
const SESSION_DIMENSIONS = [...DIMENSIONS.filter(isInSessionRow), 'country']

let revenue: Revenue
let site: StatsSite

/** A session with a value for every dimension, and a payment that no visitor made. */
beforeAll(async () => {
  revenue = await startRevenue()
  site = await revenue.shop()
  const page = {
    visitorId: ADA,
    url: '/home',
    title: 'Home',
    language: 'de',
    screenWidth: 9,
    screenHeight: 9,
  }
  const ofSession = {
    ...{ source: 'Google', channel: 'Email', referrerPage: 'google.com/', size: 'mobile' as const },
    ...{ utmSource: 's', utmMedium: 'm', utmCampaign: 'c', utmContent: 'o', utmTerm: 't' },
    ...{ browserName: 'Chrome', browserFullVersion: '1', osName: 'macOS', osFullVersion: '2' },
    ...{ country: 'DE', region: 'DE-BE', city: 'Berlin' },
  }
  await revenue.store([
    hit(site, '2026-03-18T11:50:00Z', page, ofSession),
    hit(site, '2026-03-18T11:51:00Z', { visitorId: ADA, type: 'identify', identity: { identifier: 'u' } }),
  ])
  expect((await revenue.pay(site, { timestamp: '2026-03-18T11:55:00Z' })).status).toBe(201)
})
afterAll(() => revenue.close())

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
