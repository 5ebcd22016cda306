import { beforeAll, describe, expect, test } from 'vitest'
import { hit, type StatsSite, useStats } from './stats-site.ts'

// Every bucket of every zone, and every preset and comparison: test/time/range.test.ts and comparison.test.ts.

const stats = useStats()

/** A site of a zone with a pageview at each of these moments, each of another visitor. */
async function siteWith(zone: string, moments: string[]): Promise<StatsSite> {
  const site = await stats.site(zone)
  await stats.store(moments.map(at => hit(site, at, { title: 'T' })))
  return site
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

test('ranges: the day that Samoa skipped is a day without hits', async () => {
  // 29 December ended at UTC-10 where 31 December began at UTC+14.
  const site = await siteWith('Pacific/Apia', ['2011-12-30T09:59:59.999Z', '2011-12-30T10:00:00.000Z'])
  for (const [from, to, pageviews, days] of [
    ['2011-12-29', '2011-12-29', 1, 1],
    ['2011-12-30', '2011-12-30', 0, 1],
    ['2011-12-31', '2011-12-31', 1, 1],
    ['2011-12-29', '2011-12-31', 2, 3],
  ]) {
    const range = `from=${from}&to=${to}`
    expect(await stats.read(site, `/overview?${range}`), range).toMatchObject({ pageviews, days })
    const { values } = await stats.read(site, `/stats/timeseries?metric=pageviews&${range}`)
    expect(sum(values), range).toBe(pageviews)
    await stats.read(site, `/stats/events/timeseries?types=&${range}`)
  }
})

describe('ranges and comparisons', () => {
  let site: StatsSite
  const overview = (query: string) => stats.read(site, `/overview?${query}`)
  const timeseries = (query: string) => stats.read(site, `/stats/timeseries?metric=pageviews&${query}`)

  beforeAll(async () => {
    site = await siteWith('Europe/Berlin', [
      '2025-03-18T08:00:00Z',
      '2025-03-18T13:00:00Z',
      '2026-03-11T09:00:00Z',
      '2026-03-17T11:59:59.999Z',
      '2026-03-17T12:00:00Z',
      '2026-03-17T12:59:59.999Z',
      '2026-03-17T20:00:00Z',
      '2026-03-18T10:00:00Z',
    ])
  })

  test('ranges: every endpoint refuses one that is incomplete or wrong', async () => {
    const paths = [
      'overview?',
      'stats/events?',
      'stats/goals?',
      'stats/timeseries?metric=mrr&',
      'stats/errors?',
    ]
    for (const range of ['range=last_year', 'from=2026-03-10', 'from=2026-03-11&to=2026-03-10']) {
      for (const path of paths) {
        expect((await stats.ask(`${site.path}/${path}${range}`)).status, path + range).toBe(422)
      }
    }
  })

  test('comparison: without compare, the previous period of today is all of yesterday', async () => {
    const today = await overview('range=today')
    expect(today).toMatchObject({ pageviews: 1, previous: { pageviews: 4 } })
    expect(today).not.toHaveProperty('comparison')
    const course = await timeseries('range=today')
    expect(sum(course.previous)).toBe(4)
    expect(Object.keys(course)).toEqual(['labels', 'values', 'previous', 'group'])
  })
  test('comparison: a compared period before the details of a site is named in X-Details-From', async () => {
    const kept = await stats.site()
    const { db } = stats.api.services
    await db`update sites set details_from = '2026-01-01', first_event_at = '2025-01-01' where id = ${kept.id}`
    const header = async (query: string) =>
      (await stats.ask(`${kept.path}/overview?range=today${query}`)).headers['x-details-from'] ?? null
    expect(await header('')).toBeNull()
    expect(await header('&compare=previous')).toBeNull()
    expect(await header('&compare=previous_year')).toBe('2026-01-01T00:00:00.000Z')
    expect(await header('&compare=previous_year&country=DE')).toBe('2026-01-01T00:00:00.000Z')
  })
})
