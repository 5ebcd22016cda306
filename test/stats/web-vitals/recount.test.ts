import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { VitalsReport } from '../../../src/ingestion/hit.ts'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import type { Db } from '../../../src/platform/db/connect.ts'
import { VITALS, type Vital } from '../../../src/platform/dimensions/vitals.ts'
import {
  getWebVitalsAttribution,
  WebVitalsAttributionQuery,
} from '../../../src/stats/web-vitals/attribution.ts'
import {
  getWebVitalsBreakdown,
  WebVitalsBreakdownQuery,
} from '../../../src/stats/web-vitals/vitals-breakdown.ts'
import { getWebVitals, WebVitalsQuery } from '../../../src/stats/web-vitals/vitals-overview.ts'
import {
  getWebVitalsTimeseries,
  WebVitalsTimeseriesQuery,
} from '../../../src/stats/web-vitals/vitals-timeseries.ts'
import { compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { randomFilters, randomRange } from '../../support/random-filters.ts'
import { type Random, randomFrom } from '../../support/random-values.ts'
import { randomVisits } from '../../support/random-visits.ts'
import { readServices } from '../../support/read-services.ts'
import { localDate, type Period, periodOf } from '../../support/recount-days.ts'
import { type Filters, keep } from '../../support/recount-filters.ts'
import { twoDecimals } from '../../support/recount-rounding.ts'
import {
  byText,
  type CountedHit,
  type Dimension,
  dimensionValue,
  hitDimensions,
  sessionDimensions,
  type World,
} from '../../support/recount-world.ts'
import { hasUsualCases, runs, seeds } from '../../support/runs.ts'
import type { TestSite } from '../../support/sites.ts'
import { replaceGoals } from '../../support/stored-visits.ts'
import { daysBefore, inputOf, storeStream } from '../stored-stream.ts'

const database = useDatabase()

const STREAMS = runs(3)
const QUERIES = runs(10)
const [MINUTE, DAY] = [60_000, 86_400_000]

const isOfPages = (name: Dimension) => name !== 'event_name'

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
  const phases = ['resource_load_delay', 'element_render_delay', undefined]
  const target = () => random.pick(SELECTORS)
  return {
    ...{ id: randomUUID(), ttfb: random.pick([800, 801, 1_800, 1_801]) },
    ...(lcp !== undefined && { lcp, lcpTarget: target(), lcpPhase: random.pick(phases) }),
    ...(inp !== undefined && { inp, inpTarget: target() }),
    ...(cls !== undefined && { cls, clsTarget: target() }),
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
  reports.flatMap(report => measuredOf(report, metric) ?? []).sort((a, b) => a - b)

function measuredOf({ vitals }: Reported, metric: Vital): number | undefined {
  const value = vitals[metric]
  return metric === 'cls' && value !== undefined ? value / 10_000 : value
}

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

const byTexts = (a: string[], b: string[]) =>
  a.map((text, index) => byText(text, b[index]!)).find(order => order !== 0) ?? 0

function recountCauses(reports: Reported[], metric: Vital) {
  const poor = reports.filter(report => (measuredOf(report, metric) ?? 0) > GOOD[metric][1])
  const keyOf = ({ page, vitals }: Reported) => {
    const target = metric === 'lcp' || metric === 'inp' || metric === 'cls' ? vitals[`${metric}Target`] : ''
    const phase = metric === 'cls' ? '' : vitals[`${metric}Phase`]
    return JSON.stringify([page.values.path, target ?? '', phase ?? ''])
  }
  return [...groupBy(poor, keyOf)]
    .map(([key, some]) => ({ key: JSON.parse(key) as [string, string, string], samples: some.length }))
    .sort((a, b) => b.samples - a.samples || byTexts(a.key, b.key))
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
  for (const seed of seeds(STREAMS)) {
    const stream = randomVisits(seed + 300)
    const { site, world, shape } = await storeStream(db, { ...stream, arrivals: stream.late })
    const reported = await storeReports(db, site, randomFrom(seed), world)
    for (let round = 0; round < QUERIES; round++) {
      if (round === QUERIES >> 1) await compressSettledChunks(db, new Date(Date.UTC(2026, 5, 1)))
      const number = seed * 1_000 + round
      const random = randomFrom(number)
      const filters: Filters = random.chance(0.6) ? randomFilters(number, world) : {}
      await replaceGoals(db, site, filters.goal ?? [])
      const range = randomRange(number, world)
      const input = { ...inputOf(filters, WebVitalsQuery), ...range }
      const services = readServices(db, new Date(Date.UTC(2026, 3, 1)))
      const keptIn = (period: Period) => {
        const kept = new Set(keep(world, filters, period).hits)
        return reported.filter(({ page }) => kept.has(page))
      }
      const period = periodOf(world.zone, range.from, range.to)
      const reports = keptIn(period)
      compared += reports.length
      const what = JSON.stringify({ seed, round, filters, range, zone: stream.zone })

      const before = daysBefore(range)
      const comparing = { compare: 'custom', compare_from: before.from, compare_to: before.to }
      const query = WebVitalsQuery.parse({ ...input, ...comparing })
      const metric = random.pick(VITALS)
      const dimension = random.pick([...hitDimensions, ...sessionDimensions].filter(isOfPages))
      const sort = random.pick(['samples', 'p75'] as const)
      const asked = WebVitalsBreakdownQuery.parse({ ...input, metric, dimension, sort, per_page: 100 })
      const rows = recountBreakdown(reports, metric, page => dimensionValue(page, dimension), sort)
      const grouped = WebVitalsTimeseriesQuery.parse({ ...input, metric, group: 'day' })
      const byDay = groupBy(reports, ({ page }) => localDate(world.zone, page.at))
      const second = WebVitalsAttributionQuery.parse({ ...input, metric, page: 2, per_page: 3 })
      const expected = recountCauses(reports, metric)
      const { previous, comparison: _, ...current } = await getWebVitals(services, shape, query)
      expect(current, what).toEqual(allMeasured(reports))
      expect(previous, what).toEqual(allMeasured(keptIn(periodOf(world.zone, before.from, before.to))))

      const breakdown = await getWebVitalsBreakdown(services, shape, asked)
      expect(breakdown, what).toEqual({ rows: rows.slice(0, 100), total: rows.length })

      const series = await getWebVitalsTimeseries(services, shape, grouped)
      const days = series.labels.map(label => measured(byDay.get(label.slice(0, 10)) ?? [], metric))
      for (const name of ['samples', 'p50', 'p75', 'p95'] as const) {
        expect(series[name], what).toEqual(days.map(day => day[name]))
      }

      const causes = await getWebVitalsAttribution(services, shape, second)
      expect(causes, what).toEqual({ rows: expected.slice(3, 6), total: expected.length })
    }
  }
  if (hasUsualCases) expect(compared).toBeGreaterThan(50)
})
