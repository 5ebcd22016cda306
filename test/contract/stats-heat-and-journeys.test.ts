import { expect, test } from 'vitest'
import { ADA, BEN, CAI, DAY, hit, type StatsSite, THAT_DAY, useStats } from './stats-site.ts'

let site: StatsSite
const stats = useStats(async () => {
  site = await stats.site()
  const at = (time: string) => `${DAY}T${time}Z`
  const click = (time: string, visitorId: string, type: 'outbound' | 'button' | 'copy', props = {}) =>
    hit(site, at(time), { type, name: type, url: type === 'copy' ? '/b' : '/a', visitorId, props })
  const buy = { selector: '#buy', text: 'Buy' }
  const link = { selector: 'a.nav', url: 'https://example.org/' }
  const seen = { type: 'engagement', url: '/a' } as const
  const read = (time: string, visitorId: string, scroll: number, engagedMs: number) =>
    hit(site, at(time), { ...seen, visitorId, scroll, engagedMs })
  await stats.store([
    hit(site, at('09:00:00'), { url: '/a?x=1', title: 'A', visitorId: ADA }),
    read('09:00:10', ADA, 40, 5_000),
    click('09:00:20', ADA, 'button', buy),
    click('09:00:21', ADA, 'button', buy),
    click('09:00:22', ADA, 'outbound', link),
    read('09:00:30', ADA, 75, 2_500),
    hit(site, at('10:00:00'), { url: '/a', title: 'A', visitorId: BEN }),
    read('10:00:05', BEN, 4, 1),
    click('10:00:10', BEN, 'button', { ...buy, text: 'Buy now' }),
    hit(site, at('11:00:00'), { url: '/a', title: 'A', visitorId: CAI }),
    click('11:01:00', CAI, 'copy'),
    // Its engagement comes after the day.
    hit(site, at('23:59:00'), { url: '/a', title: 'Late', visitorId: CAI }),
    hit(site, '2026-03-11T00:10:00Z', { ...seen, visitorId: CAI, scroll: 100, engagedMs: 60_000 }),
  ])
})

const clicks = (query = '') => stats.read(site, `/stats/clicks?${THAT_DAY}&${query}`)
const scroll = (query: string) => stats.read(site, `/stats/scroll?${THAT_DAY}&${query}`)

const BUY = { event_type: 'button', selector: '#buy', target: null, clicks: 3, sessions: 2, visitors: 2 }
const LINK = { event_type: 'outbound', selector: 'a.nav', target: 'https://example.org/' }
const once = { clicks: 1, sessions: 1, visitors: 1 }
const COPY = { event_type: 'copy', selector: null, target: null, ...once }

test('clicks: rows by type, element and target, with the share of the sessions that saw a page', async () => {
  const { data, meta } = await clicks()
  expect(data).toEqual([
    { ...BUY, share: 50 },
    { ...COPY, share: 25 },
    { ...LINK, ...once, share: 25 },
  ])
  expect(meta.total).toBe(3)
  expect((await clicks('per_page=1&page=2')).data).toEqual([{ ...COPY, share: 25 }])
  expect(await clicks('page=9007199254740')).toMatchObject({ data: [], meta: { total: 3 } })
})

test('clicks: path, types and filters narrow them, over REST and tRPC', async () => {
  expect((await clicks('path=/b')).data).toEqual([{ ...COPY, share: 100 }])
  expect((await clicks('path=/a&types=outbound,copy')).data).toEqual([{ ...LINK, ...once, share: 25 }])
  expect((await clicks('types=copy&types=outbound')).meta.total).toBe(2)
  // Sessions with such a hit: of Ada and Ben.
  expect((await clicks('prop_key=selector&prop_value=%23buy')).data).toEqual([{ ...BUY, share: 100 }])
  const input = { siteKey: site.id, from: DAY, to: DAY, types: ['button'], path: '/a' }
  expect((await stats.client.stats.clicks.query(input)).data).toEqual([{ ...BUY, share: 50 }])
})

test('scroll: counts pageviews by their deepest scroll, with engagement from after the range', async () => {
  const report = await scroll('path=/a')
  const engaged = { engaged_pageviews: 3, scroll_depth: 59.67, median_engaged_seconds: 7.5 }
  expect(report).toMatchObject({ pageviews: 4, ...engaged })
  expect(report.reached).toHaveLength(20)
  expect(report.reached.filter(({ depth }: { depth: number }) => [5, 75, 80, 100].includes(depth))).toEqual([
    { depth: 5, pageviews: 2, share: 66.67 },
    { depth: 75, pageviews: 2, share: 66.67 },
    { depth: 80, pageviews: 1, share: 33.33 },
    { depth: 100, pageviews: 1, share: 33.33 },
  ])
  expect(await scroll('path=/a&title=A')).toMatchObject({ pageviews: 3, scroll_depth: 39.5 })
  const input = { siteKey: site.id, from: DAY, to: DAY, path: '/a' }
  expect(await stats.client.stats.scroll.query(input)).toEqual(report)
})

test('scroll: a path without pageviews, or without engagement, has no mean and no median', async () => {
  const none = { engaged_pageviews: 0, scroll_depth: null, median_engaged_seconds: null }
  for (const path of ['/b', "/x'; drop table events --", '/%00', '(none)', '%25', 'é'.repeat(2_048)]) {
    const report = await scroll(`path=${encodeURIComponent(path)}`)
    expect(report, path).toMatchObject({ pageviews: 0, ...none })
    expect(report.reached[0]).toEqual({ depth: 5, pageviews: 0, share: 0 })
  }
})

const OF_ONE_DAY = '0b5ad3a4-56f4-8e0c-9c1b-1d5a35f1a001'
const RANGE = 'from=2026-03-02&to=2026-03-08'

test('journeys: steps from and to a page, over REST and tRPC', async () => {
  const site = await stats.site()
  const view = (at: string, visitorId: string, url: string) =>
    hit(site, `2026-03-03T${at}Z`, { type: 'pageview', visitorId, url })
  await stats.store([
    view('10:00:00', ADA, '/'),
    view('10:01:00', ADA, '/'),
    view('10:02:00', ADA, '/docs'),
    view('10:03:00', ADA, '/pricing'),
    view('11:00:00', BEN, '/'),
  ])
  const { steps } = await stats.read(site, `/stats/journeys?${RANGE}&starting_at=/&branches=1`)
  const value = (of: string, sessions = 1) => ({ kind: 'value', value: of, sessions })
  const end = { kind: 'end', value: null, sessions: 1 }
  const link = { from: 0, to: 0, sessions: 1 }
  expect(steps).toEqual([
    { step: 0, sessions: 2, nodes: [value('/', 2)], links: [] },
    { step: 1, sessions: 1, nodes: [value('/docs'), end], links: [link, { ...link, to: 1 }] },
    { step: 2, sessions: 1, nodes: [value('/pricing')], links: [link] },
    { step: 3, sessions: 0, nodes: [end], links: [link] },
  ])
  const back = await stats.read(site, `/stats/journeys?${RANGE}&ending_at=/docs&steps=1`)
  expect(back.direction).toBe('to')
  expect(back.steps[1].nodes).toEqual([{ kind: 'value', value: '/', sessions: 1 }])
  const query = { siteKey: site.id, from: '2026-03-02', to: '2026-03-08', ending_at: '/docs', steps: 1 }
  expect(await stats.client.stats.journeys.query(query)).toEqual(back)
  expect((await stats.read(site, `/stats/journeys?${RANGE}&starting_at=/no`)).steps).toEqual([])
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
