import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import { readQuery } from '../../src/http/api/query.ts'
import type { VitalsReport } from '../../src/ingestion/hit.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { compressSettledChunks } from '../../src/rollups/columnstore.ts'
import { StatsQuery } from '../../src/stats/filters/query.ts'
import { VITALS, type Vital } from '../../src/stats/sql/web-vitals.ts'
import { getWebVitalsAttribution, WebVitalsAttributionQuery } from '../../src/stats/web-vitals/attribution.ts'
import { getWebVitalsBreakdown, WebVitalsBreakdownQuery } from '../../src/stats/web-vitals/breakdown.ts'
import { getWebVitals, WebVitalsQuery } from '../../src/stats/web-vitals/overview.ts'
import { getWebVitalsTimeseries, WebVitalsTimeseriesQuery } from '../../src/stats/web-vitals/timeseries.ts'
import { sharedDatabase, type TestDatabase } from '../support/database.ts'
import { filterParameters } from '../support/filter-parameters.ts'
import { enrichedHit } from '../support/hits.ts'
import { inProcessPatterns } from '../support/in-process-patterns.ts'
import { inProcessPool } from '../support/in-process-pool.ts'
import { randomFilters, randomRange } from '../support/random-filters.ts'
import { type Random, randomFrom } from '../support/random-values.ts'
import { randomVisits } from '../support/random-visits.ts'
import { recountSessions } from '../support/recount.ts'
import { addDays, daysBetween, localDate, type Period, periodOf } from '../support/recount-days.ts'
import { type Filters, keep } from '../support/recount-filters.ts'
import { twoDecimals } from '../support/recount-rounding.ts'
import {
  byText,
  type CountedHit,
  dimensionValue,
  hitDimensions,
  sessionDimensions,
  type World,
  worldOf,
} from '../support/recount-world.ts'
import { runs } from '../support/runs.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { replaceGoals, storeVisits, withoutRepeatedDrops } from '../support/stored-visits.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await sharedDatabase()
})
afterAll(() => database.close())

const STREAMS = runs(3)
const QUERIES = runs(10)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** So short that visits extend into the next slice. */
const SLICES = { hits: 8, shortestMs: HOUR }

/** A report and the pageview that it belongs to. */
interface Reported {
  page: CountedHit
  vitals: VitalsReport
}

const SELECTORS = ['#hero', 'main > p', undefined]

function randomVitals(random: Random): VitalsReport {
  const some = (values: number[]) => (random.chance(0.7) ? random.pick(values) : undefined)
  const lcp = some([0, 900, 2_499, 2_500, 2_501, 4_000, 4_001, 60_000])
  const inp = some([8, 200, 208, 500, 504])
  const cls = some([0, 999, 1_000, 1_001, 2_500, 2_501, 10_000])
  const fcp = some([1_800, 1_801, 3_000, 3_001])
  return {
    id: randomUUID(),
    ttfb: random.pick([800, 801, 1_800, 1_801]),
    ...(lcp !== undefined && {
      lcp,
      lcpTarget: random.pick(SELECTORS),
      lcpPhase: random.pick(['resource_load_delay', 'element_render_delay', undefined]),
    }),
    ...(inp !== undefined && { inp, inpTarget: random.pick(SELECTORS) }),
    ...(cls !== undefined && { cls, clsTarget: random.pick(SELECTORS) }),
    ...(fcp !== undefined && { fcp, fcpPhase: random.pick(['first_byte_to_fcp', undefined]) }),
  }
}

/** The pageview of a report, by docs/metrics.md "Web Vitals"; undefined when it is not recorded. */
function pageOf(world: World, visitor: string, path: string, at: number): CountedHit | undefined {
  const visits = world.visits
    .filter(visit => visit.visitor === visitor && visit.hits[0]!.at <= at)
    .sort((a, b) => b.hits[0]!.at - a.hits[0]!.at)
  const visit = visits[0]
  if (!visit || at - visit.startedAt >= DAY) return undefined
  return visit.hits
    .filter(hit => hit.type === 'pageview' && hit.values.path === path && hit.at <= at)
    .sort((a, b) => a.at - b.at || byText(a.id, b.id))
    .at(-1)
}

async function storeReports(db: Db, site: TestSite, random: Random, world: World): Promise<Reported[]> {
  const reported: Reported[] = []
  for (const hit of world.hits) {
    if (hit.type !== 'pageview' || random.chance(0.2)) continue
    const at = hit.at + random.pick([0, 1, MINUTE, 20 * MINUTE])
    const { path } = hit.values
    const [first, second] = [randomVitals(random), randomVitals(random)]
    const fields = { visitorId: hit.visitor, type: 'web_vitals', url: path } as const
    const reports = [enrichedHit(site, at, { ...fields, vitals: first })]
    const isReplaced = random.chance(0.3)
    const vitals = isReplaced ? { ...second, id: first.id } : first
    if (isReplaced) reports.push(enrichedHit(site, at + 1, { ...fields, vitals }))
    await storeHits(db, 0, random.chance(0.5) ? reports : [...reports, reports[0]!])
    const page = pageOf(world, hit.visitor, path, at)
    // A replacement without a first report is a report of its own; none of them has a page then.
    if (page) reported.push({ page, vitals })
  }
  return reported
}

const GOOD: Record<Vital, [number, number]> = {
  lcp: [2_500, 4_000],
  inp: [200, 500],
  cls: [0.1, 0.25],
  fcp: [1_800, 3_000],
  ttfb: [800, 1_800],
}

function groupBy<Item, Key>(items: Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

/** Values of a metric as they are answered. */
const valuesOf = (reports: Reported[], metric: Vital) =>
  reports
    .map(({ vitals }) => vitals[metric])
    .filter(value => value !== undefined)
    .map(value => (metric === 'cls' ? value / 10_000 : value))
    .sort((a, b) => a - b)

function measured(reports: Reported[], metric: Vital) {
  const values = valuesOf(reports, metric)
  const rank = (percent: number) => values[Math.ceil((percent * values.length) / 100) - 1] ?? null
  const [good, fair] = GOOD[metric]
  const share = (test: (value: number) => boolean) =>
    values.length === 0 ? 0 : twoDecimals(100 * values.filter(test).length, values.length)
  return {
    samples: values.length,
    p50: rank(50),
    p75: rank(75),
    p95: rank(95),
    good: share(value => value <= good),
    needs_improvement: share(value => value > good && value <= fair),
    poor: share(value => value > fair),
  }
}

const allMeasured = (reports: Reported[]) =>
  Object.fromEntries(VITALS.map(metric => [metric, measured(reports, metric)]))

function recountBreakdown(
  reports: Reported[],
  metric: Vital,
  textOf: (page: CountedHit) => string,
  sort: 'samples' | 'p75',
) {
  return [...groupBy(reports, ({ page }) => textOf(page))]
    .map(([value, some]) => ({ value, ...measured(some, metric) }))
    .filter(({ samples }) => samples > 0)
    .sort((a, b) => b[sort]! - a[sort]! || b.samples - a.samples || byText(a.value, b.value))
    .map(row => ({ ...row, value: row.value || '(none)' }))
}

function recountCauses(reports: Reported[], metric: Vital) {
  const poor = reports.filter(({ vitals }) => {
    const value = vitals[metric]
    return value !== undefined && (metric === 'cls' ? value / 10_000 : value) > GOOD[metric][1]
  })
  const keyOf = ({ page, vitals }: Reported) => {
    const target = metric === 'lcp' || metric === 'inp' || metric === 'cls' ? vitals[`${metric}Target`] : ''
    const phase = metric === 'cls' ? '' : vitals[`${metric}Phase`]
    return JSON.stringify([page.values.path, target ?? '', phase ?? ''])
  }
  return [...groupBy(poor, keyOf)]
    .map(([key, some]) => ({ key: JSON.parse(key) as [string, string, string], samples: some.length }))
    .sort(
      (a, b) =>
        b.samples - a.samples ||
        byText(a.key[0], b.key[0]) ||
        byText(a.key[1], b.key[1]) ||
        byText(a.key[2], b.key[2]),
    )
    .map(({ key: [path, target, phase], samples }) => ({
      path,
      target: target || '(none)',
      phase: phase || '(none)',
      samples,
    }))
}

test(`web vitals: every number equals a recount of the reports (${STREAMS} streams)`, async () => {
  const { db } = database
  let compared = 0
  for (let seed = 1; seed <= STREAMS; seed++) {
    const stream = randomVisits(seed + 300)
    const site = await createTestSite(db, { timezone: stream.zone })
    const recount = recountSessions(stream.late)
    const world = worldOf(stream.hits, recount, stream.zone)
    await storeVisits(db, site, withoutRepeatedDrops(stream.late, recount.dropped))
    const reported = await storeReports(db, site, randomFrom(seed), world)
    for (let round = 0; round < QUERIES; round++) {
      if (round === QUERIES >> 1) await compressSettledChunks(db, new Date(Date.UTC(2026, 5, 1)))
      const number = seed * 1_000 + round
      const random = randomFrom(number)
      const filters: Filters = random.chance(0.6) ? randomFilters(number, world) : {}
      await replaceGoals(db, site, filters.goal ?? [])
      const range = randomRange(number, world)
      const keys = new Set(Object.keys(StatsQuery.shape))
      const { input } = readQuery(`/?${filterParameters(filters)}`, keys)
      const services = {
        reads: db,
        rollups: inProcessPool(db),
        patterns: inProcessPatterns(),
        grant: null,
        now: () => new Date(Date.UTC(2026, 3, 1)),
        slices: round % 2 === 1 ? SLICES : undefined,
      }
      const shape = { ...site, teamId: 'team', timezone: world.zone, currency: 'USD', firstEventAt: null }
      const keptIn = (period: Period) => {
        const kept = new Set(keep(world, filters, period).hits)
        return reported.filter(({ page }) => kept.has(page))
      }
      const period = periodOf(world.zone, range.from, range.to)
      const reports = keptIn(period)
      compared += reports.length
      const what = JSON.stringify({ seed, round, filters, range, zone: stream.zone })

      const before = daysBefore(range)
      const comparison = { compare: 'custom', compare_from: before.from, compare_to: before.to }
      const query = WebVitalsQuery.parse({ ...input, ...range, ...comparison })
      const { previous, comparison: _, ...current } = await getWebVitals(services, shape, query)
      expect(current, what).toEqual(allMeasured(reports))
      expect(previous, what).toEqual(allMeasured(keptIn(periodOf(world.zone, before.from, before.to))))

      const metric = random.pick(VITALS)
      const dimension = random.pick(
        [...hitDimensions, ...sessionDimensions].filter(name => name !== 'event_name'),
      )
      const sort = random.pick(['samples', 'p75'] as const)
      const breakdown = await getWebVitalsBreakdown(
        services,
        shape,
        WebVitalsBreakdownQuery.parse({ ...input, ...range, metric, dimension, sort, per_page: 100 }),
      )
      const rows = recountBreakdown(reports, metric, page => dimensionValue(page, dimension), sort)
      expect(breakdown, `${what} ${dimension}`).toEqual({ rows: rows.slice(0, 100), total: rows.length })

      const series = await getWebVitalsTimeseries(
        services,
        shape,
        WebVitalsTimeseriesQuery.parse({ ...input, ...range, metric, group: 'day' }),
      )
      const byDay = groupBy(reports, ({ page }) => localDate(world.zone, page.at))
      const days = series.labels.map(label => measured(byDay.get(label.slice(0, 10)) ?? [], metric))
      expect(series, what).toMatchObject({
        samples: days.map(day => day.samples),
        p50: days.map(day => day.p50),
        p75: days.map(day => day.p75),
        p95: days.map(day => day.p95),
      })

      const causes = await getWebVitalsAttribution(
        services,
        shape,
        WebVitalsAttributionQuery.parse({ ...input, ...range, metric, page: 2, per_page: 3 }),
      )
      const expected = recountCauses(reports, metric)
      expect(causes, what).toEqual({ rows: expected.slice(3, 6), total: expected.length })
    }
  }
  expect(compared).toBeGreaterThan(50)
}, 300_000)

/** The same number of days just before. */
const daysBefore = ({ from, to }: { from: string; to: string }) => ({
  from: addDays(from, -(daysBetween(from, to) + 1)),
  to: addDays(from, -1),
})
