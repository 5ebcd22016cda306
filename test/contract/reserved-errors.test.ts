import { afterAll, beforeAll, expect, test } from 'vitest'
import { LIFECYCLE_NAMES } from '../../src/events/reserved-names.ts'
import { dayOfHits, hit, type Stats, type StatsSite, startStats, THAT_DAY } from './stats-site.ts'

const RESERVED = ['pageview', 'engagement', 'performance', 'web-vitals', ...LIFECYCLE_NAMES]

let stats: Stats
let site: StatsSite

beforeAll(async () => {
  stats = await startStats()
  site = await stats.site()
  await stats.store([
    ...dayOfHits(site),
    ...RESERVED.map((name, index) =>
      hit(site, `2026-03-10T10:${10 + index}:00Z`, {
        type: 'error',
        name: 'error',
        error: { name, message: `boom ${name}` },
        props: { plan: 'made-up' },
      }),
    ),
  ])
  const { status } = await stats.api.call('PUT', `/api/sites/${site.id}/processor`, {
    token: stats.owner.token,
    body: { provider: 'stripe', webhook_secret: 'whsec_0123456789abcdef0123456789abcdef' },
  })
  expect(status).toBe(200)
})
afterAll(() => stats.close())

const read = (path: string) => stats.read(site, path)

test('errors with a reserved name: they do not convert goals of service events', async () => {
  const goals: { display_name: string; conversions: number; visitors: number }[] = await read(
    `/stats/goals?${THAT_DAY}`,
  )
  expect(goals.map(({ display_name }) => display_name).sort()).toEqual([...LIFECYCLE_NAMES].sort())
  for (const goal of goals) expect(goal).toMatchObject({ conversions: 0, visitors: 0 })
})

test('errors with a reserved name: they get the name Error and keep their message', async () => {
  const { data } = await read(`/stats/errors?${THAT_DAY}&per_page=100`)
  const made = data.filter(({ message }: { message: string }) => message.startsWith('boom '))
  expect(made).toHaveLength(RESERVED.length)
  for (const group of made) expect(group).toMatchObject({ error_name: 'Error', occurrences: 1 })
})

test.each(RESERVED)('errors with the reserved name %s: it is in no filter, breakdown or list', async name => {
  const { data } = await read(`/stats/events?${THAT_DAY}&event_name=${name}`)
  expect(data).toEqual([])
  const { rows } = await read(
    `/stats/events/property-breakdown?${THAT_DAY}&event_type=error&event_name=${name}`,
  )
  expect(rows).toEqual([])
})

test('errors with a reserved name: they are not in the list of event names', async () => {
  const { values } = await read(`/stats/filter-values?${THAT_DAY}&dimension=event_name`)
  const names = values.map(({ value }: { value: string }) => value)
  expect(names).toContain('Error')
  expect(names.filter((name: string) => RESERVED.includes(name))).toEqual([])
})
