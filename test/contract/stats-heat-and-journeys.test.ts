import { expect, test } from 'vitest'
import { ADA, BEN, DAY, hit, type StatsSite, THAT_DAY, useStats } from './stats-site.ts'

// Every number: test/stats/heat/recount.test.ts, journeys/recount.test.ts and cohorts/recount.test.ts.

let site: StatsSite
const stats = useStats(async () => {
  site = await stats.site()
  const at = (time: string) => `${DAY}T${time}Z`
  const read = (at: string, visitorId: string, scroll: number, engagedMs: number) =>
    hit(site, at, { type: 'engagement', url: '/a', visitorId, scroll, engagedMs })
  const button = { type: 'button', name: 'button', url: '/a', visitorId: ADA } as const
  await stats.store([
    hit(site, at('09:00:00'), { url: '/a?x=1', title: 'A', visitorId: ADA }),
    read(at('09:00:10'), ADA, 40, 5_000),
    hit(site, at('09:00:20'), { ...button, props: { selector: '#buy', text: 'Buy' } }),
    hit(site, at('09:00:25'), { type: 'copy', name: 'copy', url: '/b', visitorId: ADA, props: {} }),
    read(at('09:00:30'), ADA, 75, 2_500),
    hit(site, at('10:00:00'), { url: '/a', title: 'A', visitorId: BEN }),
    // Its engagement comes after the day.
    hit(site, at('23:59:00'), { url: '/a', title: 'Late', visitorId: BEN }),
    read('2026-03-11T00:10:00Z', BEN, 100, 60_000),
  ])
})

test('clicks: path and types narrow them, over REST and tRPC', async () => {
  const clicks = (query: string) => stats.read(site, `/stats/clicks?${THAT_DAY}&${query}`)
  const once = { clicks: 1, sessions: 1, visitors: 1 }
  const buy = { event_type: 'button', selector: '#buy', target: null, ...once }
  const copy = { event_type: 'copy', selector: null, target: null, ...once }
  expect((await clicks('')).data).toMatchObject([buy, copy])
  expect((await clicks('path=/b')).data).toEqual([{ ...copy, share: 100 }])
  expect((await clicks('types=copy&types=outbound')).data).toMatchObject([copy])
  const input = { siteKey: site.id, from: DAY, to: DAY, types: ['button'], path: '/a' }
  expect((await stats.client.stats.clicks.query(input)).data).toEqual([{ ...buy, share: 33.33 }])
})

test('scroll: counts pageviews by their deepest scroll, with engagement from after the range', async () => {
  const scroll = (path: string) =>
    stats.read(site, `/stats/scroll?${THAT_DAY}&path=${encodeURIComponent(path)}`)
  const report = await scroll('/a')
  const engaged = { engaged_pageviews: 2, scroll_depth: 87.5, median_engaged_seconds: 33.75 }
  expect(report).toMatchObject({ pageviews: 3, ...engaged })
  expect(report.reached).toHaveLength(20)
  expect(report.reached[15]).toEqual({ depth: 80, pageviews: 1, share: 50 })
  const input = { siteKey: site.id, from: DAY, to: DAY, path: '/a' }
  expect(await stats.client.stats.scroll.query(input)).toEqual(report)
  const none = { engaged_pageviews: 0, scroll_depth: null, median_engaged_seconds: null }
  for (const path of ['/b', "/x'; drop table events --", '/%00', '(none)', '%25', 'é'.repeat(2_048)])
    expect(await scroll(path), path).toMatchObject({ pageviews: 0, ...none })
})

const OF_ONE_DAY = '0b5ad3a4-56f4-8e0c-9c1b-1d5a35f1a001'
const RANGE = 'from=2026-03-02&to=2026-03-08'

test('journeys: steps have nodes, and links by the places of nodes', async () => {
  const { direction, steps } = await stats.read(site, `/stats/journeys?${THAT_DAY}&starting_at=/a&steps=1`)
  expect(direction).toBe('from')
  const value = { kind: 'value', value: '/a', sessions: 3 }
  const end = { kind: 'end', value: null, sessions: 3 }
  expect(steps).toEqual([
    { step: 0, sessions: 3, nodes: [value], links: [] },
    { step: 1, sessions: 0, nodes: [end], links: [{ from: 0, to: 0, sessions: 3 }] },
  ])
  expect((await stats.read(site, `/stats/journeys?${THAT_DAY}&starting_at=/no`)).steps).toEqual([])
})

test('retention: counts who is recognized, and says why not where nobody is', async () => {
  const site = await stats.site('Europe/Berlin')
  const view = (at: string, visitorId: string) =>
    hit(site, `${at}T10:00:00Z`, { type: 'pageview', visitorId, url: '/' })
  await stats.store([view('2026-03-02', OF_ONE_DAY)])
  const path = `/stats/retention?${RANGE}`
  const nobody = await stats.read(site, path)
  expect(nobody).toMatchObject({ available: false, left_out: 1, cohorts: [] })
  expect(nobody.why_not).toContain('cookieless')
  await stats.store([view('2026-03-03', ADA), view('2026-03-04', BEN), view('2026-03-10', ADA)])
  const cohort = { label: '2026-03-02T00:00:00+01:00', size: 2, base: 2 }
  expect(await stats.read(site, path)).toEqual({
    ...{ available: true, why_not: null, cohort: 'first_visit', measure: 'visitors', period: 'week' },
    left_out: 1,
    cohorts: [
      {
        ...cohort,
        periods: [
          { period: 1, value: 1, rate: 50, is_complete: true },
          { period: 2, value: 0, rate: 0, is_complete: false },
        ],
      },
    ],
  })
})
