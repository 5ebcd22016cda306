import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from './requests.ts'
import { ADA, BEN, CAI, DAY, hit, type Stats, type StatsSite, startStats, THAT_DAY } from './stats-site.ts'

let stats: Stats
let site: StatsSite
const read = (path: string) => stats.read(site, path)

/** Name, definition, and what it comes to: conversions, visitors, conversion rate. */
const GOALS: [string, Record<string, unknown>, number, number, number][] = [
  ['page', { match_type: 'page', match_value: '/docs/a' }, 2, 2, 66.7],
  ['page *', { match_type: 'page', match_value: '/docs/*' }, 3, 3, 100],
  ['page is', { match_type: 'page', match_value: '/docs/*', match_operator: 'is' }, 0, 0, 0],
  [
    'page regex',
    { match_type: 'page', match_value: '^/docs/[ab]$', match_operator: 'matches_regex' },
    3,
    3,
    100,
  ],
  ['page not', { match_type: 'page', match_value: 'docs', match_operator: 'does_not_contain' }, 1, 1, 33.3],
  ['scroll 50', { match_type: 'scroll', match_value: '/docs/*', scroll_threshold: 50 }, 1, 1, 33.3],
  ['scroll 51', { match_type: 'scroll', match_value: '/docs/*', scroll_threshold: 51 }, 0, 0, 0],
  ['scroll 0', { match_type: 'scroll', match_value: '/docs/a', scroll_threshold: 0 }, 2, 2, 66.7],
  ['event', { match_type: 'event', match_value: 'buy' }, 3, 2, 66.7],
  ['event props', { match_type: 'event', match_value: 'buy', custom_props: { plan: 'pro' } }, 1, 1, 33.3],
  ['event starts', { match_type: 'event', match_value: 'b', match_operator: 'starts_with' }, 3, 2, 66.7],
  ['event case', { match_type: 'event', match_value: 'Buy' }, 0, 0, 0],
  ['outbound', { match_type: 'outbound' }, 2, 1, 33.3],
  ['outbound #x', { match_type: 'outbound', match_value: '#x' }, 1, 1, 33.3],
  ['form', { match_type: 'form' }, 0, 0, 0],
]

beforeAll(async () => {
  stats = await startStats()
  site = await stats.site()
  const at = (time: string) => `${DAY}T${time}Z`
  const buy = { type: 'event', name: 'buy' } as const
  const out = { type: 'outbound', name: 'outbound' } as const
  const paid = (amountMinor: string, currency: string) => ({ revenue: { amountMinor, currency } })
  await stats.store([
    hit(site, at('09:00:00'), { visitorId: ADA, url: '/docs/a' }),
    hit(site, at('09:01:00'), {
      visitorId: ADA,
      type: 'engagement',
      url: '/docs/a',
      scroll: 50,
      engagedMs: 1,
    }),
    hit(site, at('09:02:00'), {
      visitorId: ADA,
      type: 'engagement',
      url: '/docs/a',
      scroll: 20,
      engagedMs: 1,
    }),
    hit(site, at('09:03:00'), { ...buy, ...paid('1000', 'USD'), visitorId: ADA, props: { plan: 'pro' } }),
    hit(site, at('09:04:00'), { ...buy, ...paid('500', 'USD'), visitorId: ADA }),
    hit(site, at('10:00:00'), { visitorId: BEN, url: '/docs/a' }, { country: 'DE' }),
    hit(site, at('10:01:00'), { ...buy, ...paid('700', 'EUR'), visitorId: BEN }),
    hit(site, at('11:00:00'), { visitorId: CAI, url: '/docs/b' }),
    hit(site, at('11:01:00'), { visitorId: CAI, url: '/other' }),
    hit(site, at('11:02:00'), { ...out, visitorId: CAI, props: { selector: '#x' } }),
    hit(site, at('11:03:00'), { ...out, visitorId: CAI, props: { selector: '#y' } }),
  ])
  for (const [display_name, body] of GOALS) await stats.goal(site, { ...body, display_name })
  await stats.goal(site, {
    ...{ match_type: 'event', match_value: 'buy', match_operator: 'contains' },
    ...{ display_name: 'revenue', currency: 'USD' },
  })
})
afterAll(() => stats.close())

describe('goal report', () => {
  test.each(GOALS)(
    'conversions of the goal "%s"',
    async (name, _, conversions, visitors, conversion_rate) => {
      const rows = await read(`/stats/goals?${THAT_DAY}`)
      expect(rows.find((row: { display_name: string }) => row.display_name === name)).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        display_name: name,
        ...{ conversions, visitors, conversion_rate },
        revenue: 0,
        currency: null,
      })
    },
  )

  test('revenue is the sum of what was reported in the currency of the goal', async () => {
    const rows = await read(`/stats/goals?${THAT_DAY}`)
    expect(rows.find((row: { display_name: string }) => row.display_name === 'revenue')).toMatchObject({
      ...{ conversions: 3, visitors: 2, revenue: 1500, currency: 'USD' },
    })
  })

  test('rows have the order of the list of goals and belong to the site', async () => {
    const rows = await read(`/stats/goals?${THAT_DAY}`)
    const { data } = await read('/goals?per_page=100')
    expect(rows.map((row: { id: string }) => row.id)).toEqual(data.map((goal: { id: string }) => goal.id))
    expect(await stats.read(await stats.site(), `/stats/goals?${THAT_DAY}`)).toEqual([])
  })

  test('filters apply', async () => {
    const rows = await read(`/stats/goals?${THAT_DAY}&country=DE`)
    const of = (name: string) => rows.find((row: { display_name: string }) => row.display_name === name)
    expect(of('page')).toMatchObject({ conversions: 1, visitors: 1 })
    expect(of('outbound')).toMatchObject({ conversions: 0, visitors: 0, conversion_rate: 0 })
    expect(of('revenue')).toMatchObject({ conversions: 1, revenue: 0 })
  })

  test('all numbers are zero outside of the range', async () => {
    for (const row of await read('/stats/goals?from=2026-01-01&to=2026-01-02'))
      expect(row).toMatchObject({ conversions: 0, visitors: 0, conversion_rate: 0, revenue: 0 })
  })

  test('conversions agree with the sessions that the goal filter keeps', async () => {
    for (const { id, visitors, display_name } of await read(`/stats/goals?${THAT_DAY}`)) {
      const overview = await read(`/overview?${THAT_DAY}&goal=${id}`)
      expect(overview.visitors, display_name).toBe(visitors)
    }
  })
})

test.each([
  ['in one statement', undefined],
  ['in slices', { hits: 2, shortestMs: 3_600_000 }],
])('goals: a payment of nobody known is a conversion without a visitor, read %s', async (_, slices) => {
  const shop = await stats.site()
  const { token } = stats.owner
  const send = (method: string, path: string, body: object) =>
    stats.api.call(method, `${shop.path}${path}`, { token, body })
  await send('PUT', '/processor', { provider: 'stripe', webhook_secret: 'whsec_test' })
  await send('POST', '/payments', {
    amount: 5,
    currency: 'USD',
    transaction_id: 'a',
    timestamp: `${DAY}T09:00:00Z`,
  })
  stats.api.services.slices = slices
  const rows: { id: string; display_name: string }[] = await stats.read(shop, `/stats/goals?${THAT_DAY}`)
  const paid = rows.find(row => row.display_name === 'payment')!
  expect(paid).toMatchObject({ conversions: 1, visitors: 0, conversion_rate: 0 })
  const overview = await stats.read(shop, `/overview?${THAT_DAY}&goal=${paid.id}`)
  stats.api.services.slices = undefined
  expect(overview).toMatchObject({ visitors: 0, payments: 0, conversion_rate: 0 })
})

test('goals: a replaced definition also applies to earlier hits', async () => {
  const id = await stats.goal(site, {
    match_type: 'event',
    match_value: 'buy',
    display_name: 'changing',
    match_operator: 'ends_with',
  })
  const conversions = async () =>
    (await read(`/stats/goals?${THAT_DAY}`)).find((row: { id: string }) => row.id === id).conversions
  expect(await conversions()).toBe(3)
  const body = { match_type: 'page', match_value: '/other', display_name: 'changing' }
  const changed = await stats.api.call('PATCH', `${site.path}/goals/${id}`, {
    token: stats.owner.token,
    body,
  })
  expect(changed.status).toBe(200)
  expect(await conversions()).toBe(1)
})

test.each([
  'x',
  "'",
  '%00',
  '%27%20or%201=1',
  '__proto__',
  '1',
  '%ED%A0%80',
  '🙂',
  '0'.repeat(3_000),
  randomUUID(),
])('goals: the id %s in a path gives 404', async id => {
  const path = `${site.path}/goals/${id === '🙂' ? encodeURIComponent(id) : id}`
  for (const method of ['PATCH', 'DELETE']) {
    const answer = await stats.api.call(method, path, { token: stats.owner.token, body: {} })
    expect([404, ...(id.startsWith('%ED') ? [400] : [])]).toContain(answer.status)
    expect(answer.body.code).toMatch(/not_found|bad_request/)
  }
})

test('property breakdown: at most 50 rows, those with most visitors first', async () => {
  const other = await stats.site()
  const props = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, 'v']))
  const event = { type: 'event', name: 'many' } as const
  await stats.store([
    hit(other, `${DAY}T09:00:00Z`, { ...event, visitorId: ADA, props }),
    hit(other, `${DAY}T09:00:01Z`, { ...event, visitorId: BEN, props: { zz: '__proto__', k7: 'v' } }),
    hit(other, `${DAY}T09:00:02Z`, {
      ...event,
      visitorId: BEN,
      props: { zz: '__proto__', constructor: 'v' },
    }),
    hit(other, `${DAY}T09:00:03Z`, { ...event, visitorId: CAI, props: { zz: '__proto__', k7: 'v' } }),
  ])
  const path = '/stats/events/property-breakdown?event_type=event&event_name=many'
  const { rows } = await stats.read(other, `${path}&${THAT_DAY}`)
  expect(rows).toHaveLength(50)
  expect(rows.slice(0, 2)).toEqual([
    { key: 'k7', value: 'v', visitors: 3 },
    { key: 'zz', value: '__proto__', visitors: 2 },
  ])
  expect(rows[2]).toEqual({ key: 'constructor', value: 'v', visitors: 1 })
})

test.each(['visitor', '', 'kpi', 'conversion_rate', '__proto__', 'VISITORS'])(
  'no metric "%s"',
  async metric => {
    const answer = await stats.ask(`${site.path}/stats/timeseries?${THAT_DAY}&metric=${metric}`)
    expectError(answer, 422, 'validation_failed')
    expect(answer.json.errors).toHaveProperty('metric')
  },
)
