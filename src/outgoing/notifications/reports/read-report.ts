import type { SiteRecord } from '../../../access/sites/site-schema.ts'
import { abandonWhen } from '../../../platform/db/abandon.ts'
import { AppError } from '../../../platform/errors.ts'
import { withDeadline } from '../../../platform/lib/deadline.ts'
import { BreakdownQuery } from '../../../stats/breakdown/breakdown-query.ts'
import type { BreakdownRow } from '../../../stats/breakdown/row.ts'
import { StatsQuery } from '../../../stats/filters/stats-query.ts'
import { getMoney, type MoneyReport } from '../../../stats/money/summary.ts'
import type { StatsServices } from '../../../stats/query-context.ts'
import { getBreakdown } from '../../../stats/reads/breakdown.ts'
import { type GoalRow, getGoalReport } from '../../../stats/reads/goal-report.ts'
import { getOverview, type Overview } from '../../../stats/reads/overview.ts'
import { getTimeseries, type Timeseries } from '../../../stats/reads/timeseries.ts'
import type { Period } from './periods.ts'
import type { ReportSection } from './report-schema.ts'

/** What a report says: answers of the API, as they are. */
export interface ReportNumbers {
  overview: Overview
  visitors: Timeseries
  /** With the section `revenue`, where the site has payments. */
  revenue: Timeseries | undefined
  /** With the section `revenue`, where a processor is connected. */
  money: MoneyReport | undefined
  /** Undefined without their section. */
  pages: BreakdownRow[] | undefined
  sources: BreakdownRow[] | undefined
  countries: BreakdownRow[] | undefined
  /** Those that visitors met, most visitors first. */
  goals: GoalRow[] | undefined
}

/** Rows of a list. */
const MOST_ROWS = 6

type ReadServices = Omit<StatsServices, 'grant' | 'signal' | 'userId' | 'showDetailsFrom'>

/**
 * Reads the numbers of a report with the reads of the API, one after the other. Sections that the report does not show are not read.
 * @param signal ends the reads
 */
export async function readReport(
  services: ReadServices & { signal?: AbortSignal | undefined },
  site: SiteRecord,
  { from, to }: Period,
  sections: readonly ReportSection[],
): Promise<ReportNumbers> {
  const shown = new Set(sections)
  const grant = {
    sections: new Set(['traffic' as const, ...sections]),
    filters: [],
    mayExport: false,
    share: null,
  }
  const reader: StatsServices = { ...services, grant }
  const range = StatsQuery.parse({ from, to })
  const series = (metric: 'visitors' | 'revenue') => getTimeseries(reader, site, { ...range, metric })
  const top = async (section: ReportSection, dimension: 'path' | 'source' | 'country') => {
    if (!shown.has(section)) return undefined
    const query = BreakdownQuery.parse({ from, to, dimension, per_page: MOST_ROWS })
    return (await getBreakdown(reader, site, query)).rows
  }

  const overview = await getOverview(reader, site, range)
  return {
    overview,
    visitors: await series('visitors'),
    revenue: overview.revenue === undefined ? undefined : await series('revenue'),
    money: overview.mrr === undefined ? undefined : await getMoney(reader, site, range),
    pages: await top('pages', 'path'),
    sources: await top('sources', 'source'),
    countries: await top('locations', 'country'),
    goals: shown.has('goals') ? ranked(await getGoalReport(reader, site, range)) : undefined,
  }
}

const ranked = (goals: GoalRow[]) =>
  goals
    .filter(({ visitors }) => visitors > 0)
    .sort((a, b) => b.visitors - a.visitors)
    .slice(0, MOST_ROWS)

/** Returns whether nothing happened in the period. */
export function isEmpty({ overview }: Pick<ReportNumbers, 'overview'>): boolean {
  const { pageviews, visitors, sessions, custom_events: events, payments = 0, mrr = 0 } = overview
  return [pageviews, visitors, sessions, events, payments, mrr].every(value => value === 0)
}

/** Longest time of all reads of a report; a caller of the API waits as long for a single one. */
const PATIENCE_MS = 10_000

/**
 * The same within the time that a caller of the API waits: then its statements are cancelled, so that they do not stand in the way of
 * hits.
 * @throws AppError `unavailable` when it takes longer
 */
export function readReportInTime(
  services: ReadServices,
  site: SiteRecord,
  period: Period,
  sections: readonly ReportSection[],
): Promise<ReportNumbers> {
  const late = new AbortController()
  const reading = abandonWhen(late.signal, () =>
    readReport({ ...services, signal: late.signal }, site, period, sections),
  )
  return withDeadline(PATIENCE_MS, reading, () => {
    late.abort()
    return new AppError('unavailable', 'The numbers take too long to read')
  })
}
