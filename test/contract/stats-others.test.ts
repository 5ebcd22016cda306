import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hit } from '../../src/ingestion/hit.ts'
import { errorFingerprint } from '../../src/ingestion/stages/error.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { rollUpAll } from '../support/roll-up.ts'
import { ADA, BEN, DAY, hit, type Stats, type StatsSite, startStats, THAT_DAY } from './stats-site.ts'

let stats: Stats
let site: StatsSite

const at = (second: number) => `${DAY}T09:00:${String(second).padStart(2, '0')}Z`

beforeAll(async () => {
  stats = await startStats()
  site = await stats.site()
  await stats.goal(site, { match_type: 'event', match_value: 'paid', display_name: 'paid', currency: 'USD' })
  const event = (second: number, name: string, fields: Partial<Hit> = {}) =>
    hit(site, at(second), { type: 'event', name, visitorId: ADA, ...fields })
  const error = (second: number, message: string) =>
    hit(site, at(second), { type: 'error', name: 'error', visitorId: BEN, error: { message, stack: 'at f' } })
  await storeHits(
    stats.api.services.db,
    0,
    [
      event(1, 'one', { props: { plan: 'pro' } }),
      event(2, 'two', { props: { tier: 'a' } }),
      event(3, 'three', { props: { flood: 'x' } }),
      event(4, 'four', { props: { plan: 'pro', more: 'y', most: 'z' } }),
      event(5, 'paid', { revenue: { amountMinor: '500', currency: 'USD' } }),
      ...['boom', 'bang', 'crash', 'thud'].map((message, index) => error(10 + index, message)),
    ],
    2,
  )
})
afterAll(() => stats.close())

/** From rows, and then from rollups of the day. */
async function bothWays(check: () => Promise<void>): Promise<void> {
  await check()
  await rollUpAll(stats.api.services.db, new Date('2026-03-12T00:00:00Z'))
  await check()
}

test('(other): reports show values beyond the daily maximum as (other)', () =>
  bothWays(async () => {
    const { data } = await stats.read(site, `/stats/breakdown?dimension=event_name&${THAT_DAY}`)
    expect(data.map(({ value }: { value: string }) => value).sort()).toEqual([
      '(other)',
      'one',
      'paid',
      'two',
    ])
    const path = '/stats/events/property-breakdown?event_type=event&event_name=(other)'
    expect((await stats.read(site, `${path}&${THAT_DAY}`)).rows).toEqual([
      { key: '(other)', value: '(other)', visitors: 1 },
      { key: 'plan', value: 'pro', visitors: 1 },
    ])
    const filtered = await stats.read(site, `/stats/events?${THAT_DAY}&event_name=(other)&types=event`)
    expect(filtered.meta.total).toBe(2)
  }))

test('(other): the name of a goal is counted even after a flood of other names', async () => {
  const [goal] = await stats.read(site, `/stats/goals?${THAT_DAY}`)
  expect(goal).toMatchObject({ display_name: 'paid', conversions: 1, revenue: 500 })
})

test('(other): the error group of what exceeds the daily maximum has a fingerprint', () =>
  bothWays(async () => {
    const id = errorFingerprint(site.id, '(other)')
    const { data } = await stats.read(site, `/stats/errors?${THAT_DAY}`)
    expect(data[0]).toEqual({
      id,
      message: '(other)',
      error_name: '(other)',
      occurrences: 2,
      sessions: 1,
      visitors: 1,
    })
    expect(data).toHaveLength(3)
    expect(await stats.read(site, `/stats/errors/${id}?${THAT_DAY}`)).toMatchObject({ occurrences: 2 })
    const occurrences = await stats.read(site, `/stats/errors/${id}/events?${THAT_DAY}`)
    expect(occurrences.data[0]).toMatchObject({ event_name: '(other)', message: '(other)', stack: '' })
    const { series } = await stats.read(site, `/stats/errors/${id}/timeseries?${THAT_DAY}`)
    expect(Math.max(...series.error)).toBe(2)
  }))
