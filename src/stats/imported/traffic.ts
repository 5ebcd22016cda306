import { type LocalDay, startOfDay } from '../../time/local-time.ts'
import type { Bucket, Range } from '../../time/range.ts'
import type { Filters } from '../filters/query.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import { type Imported, type PlanOf, presentPlan } from './answer.ts'
import type { Family, TotalsNumber } from './families.ts'
import { planTotals, type TotalsPlan, type TotalsQuestion } from './plan.ts'
import { addSums, noSums, sumByDay, type TotalsSums } from './sums.ts'

/** Imported traffic of a period. */
export interface ImportedTraffic {
  byDay: ReadonlyMap<LocalDay, TotalsSums>
  note: Omit<Imported, 'previous'>
}

type Services = Pick<StatsServices, 'reads' | 'slices'>

/** The names of events have custom events. */
const OF_EVENTS = { needs: ['events'], sumsOver: 'event_name' } as const

const OF_TRAFFIC = [
  'visitors',
  'sessions',
  'pageviews',
  'views_per_visit',
  'bounce_rate',
  'avg_session_seconds',
] as const

/** Reads all traffic metrics of a period. Custom events come from the totals by event name. */
export async function readImportedTraffic(
  services: Services,
  { siteNo }: Pick<StatsSite, 'siteNo'>,
  families: readonly Family[],
  range: Range,
  filters: Filters,
): Promise<ImportedTraffic> {
  const traffic = planTotals(families, range, { filters, needs: ['visitors'] })
  const events = planTotals(families, range, { filters, ...OF_EVENTS })
  const [byDay, eventsByDay] = await Promise.all(
    [traffic, events].map(({ parts }) => sumByDay(services, siteNo, parts, filters)),
  )
  // Without traffic, the answer is that of the site's own hits: events alone would not say so.
  if (traffic.parts.length === 0) return { byDay: new Map(), note: presentPlan(traffic, {}) }
  for (const sums of byDay!.values()) sums.events = 0
  for (const [day, { events: count }] of eventsByDay!) {
    byDay!.set(day, { ...(byDay!.get(day) ?? noSums()), events: count })
  }
  const plans: PlanOf = {
    ...Object.fromEntries(OF_TRAFFIC.map(name => [name, traffic])),
    custom_events: events,
  }
  return { byDay: byDay!, note: presentPlan(traffic, plans) }
}

interface MetricQuestion {
  range: Range
  filters: Filters
  metric: string
  /** Numbers that it is computed from; undefined: totals never have them. */
  needs: readonly TotalsNumber[] | undefined
}

/** Reads one metric of a period. */
export async function readImportedMetric(
  services: Services,
  { siteNo }: Pick<StatsSite, 'siteNo'>,
  families: readonly Family[],
  { range, filters, metric, needs }: MetricQuestion,
): Promise<ImportedTraffic> {
  const question: TotalsQuestion = {
    filters,
    ...(metric === 'custom_events' ? OF_EVENTS : { needs: needs ?? [] }),
  }
  const found = planTotals(families, range, question, range.group === 'hour')
  const plan: TotalsPlan =
    needs || found.refusal === 'no_days' ? found : { ...found, parts: [], refusal: 'numbers' }
  return {
    byDay: await sumByDay(services, siteNo, plan.parts, filters),
    note: presentPlan(plan, { [metric]: plan }),
  }
}

/** Returns the sums of each bucket; undefined for a bucket without any. Buckets are whole days. */
export function byBucket(
  byDay: ReadonlyMap<LocalDay, TotalsSums>,
  zone: string,
  buckets: readonly Bucket[],
): (TotalsSums | undefined)[] {
  const sums: (TotalsSums | undefined)[] = buckets.map(() => undefined)
  for (const [day, counts] of byDay) {
    const at = startOfDay(zone, day)
    const index = buckets.findLastIndex(({ start }) => start.getTime() <= at)
    if (index < 0) continue
    sums[index] ??= noSums()
    addSums(sums[index], counts)
  }
  return sums
}
