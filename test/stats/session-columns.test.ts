import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import { dimensionsOfLevel } from '../../src/dimensions/dimensions.ts'
import type { DimensionFilter } from '../../src/filters/conditions.ts'
import { DEFAULT_LIMITS } from '../../src/rollups/daily/day-values.ts'
import { sumMoneyByValue } from '../../src/stats/breakdown/money-by-value.ts'
import { countGiven, rankPage } from '../../src/stats/breakdown/rank-page.ts'
import { coverRange } from '../../src/stats/columns/coverage.ts'
import { sumMoneyByColumns } from '../../src/stats/columns/money.ts'
import { countTrafficByColumns } from '../../src/stats/columns/traffic.ts'
import type { ResolvedQuery } from '../../src/stats/filters/resolved-query.ts'
import { countFilteredRows } from '../../src/stats/metrics/filtered-traffic.ts'
import { countFilteredTitles, countTitlesByColumns } from '../../src/stats/reports/title-details.ts'
import { mergeSlices, readSlices } from '../../src/stats/sql/slices.ts'
import { resolveRange, seriesBuckets } from '../../src/time/range.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { inProcessPool } from '../support/in-process-pool.ts'
import { type Random, randomFrom } from '../support/random-values.ts'
import { randomVisits } from '../support/random-visits.ts'
import { recountSessions } from '../support/recount.ts'
import { addDays, localDate } from '../support/recount-days.ts'
import { worldOf } from '../support/recount-world.ts'
import { rollUpAll } from '../support/roll-up.ts'
import { createTestSite } from '../support/sites.ts'
import { storeVisits, withoutRepeatedDrops } from '../support/stored-visits.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
const OF_SESSIONS = [...dimensionsOfLevel('session'), ...dimensionsOfLevel('session-row')]
const OF_HITS = dimensionsOfLevel('hit')

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

/** The same read without columns: a session slice of everything is always read from rows. */
const fromRows = (resolved: ResolvedQuery): ResolvedQuery => ({
  ...resolved,
  slice: { from: null, to: null },
})

/** One to three filters, whose values the sessions have, in part. */
async function randomFilters(db: Db, siteNo: number, random: Random): Promise<DimensionFilter[]> {
  const operators = ['is', 'is_not', 'contains', 'does_not_contain', 'starts_with', 'ends_with'] as const
  const filters: DimensionFilter[] = []
  for (let count = 0; count <= random.int(3); count++) {
    const dimension = random.pick(OF_SESSIONS)
    const rows = await db<{ value: string }[]>`
      select distinct ${db(dimension)} as value from sessions where site_no = ${siteNo} order by 1`
    const operator = random.pick(operators)
    const isWhole = operator === 'is' || operator === 'is_not'
    const some = rows.map(({ value }) => value).filter(() => random.chance(0.6))
    const values = [...some, 'no such value'].map(value => (isWhole ? value : value.slice(0, 2)))
    filters.push({ dimension, condition: { field: dimension, operator, values } })
  }
  return filters
}

async function addMoney(db: Db, siteNo: number, random: Random): Promise<void> {
  const sessions = await db<{ sessionNo: number; startedAt: Date; visitorNo: number }[]>`
    select session_no as "sessionNo", started_at as "startedAt", visitor_no as "visitorNo"
    from sessions where site_no = ${siteNo} order by session_no`
  for (const { sessionNo, startedAt, visitorNo } of sessions) {
    const at = new Date(startedAt.getTime() + random.int(3) * 12 * HOUR)
    if (random.chance(0.5)) {
      await db`insert into revenue (
          site_no, at, payment_id, currency, amount_minor, refunded_minor, is_recurring, visitor_no, session_no, session_at
        ) values (
          ${siteNo}, ${at}, ${randomUUID()}, 'USD', ${100 + random.int(900)}, ${random.int(50)}, false,
          ${visitorNo}, ${sessionNo}, ${startedAt}
        )`
    }
    if (random.chance(0.3)) {
      await db`insert into mrr_movements (
          site_no, at, subscription_id, kind, currency, amount_minor, visitor_no, session_no, session_at
        ) values (
          ${siteNo}, ${at}, ${randomUUID()}, 'start', 'USD', ${100 + random.int(900)}, ${visitorNo}, ${sessionNo}, ${startedAt}
        )`
    }
  }
}

interface Case {
  seed: number
  rollups: 'after all hits' | 'after each batch' | 'before the last third'
  partRows?: number
}

test.each<Case>([
  { seed: 1, rollups: 'after all hits' },
  { seed: 2, rollups: 'after each batch' },
  { seed: 3, rollups: 'before the last third' },
  { seed: 4, rollups: 'after all hits', partRows: 5 },
  { seed: 5, rollups: 'after each batch', partRows: 1 },
])(
  'session columns: rollups made $rollups answer filtered reads as the rows do (stream $seed)',
  async ({ seed, rollups, partRows = DEFAULT_LIMITS.partRows }: Case) => {
    const { db } = database
    const limits = { ...DEFAULT_LIMITS, partRows }
    const random = randomFrom(seed)
    const stream = randomVisits(seed)
    const recount = recountSessions(stream.late)
    const world = worldOf(stream.hits, recount, stream.zone)
    const site = await createTestSite(db, { timezone: stream.zone })
    const { siteNo } = site
    const batches = withoutRepeatedDrops(stream.late, recount.dropped)
    let batchNo = 0
    await storeVisits(db, site, batches, async now => {
      batchNo += 1
      const isMade = rollups === 'after each batch' || batchNo === Math.ceil((batches.length * 2) / 3)
      if (rollups !== 'after all hits' && isMade) await rollUpAll(db, new Date(now), limits)
    })
    await addMoney(db, siteNo, random)
    const times = world.hits.map(({ at }) => at)
    const now = new Date(Math.max(...times) + 3 * DAY)
    if (rollups !== 'before the last third') await rollUpAll(db, now, limits)
    const range = resolveRange(
      {
        range: 'today',
        from: localDate(stream.zone, Math.min(...times)),
        to: addDays(localDate(stream.zone, Math.max(...times)), 1),
        group: 'day',
      },
      { zone: stream.zone, now, firstEventAt: new Date(Math.min(...times)) },
    )
    // As on the embedded database, where rows are read in slices.
    const slices = seed % 2 === 0 ? { hits: 5, shortestMs: HOUR } : undefined
    const services = { reads: db, rollups: inProcessPool(db), slices }
    const answered = { traffic: 0, values: 0, money: 0 }
    for (let round = 0; round < 12; round++) {
      // Details may begin within a day, and sessions may go on after the end.
      const start = round % 3 === 2 ? new Date(range.start.getTime() + 5 * HOUR) : range.start
      const days = seriesBuckets({ ...range, start })
      const cut = days.slice(0, days.length - (round % 3))
      const { end } = cut.at(-1)!
      const resolved: ResolvedQuery = {
        siteNo,
        start,
        end,
        filters: { dimensions: await randomFilters(db, siteNo, random), property: undefined },
        goal: undefined,
      }
      const told = JSON.stringify(resolved.filters.dimensions)
      for (const windows of [[resolved], cut]) {
        const found = await countTrafficByColumns(services, resolved, windows)
        if (!found) continue
        answered.traffic += 1
        const buckets = windows.map(window => ({ ...window, label: '' }))
        expect(found, told).toEqual(await countFilteredRows(services, fromRows(resolved), buckets))
      }
      for (const dimension of [random.pick(OF_HITS), 'path', random.pick(OF_SESSIONS)] as const) {
        if (await coverRange(services, resolved)) answered.values += 1
        const subject = { dimension, zone: stream.zone }
        const options = {
          sort: random.pick(['visitors', 'sessions', 'bounce_rate', 'value'] as const),
          order: random.pick(['asc', 'desc'] as const),
          search: undefined,
          limit: 100,
          offset: 0,
        }
        const page = await rankPage(services, resolved, subject, options)
        const expected = await rankPage(services, fromRows(resolved), subject, options)
        const shown = (rows: typeof page.rows) =>
          rows.map(({ hits: _, customEvents: _events, lastAt: _lastAt, ...counts }) => counts)
        expect({ ...page, rows: shown(page.rows) }, `${dimension} ${told}`).toEqual({
          ...expected,
          rows: shown(expected.rows),
        })
        const given = [...page.rows.map(({ value }) => value), 'no such value']
        expect(shown(await countGiven(services, resolved, subject, given))).toEqual(
          shown(await countGiven(services, fromRows(resolved), subject, given)),
        )
      }
      const titles = await countTitlesByColumns(services, resolved)
      if (titles) {
        const rows = mergeSlices(
          await readSlices(services, countFilteredTitles, fromRows(resolved)),
          ({ value }) => value,
        )
        const kept = titles.filter(
          ({ value, sessions, pageviews }) => value !== '' && sessions + pageviews > 0,
        )
        const counts = kept.map(
          ({ value, pageviews, lastAt, sessions, bounces, engagedMs, engagedSessions }) => ({
            ...{ value, pageviews, lastAt, sessions, bounces, engagedMs, engagedSessions },
          }),
        )
        const byValue = (a: { value: string }, b: { value: string }) => (a.value < b.value ? -1 : 1)
        expect(counts.sort(byValue), told).toEqual(
          rows.filter(row => row.sessions + row.pageviews > 0).sort(byValue),
        )
      }
      const filters = { dimensions: round % 2 === 0 ? resolved.filters.dimensions : [], property: undefined }
      const ofMoney = { ...resolved, filters }
      for (const dimension of OF_HITS) {
        const summed = await sumMoneyByColumns(services, ofMoney, 'USD', dimension, undefined)
        if (!summed) continue
        answered.money += 1
        const account = { ...site, teamId: '', timezone: stream.zone, currency: 'USD', firstEventAt: null }
        const expected = await sumMoneyByValue(services, account, fromRows(ofMoney), dimension, undefined)
        for (const kind of ['revenue', 'mrr'] as const) {
          const found = new Map(summed.flatMap(row => (row[kind] === 0n ? [] : [[row.value, row[kind]]])))
          const wanted = new Map([...expected[kind]].filter(([, amount]) => amount !== 0n))
          expect(found, `${dimension} ${kind} ${JSON.stringify(filters)}`).toEqual(wanted)
        }
      }
    }
    if (rollups !== 'before the last third') {
      // Of 12 rounds with two, three and four reads.
      expect(answered).toEqual({ traffic: 24, values: 36, money: 48 })
      const [stored] =
        await db`select max(session_parts) as parts from daily_rollups where site_no = ${siteNo}`
      if (partRows < 10) expect(stored!.parts).toBeGreaterThan(1)
    }
  },
)
