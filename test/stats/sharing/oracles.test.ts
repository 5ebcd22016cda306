// @module-tag full
import { beforeAll, expect, test } from 'vitest'
import { routes } from '../../../src/http/api/routes.ts'
import { DIMENSIONS, sectionOf } from '../../../src/platform/dimensions/dimensions.ts'
import { PUBLIC_SECTIONS, SECTIONS, type Section } from '../../../src/platform/dimensions/sections.ts'
import { LIFECYCLE_NAMES } from '../../../src/storage/events/reserved-names.ts'
import { VALUE_OPERATORS } from '../../../src/storage/patterns/value-match.ts'
import { DAY } from '../../contract/stats-site.ts'
import { ofFile } from '../../support/of-file.ts'
import { shareInBrowser } from '../../support/shares.ts'
import type { Json } from '../../support/stripe.ts'
import { GOALS, type Input, RANGE, startSharing } from './world.ts'

const world = ofFile(startSharing)
/** Secrets of shares that lack one section each. */
const without = {} as Record<Section, string>
let publicLike: string

beforeAll(async () => {
  world.api.services.config.limits.browser = 0
  for (const section of SECTIONS) {
    without[section] = (await world.share(SECTIONS.filter(each => each !== section))).secret
  }
  publicLike = (await world.share([...PUBLIC_SECTIONS])).secret
})

const get = (path: string, input: Input, credential?: string) =>
  world.rest(path, { ...RANGE, ...input }, credential)
const valueFor = (operator: string) => (operator === 'matches_regex' ? '^a' : 'a')

const UNKNOWN_GOAL = '00000000-0000-4000-8000-000000000000'

/** Reads that stay allowed without the section, so that only the filter can be refused. */
const READS_OF: Record<string, Input> = {
  ...{ '/overview': {}, '/stats/timeseries': { metric: 'visitors' } },
  ...{ '/stats/breakdown': { dimension: 'channel' }, '/stats/filter-values': { dimension: 'channel' } },
  ...{ '/stats/goals': {}, '/stats/events': {}, '/stats/events/timeseries': {}, '/stats/page-titles': {} },
  ...{ '/stats/errors': {}, '/stats/errors/{error}': {}, '/stats/errors/{error}/timeseries': {} },
  '/stats/errors/{error}/events': {},
}

async function expectRefused(filter: Input, section: Section) {
  for (const [path, input] of Object.entries(READS_OF)) {
    const answer = await get(path, { ...input, ...filter }, without[section])
    expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'forbidden'])
  }
}

test.each(DIMENSIONS)(
  'filters of a section that is not shared are refused: %s, with every operator',
  async dimension => {
    const section = sectionOf(dimension)
    for (const operator of VALUE_OPERATORS) {
      const filter = { [dimension]: { [operator]: valueFor(operator) } }
      const { status, body } = await get('/overview', filter, without[section])
      expect([operator, status], JSON.stringify(body)).toEqual([operator, 403])
      if (section !== 'traffic') expect(body.message).toContain(`section ${section},`)
    }
  },
)

test.each<[string, Input, Section]>([
  ['a dimension', { country: 'DE' }, 'locations'],
  ['campaign', { campaign: 'spring' }, 'sources'],
  ['prop_key', { prop_key: 'plan' }, 'events'],
  ['prop_value', { prop_key: 'plan', prop_value: 'pro' }, 'events'],
  ['user_id', { user_id: 'user-1' }, 'people'],
  ['visit_count', { visit_count: '1' }, 'people'],
])('filters of a section that is not shared are refused: %s, on every read', async (_, filter, section) =>
  expectRefused(filter, section),
)

test('filters of a section that is not shared are refused: goal, whether it exists or not', async () => {
  for (const goal of [world.goals[0]!, UNKNOWN_GOAL]) await expectRefused({ goal }, 'goals')
})

test('filters of a section that is not shared are refused: the own dimension of filter values, which is not applied', async () => {
  const input = { dimension: 'channel', channel: { matches_regex: '(' } }
  expect((await get('/stats/filter-values', input, without.sources)).status).toBe(403)
  const campaign = { dimension: 'country', campaign: 'spring' }
  expect((await get('/stats/filter-values', campaign, without.sources)).status).toBe(403)
})

test('the log: neither its items nor its total', async () => {
  const { body: all } = await get('/stats/events', { per_page: 100 }, world.owner.token)
  const { body } = await get('/stats/events', { per_page: 100 }, publicLike)
  const names = all.data.map(({ event_name }: Json) => event_name)
  expect(names.filter((name: string) => name === 'payment')).toHaveLength(2)
  expect(JSON.stringify(body)).not.toContain('payment')
  expect(body.meta.total).toBe(all.meta.total - 2)
})

test.each<[string, Input]>([
  ['is', { event_name: 'payment' }],
  ['contains', { event_name: { contains: 'pay' } }],
  ['matches_regex', { event_name: { matches_regex: '^pay' } }],
  ['matches_pattern', { event_name: { matches_pattern: 'pay*' } }],
  ['ends_with', { event_name: { ends_with: 'ment' } }],
  ['a property', { prop_key: 'transaction_id' }],
  ['any property', { prop_key: { matches_pattern: '**' }, event_name: { contains: 'ment' } }],
])(
  'events of money leave no trace without the section revenue: a filter that only they match finds nothing: %s',
  async (_, filter) => {
    const { body: overview } = await get('/overview', filter, publicLike)
    expect(overview).toMatchObject({ visitors: 0, sessions: 0, pageviews: 0, custom_events: 0 })
    expect((await get('/stats/events', filter, publicLike)).body.meta.total).toBe(0)
    const { body: rows } = await get('/stats/breakdown', { dimension: 'channel', ...filter }, publicLike)
    expect(rows.meta.total).toBe(0)
    const { body } = await get('/stats/filter-values', { dimension: 'source', ...filter }, publicLike)
    expect(body.values).toEqual([])
  },
)

test('events of money leave no trace without the section revenue: sessions that only they match with a negative filter do not count', async () => {
  const filter = { event_name: { is_not: ['', 'signup', 'outbound', 'error', 'TypeError', 'Error'] } }
  expect((await get('/overview', filter, world.owner.token)).body.sessions).toBeGreaterThan(0)
  expect((await get('/overview', filter, publicLike)).body.sessions).toBe(0)
})

test('events of money leave no trace without the section revenue: values of event_name and rows by event_name: none of their names, however few are asked for', async () => {
  const ask = async (limit: number) =>
    (await get('/stats/filter-values', { dimension: 'event_name', limit }, publicLike)).body.values
  const { body: owners } = await get('/stats/filter-values', { dimension: 'event_name' }, world.owner.token)
  const shown = owners.values.filter(({ value }: Json) => !LIFECYCLE_NAMES.includes(value as never))
  expect(shown.length).toBeLessThan(owners.values.length)
  expect(await ask(1_000)).toEqual(shown)
  for (const limit of [1, 2, 3]) expect(await ask(limit)).toEqual(shown.slice(0, limit))
  const { body } = await get('/stats/breakdown', { dimension: 'event_name' }, publicLike)
  expect(JSON.stringify(body)).not.toContain('payment')
})

test('events of money leave no trace without the section revenue: rows cannot be sorted by money', async () => {
  for (const sort of ['revenue', 'mrr', 'revenue_per_visitor']) {
    const answer = await get('/stats/breakdown', { dimension: 'channel', sort }, publicLike)
    expect([sort, answer.status, answer.body.code]).toEqual([sort, 403, 'forbidden'])
  }
})

test('properties of their events: as of a name that no event has', async () => {
  const ask = (event_name: string) =>
    get('/stats/events/property-breakdown', { event_type: 'event', event_name }, publicLike)
  expect((await ask('payment')).body).toEqual((await ask('unknown')).body)
})

const shown = () => world.goals.filter((_, index) => !GOALS[index]!.isMoney)

test('goals that events of money convert are unknown without the section revenue: the list, its search and its total, and the report', async () => {
  const { body } = await get('/goals', { per_page: 100 }, publicLike)
  const { body: report } = await get('/stats/goals', {}, publicLike)
  for (const rows of [body.data, report])
    expect(rows.map(({ id }: Json) => id).sort()).toEqual(shown().sort())
  expect(body.meta.total).toBe(shown().length)
  const { body: found } = await get('/goals', { search: 'payment' }, publicLike)
  expect(found).toMatchObject({ data: [], meta: { total: 0 } })
  const { body: owners } = await get('/goals', { search: 'payment' }, world.owner.token)
  expect(owners.meta.total).toBe(1)
})

test.each<[string, string, (goal: string) => Input]>([
  ['a filter', '/overview', goal => ({ goal })],
  [
    'the goal of a breakdown',
    '/stats/breakdown',
    conversion_goal => ({ dimension: 'channel', sort: 'conversion_rate', conversion_goal }),
  ],
])(
  'goals that events of money convert are unknown without the section revenue: as %s they are like a goal that does not exist',
  async (_, path, inputOf) => {
    const ask = async (goal: string) => {
      const { status, body } = await get(path, inputOf(goal), publicLike)
      return { status, ...body, request_id: '' }
    }
    const unknown = await ask(UNKNOWN_GOAL)
    expect(unknown.status).toBe(422)
    for (const [index, goal] of world.goals.entries()) {
      if (GOALS[index]!.isMoney) expect(await ask(goal)).toEqual(unknown)
      else expect((await ask(goal)).status).toBe(200)
    }
  },
)

test('goals that events of money convert are unknown without the section revenue: without the section goals a breakdown has no goal, be it one that exists or not', async () => {
  const { secret } = await world.share(['sources'])
  for (const conversion_goal of [...world.goals, UNKNOWN_GOAL]) {
    const answer = await get('/stats/breakdown', { dimension: 'channel', conversion_goal }, secret)
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
  }
})

test('a share with filters: keeps its filter on the dimension whose values are asked for, and is not widened by another on it', async () => {
  const { secret } = await world.share([...SECTIONS], { filters: { country: 'FR' } })
  const { body } = await get('/stats/filter-values', { dimension: 'country', country: 'DE' }, secret)
  expect(body.values.map(({ value }: Json) => value)).toEqual(['FR'])
  for (const country of ['DE', { is_not: 'FR' }, { contains: 'D' }] as const) {
    const { body } = await get('/overview', { country: country as never }, secret)
    expect([body.visitors, body.sessions]).toEqual([0, 0])
  }
})

test('a share with filters: does not know an error that does not occur in what it shows', async () => {
  const { secret } = await world.share(['errors'], { filters: { country: 'FR' } })
  for (const path of ['', '/timeseries', '/events']) {
    const answer = await get(`/stats/errors/{error}${path}`, {}, secret)
    expect([answer.status, answer.body.message]).toEqual([404, 'No such error'])
  }
})

test('a share with filters: does not tell when an error occurred outside it', async () => {
  const seen = async (filters: object | undefined) => {
    const { secret } = await world.share(['errors'], filters && { filters })
    const { body } = await get('/stats/errors/{error}', {}, secret)
    const [row] = (await get('/stats/errors', {}, secret)).body.data
    return [body.first_seen, body.last_seen, row.first_seen, row.last_seen]
  }
  const [first, last] = [`${DAY}T11:01:00.000Z`, `${DAY}T12:01:00.000Z`]
  expect(await seen(undefined)).toEqual([first, last, first, last])
  expect(await seen({ country: { is_not: 'FR' } })).toEqual([null, null, null, null])
})

test('a share with filters: on user ids does not show them', async () => {
  const { secret } = await world.share(['traffic'], { filters: { user_id: 'user-1', country: 'DE' } })
  const { body } = await get('/shared', {}, secret)
  expect(body.filters).toEqual({ country: 'DE' })
  expect((await get('/overview', {}, secret)).body.visitors).toBe(1)
})

test('kept numbers: without the section revenue, events of money of days whose details are gone are no numbers or values', async () => {
  const { siteNo, path } = await world.shop()
  const { db } = world.api.services
  await db`update sites set details_from = '2026-02-01T00:00:00Z' where site_no = ${siteNo}`
  await db`
    insert into kept_hit_buckets (site_no, bucket, pageviews, custom_events, types, service_events)
    values (${siteNo}, '2026-01-10T10:00:00Z', 3, 0, '{"pageview": 3, "event": 2}', '{"payment": 2}')`
  const share = { name: 'test', sections: PUBLIC_SECTIONS }
  const { secret } = (await shareInBrowser(world.api, world.owner, path, share)).body
  const range = 'from=2026-01-10&to=2026-01-10'
  const read = async (what: string, token: string) =>
    (await world.api.call('GET', `${path}/stats/${what}&${range}`, { token })).body
  expect((await read('events/timeseries?', world.owner.token)).types).toContain('event')
  expect((await read('events/timeseries?', secret)).types).not.toContain('event')
  expect((await read('filter-values?dimension=event_name', secret)).values).toEqual([])
})

// Which reads are for users alone stands in test/contract/access.txt: they refuse a share with every section, and everybody who reads a public site.
test('shared reads: every one names its section', () => {
  const shared = routes.filter(({ isShared }) => isShared)
  expect(shared.length).toBeGreaterThan(20)
  for (const { procedure, section } of shared) expect([...SECTIONS, 'any'], procedure).toContain(section)
})
