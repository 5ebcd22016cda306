import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { teammate } from '../support/teammates.ts'
import { type Answer, expectError } from './requests.ts'
import { ADA, BEN, CAI, DAY, hit, type Stats, type StatsSite, startStats, THAT_DAY } from './stats-site.ts'

let stats: Stats
beforeAll(async () => {
  stats = await startStats()
})
afterAll(() => stats.close())

const preview = (site: StatsSite, definition: unknown, query = THAT_DAY) =>
  stats.read(site, pathOf(definition, query))
const pathOf = (definition: unknown, query = THAT_DAY) =>
  `/stats/goal-preview?${query}&definition=${encodeURIComponent(JSON.stringify(definition))}`

/** Definitions of each type, with each operator. */
const DEFINITIONS: Record<string, unknown>[] = [
  { match_type: 'page', match_value: 'docs/a' },
  { match_type: 'page', match_value: '/docs/*' },
  { match_type: 'page', match_value: '/docs/*', match_operator: 'is' },
  { match_type: 'page', match_value: '/docs/a', match_operator: 'is_not' },
  { match_type: 'page', match_value: '/ocs', match_operator: 'contains' },
  { match_type: 'page', match_value: '/docs', match_operator: 'starts_with' },
  { match_type: 'page', match_value: '^/docs/[ab]$', match_operator: 'matches_regex' },
  { match_type: 'scroll', match_value: '/docs/**', scroll_threshold: 50 },
  { match_type: 'scroll', match_value: '/docs/a', scroll_threshold: 51 },
  { match_type: 'scroll', match_value: '/', match_operator: 'contains', scroll_threshold: 0 },
  { match_type: 'event', match_value: 'buy' },
  { match_type: 'event', match_value: 'buy', custom_props: { plan: 'pro' } },
  { match_type: 'event', match_value: 'b', match_operator: 'starts_with', currency: 'USD' },
  { match_type: 'event', match_value: 'buy', match_operator: 'does_not_contain' },
  { match_type: 'outbound' },
  { match_type: 'outbound', match_value: '#', match_operator: 'starts_with' },
  { match_type: 'download', match_value: '.pdf', match_operator: 'ends_with' },
  { match_type: 'button', match_value: '#go', match_operator: 'is' },
  { match_type: 'form' },
  { match_type: 'copy', match_value: 'nothing' },
]

/** Hits around both midnights of the day in either zone. */
async function storeDay(site: StatsSite): Promise<void> {
  const at = (time: string, day = DAY) => `${day}T${time}Z`
  const buy = { type: 'event', name: 'buy' } as const
  const click = (type: 'outbound' | 'download' | 'button' | 'form', selector?: string) => ({
    ...{ type, name: type, visitorId: CAI },
    ...(selector !== undefined && { props: { selector } }),
  })
  const scrolled = { type: 'engagement', engagedMs: 1 } as const
  const german = { country: 'DE' }
  await stats.store([
    hit(site, at('02:00:00'), { visitorId: ADA, url: '/docs/a' }),
    hit(site, at('02:00:30'), { ...buy, visitorId: ADA }),
    hit(site, at('09:00:00'), { visitorId: ADA, url: '/docs/a' }),
    hit(site, at('09:01:00'), { ...scrolled, visitorId: ADA, url: '/docs/a', scroll: 50 }),
    hit(site, at('09:03:00'), {
      ...{ ...buy, visitorId: ADA, props: { plan: 'pro' } },
      revenue: { amountMinor: '1000', currency: 'USD' },
    }),
    hit(site, at('10:00:00'), { visitorId: BEN, url: '/docs/a' }, german),
    hit(site, at('10:01:00'), { ...buy, visitorId: BEN }, german),
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

describe.each(['UTC', 'America/Los_Angeles'])('goal preview: on a site in %s', zone => {
  let site: StatsSite
  beforeAll(async () => {
    site = await stats.site(zone)
    await storeDay(site)
  })

  test('it equals the goal report once the goal exists, with and without filters', async () => {
    const queries = [
      THAT_DAY,
      `${THAT_DAY}&country=DE`,
      `${THAT_DAY}&path[contains]=docs`,
      'from=2026-03-09&to=2026-03-11',
      'range=today',
    ]
    const before = new Map<string, unknown>()
    for (const slices of [undefined, { hits: 2, shortestMs: 3_600_000 }]) {
      stats.api.services.slices = slices
      for (const query of queries) {
        const answers: unknown[] = []
        for (const definition of DEFINITIONS) answers.push(await preview(site, definition, query))
        if (slices) expect(answers, `${query} in slices`).toEqual(before.get(query))
        else before.set(query, answers)
      }
    }
    stats.api.services.slices = undefined
    const ids: string[] = []
    for (const [index, definition] of DEFINITIONS.entries()) {
      ids.push(await stats.goal(site, { ...definition, display_name: `goal ${index}` }))
    }
    for (const query of queries) {
      const rows = await stats.read(site, `/stats/goals?${query}`)
      for (const [index, definition] of DEFINITIONS.entries()) {
        const { id: _, display_name: __, ...row } = rows.find(({ id }: { id: string }) => id === ids[index])
        const { values, examples, ...previewed } = (before.get(query) as Preview[])[index]!
        const what = `${query} ${JSON.stringify(definition)}`
        expect(previewed, what).toEqual(row)
        const listed = examples.reduce((sum, { conversions }) => sum + conversions, 0)
        expect([listed, values], what).toEqual([row.conversions, examples.length])
      }
    }
  })
})

function expectRefused(answer: Answer, field: string): void {
  expectError(answer, 422, 'validation_failed')
  expect(Object.keys(answer.json.errors)).toEqual([field])
}

interface Preview {
  values: number
  examples: { value: string; conversions: number }[]
}

describe('goal preview: what it says', () => {
  let site: StatsSite
  beforeAll(async () => {
    site = await stats.site()
    await storeDay(site)
  })

  test.each<[unknown, unknown]>([
    [
      { match_type: 'page', match_value: '/docs/*' },
      {
        ...{ conversions: 4, visitors: 3, conversion_rate: 100, revenue: 0, currency: null, values: 2 },
        examples: [
          { value: '/docs/a', conversions: 3 },
          { value: '/docs/b', conversions: 1 },
        ],
      },
    ],
    [
      { match_type: 'scroll', match_value: '/docs/*', scroll_threshold: 60 },
      { conversions: 1, values: 1, examples: [{ value: '/docs/b', conversions: 1 }] },
    ],
    [
      { match_type: 'event', match_value: 'b', match_operator: 'starts_with', currency: 'USD' },
      {
        ...{ conversions: 4, visitors: 2, revenue: 1000, currency: 'USD' },
        examples: [
          { value: 'buy', conversions: 3 },
          { value: 'browse', conversions: 1 },
        ],
      },
    ],
    [
      { match_type: 'outbound' },
      {
        ...{ conversions: 4, visitors: 1, values: 3 },
        examples: [
          { value: '#x', conversions: 2 },
          { value: '(none)', conversions: 1 },
          { value: '#y', conversions: 1 },
        ],
      },
    ],
    [{ match_type: 'copy' }, { conversions: 0, visitors: 0, conversion_rate: 0, values: 0, examples: [] }],
  ])('of %j', async (definition, expected) => {
    expect(await preview(site, definition)).toMatchObject(expected as object)
  })

  test('at most ten values, and the number of all', async () => {
    const many = await stats.site()
    const pages = Array.from({ length: 12 }, (_, index) => `/p/${String(index).padStart(2, '0')}`)
    await stats.store(
      [...pages, '/p/11'].map((url, index) =>
        hit(many, `${DAY}T09:00:${String(index).padStart(2, '0')}Z`, { visitorId: ADA, url }),
      ),
    )
    for (const slices of [undefined, { hits: 2, shortestMs: 3_600_000 }]) {
      stats.api.services.slices = slices
      const { values, examples } = await preview(many, { match_type: 'page', match_value: '/p/*' })
      expect(values).toBe(12)
      expect(examples.map(({ value }: { value: string }) => value)).toEqual(['/p/11', ...pages.slice(0, 9)])
    }
    stats.api.services.slices = undefined
  })

  test('tRPC takes the definition as an object, and viewers may ask, too', async () => {
    const input = { siteKey: site.id, from: DAY, to: DAY, definition: { match_type: 'form' } } as const
    const answer = await stats.client.stats.goalPreview.query(input)
    expect(answer.examples).toEqual([{ value: 'form.search', conversions: 1 }])
    const viewer = await teammate(stats.api, { teamId: stats.owner.teamId, role: 'viewer' })
    const read = await viewer.ask('GET', `${site.path}${pathOf({ match_type: 'form' })}`)
    expect(read.body).toEqual(answer)
  })

  test('it changes nothing: no goal is created', async () => {
    await preview(site, { match_type: 'form', display_name: 'Forms' })
    expect((await stats.read(site, '/goals')).meta.total).toBe(0)
  })

  test('a goal with a reserved name can be previewed where the site has it', async () => {
    const payment = { match_type: 'event', match_value: 'payment' }
    const refused = await stats.ask(`${site.path}${pathOf(payment)}`)
    expectRefused(refused, 'definition.match_value')
    const shop = await stats.site()
    await stats.api.call('PUT', `${shop.path}/processor`, {
      token: stats.owner.token,
      body: { provider: 'stripe', webhook_secret: 'whsec_test' },
    })
    expect(await preview(shop, payment)).toMatchObject({ conversions: 0, examples: [] })
  })

  test.each<[unknown, string]>([
    [{}, 'definition.match_type'],
    [{ match_type: 'view' }, 'definition.match_type'],
    [{ match_type: 'page' }, 'definition.match_value'],
    [{ match_type: 'scroll', match_value: '/' }, 'definition.scroll_threshold'],
    [{ match_type: 'page', match_value: '/', scroll_threshold: 5 }, 'definition.scroll_threshold'],
    [{ match_type: 'page', match_value: '/', currency: 'USD' }, 'definition.currency'],
    [{ match_type: 'event', match_value: 'buy', currency: 'EUR' }, 'definition.currency'],
    [{ match_type: 'form', custom_props: { a: 'b' } }, 'definition.custom_props'],
    [{ match_type: 'page', match_value: '(', match_operator: 'matches_regex' }, 'definition.match_value'],
    [
      { match_type: 'page', match_value: `(a{100}){100}`, match_operator: 'matches_regex' },
      'definition.match_value',
    ],
    ['page', 'definition'],
    [null, 'definition'],
    [[], 'definition'],
  ])('%j is refused', async (definition, field) => {
    const answer = await stats.ask(`${site.path}${pathOf(definition)}`)
    expectRefused(answer, field)
  })

  test.each(['', '&definition=', '&definition={', '&definition={}&definition={}'])(
    'the query %j is refused',
    async query => {
      const answer = await stats.ask(`${site.path}/stats/goal-preview?${THAT_DAY}${query}`)
      expectRefused(answer, 'definition')
    },
  )
})
