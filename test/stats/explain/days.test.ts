// @module-tag full
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { BreakdownQuery } from '../../../src/stats/breakdown/breakdown-query.ts'
import { explain } from '../../../src/stats/explain/explain.ts'
import { ExplainQuery } from '../../../src/stats/explain/explain-query.ts'
import { getBreakdown } from '../../../src/stats/reads/breakdown.ts'
import { getOverview, OverviewQuery } from '../../../src/stats/reads/overview.ts'
import {
  HOUR,
  newSite,
  pay,
  type Retained,
  retain,
  sendVisits,
  services,
  settle,
  storedSite,
} from '../../outgoing/retention/retained-sites.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { expectParts } from '../../support/expect-explained.ts'
import { enrichedHit } from '../../support/hits.ts'
import { ofFile } from '../../support/of-file.ts'

const db = dbOf(useDatabase(testDatabase))

/** Came before the details and paid after they began. */
const PAYER = randomUUID()

const kept = ofFile(() => newSite(db, { months: 1, timezone: 'Europe/Berlin' }))
const york = ofFile(() => newSite(db, { timezone: 'America/New_York' }))
beforeAll(async () => {
  await sendVisits(db, kept, { first: '2026-03-26', days: 91, every: 9 * HOUR })
  await storeHits(db, 0, [
    enrichedHit(kept, Date.parse('2026-05-10T10:00:00Z'), { visitorId: PAYER, country: 'AT' }),
  ])
  await pay(db, kept, new Date('2026-06-01T10:00:00Z'), PAYER)
  await sendVisits(db, york, { first: '2026-03-05', days: 12, every: 3 * HOUR })
  await settle(db)
})

const explained = async (site: Retained, input: object) =>
  explain(services(db), await storedSite(db, site), ExplainQuery.parse(input))
const overview = async (site: Retained, input: object) =>
  getOverview(services(db), await storedSite(db, site), OverviewQuery.parse(input))

test('explain: a day of a clock change has its 23 hours, by the clocks of the site', async () => {
  const day = { from: '2026-03-08', to: '2026-03-08' }
  const answer = await explained(york, { ...day, metric: 'pageviews' })
  expect(answer.number).toBe((await overview(york, day)).pageviews)
  expect(answer.range).toMatchObject({
    ...{ start: '2026-03-08T05:00:00.000Z', local_start: '2026-03-08T00:00:00-05:00' },
    ...{ end: '2026-03-09T04:00:00.000Z', local_end: '2026-03-09T00:00:00-04:00' },
    timezone: 'America/New_York',
  })
  expectParts(answer)
  expect(answer.buckets.map(({ start }) => start.slice(11))).not.toContain('02:00:00-05:00')
  expect(answer.buckets.at(-1)!.start).toMatch(/-04:00$/)
})

test('explain: days without details keep their numbers and parts, and their rows are gone', async () => {
  await retain(db)
  await pay(db, kept, new Date('2026-04-02T10:00:00Z'))
  const { detailsFrom } = await storedSite(db, kept)
  expect(detailsFrom!.toISOString()).toBe('2026-05-22T22:00:00.000Z')
  for (const range of [
    { range: 'all' },
    { from: '2026-03-27', to: '2026-03-27' },
    { from: '2026-03-29', to: '2026-03-29' },
    { from: '2026-04-05', to: '2026-05-25' },
  ]) {
    const numbers = await overview(kept, range)
    const metrics = ['pageviews', 'visitors', 'bounce_rate', 'avg_session_seconds', 'revenue'] as const
    for (const metric of metrics) {
      const answer = await explained(kept, { ...range, metric, limit: 100 })
      expectParts(answer)
      expect([range, metric, answer.number]).toEqual([range, metric, numbers[metric] ?? null])
      expect(answer.details_from).toBe(detailsFrom!.toISOString())
      if (metric === 'revenue') continue
      const earliest = new Date(detailsFrom!.getTime() - 25 * HOUR).toISOString()
      expect(answer.rows!.data.every(({ at }) => at >= earliest)).toBe(true)
    }
    const asked = { ...range, dimension: 'path', conversion_goal: undefined }
    const { rows } = await getBreakdown(services(db), await storedSite(db, kept), BreakdownQuery.parse(asked))
    for (const metric of ['visitors', 'sessions', 'time_on_page_seconds'] as const) {
      const answer = await explained(kept, { ...asked, metric, value: rows[0]!.value })
      expectParts(answer)
      expect([range, metric, answer.number]).toEqual([range, metric, rows[0]![metric]])
    }
  }
  const gone = await explained(kept, { from: '2026-03-27', to: '2026-03-30', metric: 'sessions' })
  expect(gone.rows!.data).toEqual([])
  const filtered = { from: '2026-03-27', to: '2026-03-30', country: { is_not: 'XX' } }
  expect(await explained(kept, { ...filtered, metric: 'sessions' })).toMatchObject({ number: 0, buckets: [] })
})

test('explain: money of a session without details counts for no value, and names no session', async () => {
  const asked = { from: '2026-05-01', to: '2026-06-10', dimension: 'country' }
  const { rows } = await getBreakdown(services(db), await storedSite(db, kept), BreakdownQuery.parse(asked))
  expect(rows.map(({ value }) => value)).toContain('AT')
  for (const { value, revenue } of rows) {
    const answer = await explained(kept, { ...asked, value, metric: 'revenue' })
    expectParts(answer)
    expect([value, answer.number]).toEqual([value, revenue])
  }
  const none = await explained(kept, { ...asked, value: '(none)', metric: 'revenue' })
  expect(none).toMatchObject({
    number: 4999,
    rows: { data: [{ session_id: null, values: { revenue: 4999 } }] },
  })
})
