import { expect, test } from 'vitest'
import { hit, useStats } from './stats-site.ts'

// Every bucket of every zone, and every preset and comparison: test/platform/time/range.test.ts and comparison.test.ts.

const stats = useStats()

test('ranges: the day that Samoa skipped is a day without hits', async () => {
  // 29 December ended at UTC-10 where 31 December began at UTC+14.
  const site = await stats.site('Pacific/Apia')
  await stats.store(['2011-12-30T09:59:59.999Z', '2011-12-30T10:00:00.000Z'].map(at => hit(site, at)))
  for (const [from, to, pageviews, days] of [
    ['2011-12-29', '2011-12-29', 1, 1],
    ['2011-12-30', '2011-12-30', 0, 1],
    ['2011-12-31', '2011-12-31', 1, 1],
    ['2011-12-29', '2011-12-31', 2, 3],
  ]) {
    const range = `from=${from}&to=${to}`
    expect(await stats.read(site, `/overview?${range}`), range).toMatchObject({ pageviews, days })
    const { values } = await stats.read(site, `/stats/timeseries?metric=pageviews&${range}`)
    expect(
      values.reduce((total: number, value: number) => total + value, 0),
      range,
    ).toBe(pageviews)
    await stats.read(site, `/stats/events/timeseries?types=&${range}`)
  }
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
