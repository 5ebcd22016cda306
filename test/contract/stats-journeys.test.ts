import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADA, BEN, hit, type Stats, startStats } from './stats-site.ts'

let stats: Stats
beforeAll(async () => {
  stats = await startStats()
})
afterAll(() => stats.close())

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

test.each([
  ['journeys', 'by=path', 'starting_at'],
  ['journeys', 'starting_at=/&ending_at=/', 'ending_at'],
  ['journeys', 'starting_at=', 'starting_at'],
  ['journeys', `starting_at=${'a'.repeat(2_049)}`, 'starting_at'],
  ['journeys', 'starting_at=/&by=country', 'by'],
  ['journeys', 'starting_at=/&steps=9', 'steps'],
  ['journeys', 'starting_at=/&steps=0', 'steps'],
  ['journeys', 'starting_at=/&branches=21', 'branches'],
  ['retention', 'cohort=country', 'cohort'],
  ['retention', 'cohort=goal', 'cohort_goal'],
  ['retention', 'cohort=goal&cohort_goal=1', 'cohort_goal'],
  ['retention', 'cohort=goal&cohort_goal=7b5ad3a4-56f4-4e0c-9c1b-1d5a35f1a001', 'cohort_goal'],
  ['retention', 'cohort_goal=7b5ad3a4-56f4-4e0c-9c1b-1d5a35f1a001', 'cohort_goal'],
  ['retention', 'measure=mrr', 'measure'],
  ['retention', 'cohort=payment&measure=visitors', 'measure'],
  ['retention', 'periods=53', 'periods'],
  ['retention', 'period=year', 'period'],
  ['retention', 'period=day&from=2026-01-01&to=2026-04-11', 'period'],
  ['retention', 'period=month&from=1970-01-01&to=9998-12-31', 'period'],
])('%s: ?%s is refused', async (read, query, field) => {
  const site = await stats.site()
  const answer = await stats.ask(`${site.path}/stats/${read}?${query}`)
  expect(answer.status, answer.text).toBe(422)
  expect(Object.keys(answer.json.errors)).toContain(field)
})
