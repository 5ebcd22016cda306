import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY, dayOfHits, type Stats, type StatsSite, startStats, THAT_DAY } from './stats-site.ts'

let stats: Stats
let site: StatsSite
let error: string

beforeAll(async () => {
  stats = await startStats()
  site = await stats.site()
  await stats.goal(site, { match_type: 'event', match_value: 'signup', currency: 'USD' })
  await stats.store(dayOfHits(site))
  error = (await stats.read(site, `/stats/errors?${THAT_DAY}`)).data[0].id
})
afterAll(() => stats.close())

type Procedure = keyof Stats['client']['stats']

const PAIRS: [Procedure, string, Record<string, string | number>][] = [
  ['overview', '/overview', {}],
  ['timeseries', '/stats/timeseries', { metric: 'visitors' }],
  ['breakdown', '/stats/breakdown', { dimension: 'path', per_page: 1, page: 2 }],
  ['breakdown', '/stats/breakdown', { dimension: 'path', search: '/', sort: 'value', compare: 'previous' }],
  ['explain', '/explain', { metric: 'visitors', dimension: 'path', value: '/pricing', limit: 2 }],
  ['goals', '/stats/goals', {}],
  ['events', '/stats/events', { types: 'event,error', per_page: 2 }],
  ['eventsTimeseries', '/stats/events/timeseries', { types: 'error' }],
  ['propertyBreakdown', '/stats/events/property-breakdown', { event_type: 'event', event_name: 'signup' }],
  ['pageTitles', '/stats/page-titles', { per_page: 1 }],
  ['pageTitlesTimeseries', '/stats/page-titles/timeseries', { title: 'Home' }],
  ['filterValues', '/stats/filter-values', { dimension: 'path', limit: 2 }],
  ['errors', '/stats/errors', {}],
  ['error', '/stats/errors/{error}', {}],
  ['errorTimeseries', '/stats/errors/{error}/timeseries', {}],
  ['errorEvents', '/stats/errors/{error}/events', { per_page: 1 }],
]

const filters = [
  [{}, ''],
  [
    { path: ['/home', '/pricing'], country: { is_not: 'AT' } },
    '&path=/home&path=/pricing&country[is_not]=AT',
  ],
] as const

test.each(PAIRS)(
  'tRPC: stats.%s gives the same answer as %s, without links',
  async (procedure, path, own) => {
    for (const [input, query] of filters) {
      const parameters = new URLSearchParams(
        Object.entries(own).map(([name, value]): [string, string] => [name, String(value)]),
      )
      const rest = await stats.read(
        site,
        `${path.replace('{error}', error)}?${THAT_DAY}&${parameters}${query}`,
      )
      if (rest.links) rest.links = { first: null, last: null, prev: null, next: null }
      const of = path.includes('{error}') ? { error } : {}
      const asked = { siteKey: site.id, from: DAY, to: DAY, ...own, ...of, ...input }
      const client = stats.client.stats as unknown as Record<
        string,
        { query(input: object): Promise<Record<string, unknown>> }
      >
      expect(await client[procedure]!.query(asked)).toEqual(rest)
      await expect(
        client[procedure]!.query({ ...asked, range: 'x', from: undefined, to: undefined }),
      ).rejects.toMatchObject({
        data: { httpStatus: 422, code: 'validation_failed' },
      })
      await expect(client[procedure]!.query({ ...asked, siteKey: 'nowhere.example' })).rejects.toMatchObject({
        data: { httpStatus: 404, code: 'not_found' },
      })
    }
  },
)
