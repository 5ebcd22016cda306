import { expect, test } from 'vitest'
import { DAY, hit, type StatsSite, THAT_DAY, useStats } from './stats-site.ts'

let site: StatsSite
let goal: string

const visitor = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const read = (query: string) => stats.read(site, `/stats/breakdown?${THAT_DAY}&${query}`)
const valuesOf = async (query: string): Promise<string[]> =>
  (await read(query)).data.map(({ value }: { value: string }) => value)

const stats = useStats(async () => {
  site = await stats.site()
  goal = await stats.goal(site, { match_type: 'event', match_value: 'signup' })
  const view = (number: number, time: string, url: string, source = '') =>
    hit(site, `${DAY}T${time}Z`, { url, title: '', visitorId: visitor(number) }, { source })
  await stats.store([
    view(1, '09:00:00', '/Über', 'Google'),
    hit(site, `${DAY}T09:00:30Z`, {
      ...{ type: 'engagement', url: '/Über', visitorId: visitor(1), scroll: 40, engagedMs: 4_000 },
    }),
    view(1, '09:01:00', '/a.c', 'Google'),
    hit(site, `${DAY}T09:02:00Z`, { type: 'event', name: 'signup', url: '/a.c', visitorId: visitor(1) }),
    view(2, '10:00:00', '/abc', 'Bing'),
    view(3, '10:00:00', '/abc', 'Bing'),
    view(4, '10:00:00', '/b', ''),
    hit(site, '2026-03-09T10:00:00Z', { url: '/b', title: '', visitorId: visitor(4) }),
  ])
  // A payment of the first visitor, attributed to the session.
  await stats.api.services.db`
    insert into revenue (site_no, at, payment_id, currency, amount_minor, is_recurring, session_no, session_at)
    select site_no, last_at, gen_random_uuid(), 'USD', 500, false, session_no, started_at
    from sessions
    where site_no = ${site.siteNo} and source = 'Google'`
})

test('breakdown: a row of a path has exactly these fields, with the goal and the compared period too', async () => {
  const { data, comparison } = await read(
    `dimension=path&search=${encodeURIComponent('ÜBER')}&conversion_goal=${goal}&compare=previous`,
  )
  const none = { visitors: 0, sessions: 0, pageviews: 0, views_per_visit: 0, bounce_rate: 0 }
  const noMoney = { revenue: 0, mrr: 0, revenue_per_visitor: 0 }
  expect(data).toEqual([
    {
      ...{ value: '/Über', visitors: 1, sessions: 1, pageviews: 1, views_per_visit: 1, bounce_rate: 0 },
      ...{ avg_session_seconds: 120, time_on_page_seconds: 4, scroll_depth: 40 },
      ...{ converting_visitors: 1, conversion_rate: 100, revenue: 500, mrr: 0, revenue_per_visitor: 500 },
      previous: {
        ...{ ...none, avg_session_seconds: 0, time_on_page_seconds: null, scroll_depth: null },
        ...{ converting_visitors: 0, conversion_rate: 0, ...noMoney },
      },
    },
  ])
  expect(comparison).toMatchObject({ from: '2026-03-09', to: '2026-03-09' })
})

test('breakdown: searches for special characters as they are, from rollups and from rows', async () => {
  for (const search of ['[', '\\', '(?i)x', '***=', '^$', '%', '_', '😀', 'a{99999}', '-', 'ſK']) {
    const query = `dimension=path&search=${encodeURIComponent(search)}`
    expect(await valuesOf(query)).toEqual([])
    expect(await valuesOf(`${query}&browser[is_not]=none`)).toEqual([])
  }
})
