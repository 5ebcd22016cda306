import { beforeAll, describe, expect, test } from 'vitest'
import { sweep } from '../support/runs.ts'
import { teammate } from '../support/teammates.ts'
import { type Answer, expectError } from './requests.ts'
import { ADA, BEN, CAI, DAY, hit, type StatsSite, THAT_DAY, useStats } from './stats-site.ts'

const stats = useStats()

const pathOf = (definition: unknown, query = THAT_DAY) =>
  `/stats/goal-preview?${query}&definition=${encodeURIComponent(JSON.stringify(definition))}`
const preview = (site: StatsSite, definition: unknown, query = THAT_DAY) =>
  stats.read(site, pathOf(definition, query))

const goal = (match_type: string, match_value?: string, match_operator?: string, fields: object = {}) => ({
  match_type,
  ...(match_value !== undefined && { match_value }),
  ...(match_operator !== undefined && { match_operator }),
  ...fields,
})
const scroll = (match_value: string, scroll_threshold: number, match_operator?: string) =>
  goal('scroll', match_value, match_operator, { scroll_threshold })
const REVENUE_GOAL = goal('event', 'b', 'starts_with', { currency: 'USD' })

/** Definitions, and what each comes to on the day in UTC: conversions, visitors, conversion rate, and the values that converted. */
const GOALS: [definition: object, conversions: number, visitors: number, rate: number, examples: string][] = [
  [goal('page', 'docs/a'), 3, 2, 66.7, '/docs/a 3'],
  [goal('page', '/docs/*'), 4, 3, 100, '/docs/a 3, /docs/b 1'],
  [goal('page', '/docs/*', 'is'), 0, 0, 0, ''],
  [goal('page', '/docs/a', 'is_not'), 2, 1, 33.3, '/docs/b 1, /other 1'],
  [goal('page', '/docs', 'does_not_contain'), 1, 1, 33.3, '/other 1'],
  [goal('page', '/b', 'contains'), 1, 1, 33.3, '/docs/b 1'],
  [goal('page', '/docs', 'starts_with'), 4, 3, 100, '/docs/a 3, /docs/b 1'],
  [goal('page', '^/docs/[ab]$', 'matches_regex'), 4, 3, 100, '/docs/a 3, /docs/b 1'],
  [scroll('/docs/**', 50), 2, 2, 66.7, '/docs/a 1, /docs/b 1'],
  [scroll('/docs/a', 51), 0, 0, 0, ''],
  [scroll('/', 0, 'contains'), 5, 3, 100, '/docs/a 3, /docs/b 1, /other 1'],
  [goal('event', 'buy'), 3, 2, 66.7, 'buy 3'],
  [goal('event', 'Buy'), 0, 0, 0, ''],
  [goal('event', 'buy', 'is', { custom_props: { plan: 'pro' } }), 1, 1, 33.3, 'buy 1'],
  [REVENUE_GOAL, 4, 2, 66.7, 'buy 3, browse 1'],
  [goal('event', 'buy', 'does_not_contain'), 1, 1, 33.3, 'browse 1'],
  [goal('outbound'), 4, 1, 33.3, '#x 2, (none) 1, #y 1'],
  [goal('outbound', undefined, 'is_not'), 4, 1, 33.3, '#x 2, (none) 1, #y 1'],
  [goal('outbound', '#', 'starts_with'), 3, 1, 33.3, '#x 2, #y 1'],
  [goal('download', '.pdf', 'ends_with'), 1, 1, 33.3, 'a.pdf 1'],
  [goal('button', '#go', 'is'), 1, 1, 33.3, '#go 1'],
  [goal('form'), 1, 1, 33.3, 'form.search 1'],
  [goal('copy', 'nothing'), 0, 0, 0, ''],
]

/** Hits around both midnights of the day in either zone. */
async function storeDay(site: StatsSite): Promise<void> {
  const at = (time: string, day = DAY) => `${day}T${time}Z`
  const buy = { type: 'event', name: 'buy' } as const
  const click = (type: 'outbound' | 'download' | 'button' | 'form', selector?: string) => ({
    ...{ type, name: type, visitorId: CAI },
    ...(selector !== undefined && { props: { selector } }),
  })
  const paid = (amountMinor: string, currency: string) => ({ revenue: { amountMinor, currency } })
  const scrolled = { type: 'engagement', engagedMs: 1 } as const
  const german = { country: 'DE' }
  await stats.store([
    hit(site, at('02:00:00'), { visitorId: ADA, url: '/docs/a' }),
    hit(site, at('02:00:30'), { ...buy, visitorId: ADA }),
    hit(site, at('09:00:00'), { visitorId: ADA, url: '/docs/a' }),
    hit(site, at('09:01:00'), { ...scrolled, visitorId: ADA, url: '/docs/a', scroll: 50 }),
    hit(site, at('09:02:00'), { ...scrolled, visitorId: ADA, url: '/docs/a', scroll: 20 }),
    hit(site, at('09:03:00'), { ...buy, ...paid('1000', 'USD'), visitorId: ADA, props: { plan: 'pro' } }),
    hit(site, at('10:00:00'), { visitorId: BEN, url: '/docs/a' }, german),
    hit(site, at('10:01:00'), { ...buy, ...paid('700', 'EUR'), visitorId: BEN }, german),
    hit(site, at('10:02:00'), { type: 'event', name: 'browse', visitorId: BEN }, german),
    hit(site, at('11:00:00'), { visitorId: CAI, url: '/docs/b' }),
    hit(site, at('11:00:30'), { ...scrolled, visitorId: CAI, url: '/docs/b', scroll: 100 }),
    hit(site, at('11:01:00'), { visitorId: CAI, url: '/other' }),
    hit(site, at('11:02:00'), click('outbound', '#x')),
    hit(site, at('11:02:10'), click('outbound', '#x')),
    hit(site, at('11:03:00'), click('outbound', '#y')),
    hit(site, at('11:04:00'), click('outbound')),
    hit(site, at('11:05:00'), click('download', 'a.pdf')),
    hit(site, at('11:06:00'), click('button', '#go')),
    hit(site, at('11:07:00'), click('form', 'form.search')),
    hit(site, at('03:00:00', '2026-03-11'), { visitorId: BEN, url: '/docs/c' }, german),
    hit(site, at('03:01:00', '2026-03-11'), { ...buy, visitorId: BEN }, german),
  ])
}

interface Preview {
  values: number
  examples: { value: string; conversions: number }[]
}

describe.each(sweep(['UTC', 'America/Los_Angeles']))('goal report: on a site in %s', zone => {
  let site: StatsSite
  beforeAll(async () => {
    site = await stats.site(zone)
    await storeDay(site)
  })

  test('a preview equals the report once the goal exists, with and without filters', {
    tags: ['full'],
  }, async () => {
    const days = [THAT_DAY, 'from=2026-03-09&to=2026-03-11']
    const filtered = [`${THAT_DAY}&country=DE`, `${THAT_DAY}&path[contains]=docs`, 'range=today']
    const queries = zone === 'UTC' ? [...days, ...filtered] : days
    const before = new Map<string, Preview[]>()
    for (const query of queries) {
      const answers: Preview[] = []
      for (const [definition] of GOALS) answers.push(await preview(site, definition, query))
      before.set(query, answers)
    }
    expect((await stats.read(site, '/goals')).meta.total).toBe(0)
    const ids: string[] = []
    for (const [index, [definition]] of GOALS.entries()) {
      ids.push(await stats.goal(site, { ...definition, display_name: `goal ${index}` }))
    }
    for (const query of queries) {
      const rows = await stats.read(site, `/stats/goals?${query}`)
      for (const [index, goalId] of ids.entries()) {
        const [definition, conversions, visitors, conversion_rate, converted] = GOALS[index]!
        const found = rows.find(({ id }: { id: string }) => id === goalId)
        const { id: _, display_name: __, ...row } = found
        const { values, examples, ...previewed } = before.get(query)![index]!
        const what = `${query} ${JSON.stringify(definition)}`
        expect(previewed, what).toEqual(row)
        const listed = examples.reduce((sum, example) => sum + example.conversions, 0)
        expect([listed, values], what).toEqual([row.conversions, examples.length])
        if (zone !== 'UTC' || query !== THAT_DAY) continue
        const [revenue, currency] = definition === REVENUE_GOAL ? [1_000, 'USD'] : [0, null]
        const numbers = { conversions, visitors, conversion_rate, revenue, currency }
        expect(found, what).toEqual({ id: goalId, display_name: `goal ${index}`, ...numbers })
        const shown = examples.map(example => `${example.value} ${example.conversions}`)
        expect(shown.join(', '), what).toBe(converted)
      }
    }
    const rows = await stats.read(site, `/stats/goals?${THAT_DAY}`)
    const { data } = await stats.read(site, '/goals?per_page=100')
    expect(rows.map((row: { id: string }) => row.id)).toEqual(data.map((row: { id: string }) => row.id))
    expect(await stats.read(await stats.site(), `/stats/goals?${THAT_DAY}`)).toEqual([])
  })
})

test('goal preview: at most ten values, and the number of all', { tags: ['full'] }, async () => {
  const many = await stats.site()
  const pages = Array.from({ length: 12 }, (_, index) => `/p/${String(index).padStart(2, '0')}`)
  await stats.store(
    [...pages, '/p/11'].map((url, index) =>
      hit(many, `${DAY}T09:00:${String(index).padStart(2, '0')}Z`, { visitorId: ADA, url }),
    ),
  )
  const { values, examples } = await preview(many, goal('page', '/p/*'))
  expect(values).toBe(12)
  expect(examples.map(({ value }: { value: string }) => value)).toEqual(['/p/11', ...pages.slice(0, 9)])
})

test('goal preview: tRPC takes the definition as an object, and viewers may ask, too', async () => {
  const site = await stats.site()
  await storeDay(site)
  const input = { siteKey: site.id, from: DAY, to: DAY, definition: { match_type: 'form' } } as const
  const answer = await stats.client.stats.goalPreview.query(input)
  expect(answer.examples).toEqual([{ value: 'form.search', conversions: 1 }])
  const viewer = await teammate(stats.api, { teamId: stats.owner.teamId, role: 'viewer' })
  expect((await viewer.ask('GET', `${site.path}${pathOf(input.definition)}`)).body).toEqual(answer)
})

const connect = (site: StatsSite) =>
  stats.api.call('PUT', `${site.path}/processor`, {
    token: stats.owner.token,
    body: { provider: 'stripe', webhook_secret: 'whsec_test' },
  })

test('goal preview: a goal with a reserved name can be previewed where the site has it', async () => {
  const shop = await stats.site()
  const payment = goal('event', 'payment')
  expectRefused(await stats.ask(`${shop.path}${pathOf(payment)}`), 'definition.match_value')
  await connect(shop)
  expect(await preview(shop, payment)).toMatchObject({ conversions: 0, examples: [] })
})

// Every wrong definition: test/stats/goals/definition.test.ts.
test('goal preview: a wrong definition is refused with its field', async () => {
  const site = await stats.site()
  for (const [definition, field] of [
    [{}, 'definition.match_type'],
    [goal('scroll', '/'), 'definition.scroll_threshold'],
    ['page', 'definition'],
    [null, 'definition'],
    [[], 'definition'],
  ] as const) {
    expectRefused(await stats.ask(`${site.path}${pathOf(definition)}`), field)
  }
  for (const query of ['', '&definition=', '&definition={', '&definition={}&definition={}']) {
    expectRefused(await stats.ask(`${site.path}/stats/goal-preview?${THAT_DAY}${query}`), 'definition')
  }
})

function expectRefused(answer: Answer, field: string): void {
  expectError(answer, 422, 'validation_failed')
  expect(Object.keys(answer.json.errors)).toEqual([field])
}

test('goals: a payment of nobody known is a conversion without a visitor', async () => {
  const shop = await stats.site()
  await connect(shop)
  await stats.api.call('POST', `${shop.path}/payments`, {
    token: stats.owner.token,
    body: { amount: 5, currency: 'USD', transaction_id: 'a', timestamp: `${DAY}T09:00:00Z` },
  })
  const rows: { id: string; display_name: string }[] = await stats.read(shop, `/stats/goals?${THAT_DAY}`)
  const paid = rows.find(row => row.display_name === 'payment')!
  expect(paid).toMatchObject({ conversions: 1, visitors: 0, conversion_rate: 0 })
  const overview = await stats.read(shop, `/overview?${THAT_DAY}&goal=${paid.id}`)
  expect(overview).toMatchObject({ visitors: 0, payments: 0, conversion_rate: 0 })
})
