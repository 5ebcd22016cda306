import { type LocalDay, startOfDay } from '../../platform/time/local-time.ts'
import type { Bucket, Range } from '../../platform/time/range.ts'
import type { Filters } from '../filters/stats-query.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import type { Family } from './families.ts'
import { type Imported, presentPlans } from './imported-answer.ts'
import { importedMetric } from './metrics.ts'
import { type Part, planTotals, type TotalsPlan } from './plan.ts'
import { addSums, noSums, sumByDay, type TotalsSums } from './sums.ts'

/** Imported traffic of a period. */
export interface ImportedTraffic {
  byDay: ReadonlyMap<LocalDay, TotalsSums>
  note: Omit<Imported, 'previous'>
}

interface TrafficQuestion {
  range: Range
  filters: Filters
  /** The first one says why nothing is added. */
  metrics: readonly string[]
  /** Whether buckets are shorter than a day. */
  hasParts?: boolean
}

/**
 * Reads metrics of a period. Each one has the tables that it would have alone: so a number is the same wherever it is shown, and a table
 * without sessions takes no day from one that has them.
 */
export async function readImportedTraffic(
  services: Pick<StatsServices, 'reads' | 'readsInParts'>,
  { siteNo }: Pick<StatsSite, 'siteNo'>,
  families: readonly Family[],
  question: TrafficQuestion,
): Promise<ImportedTraffic> {
  const plans = question.metrics.map((metric): [string, TotalsPlan] => [
    metric,
    planMetric(families, question, metric),
  ])
  const byDay = new Map<LocalDay, TotalsSums>()
  await Promise.all(
    groupByParts(plans).map(async ({ parts, metrics }) => {
      const names = metrics.flatMap(metric => importedMetric(metric)?.sums ?? [])
      for (const [day, sums] of await sumByDay(services, siteNo, parts, question.filters)) {
        const into = byDay.get(day) ?? noSums()
        byDay.set(day, into)
        for (const name of names) into[name] = sums[name]
      }
    }),
  )
  return { byDay, note: presentPlans(plans[0]![1], Object.fromEntries(plans)) }
}

/** Custom events come from the totals by their names: an event has one name. */
function planMetric(
  families: readonly Family[],
  { range, filters, hasParts }: TrafficQuestion,
  metric: string,
): TotalsPlan {
  const needs = importedMetric(metric)?.needs
  const plan = planTotals(
    families,
    range,
    { filters, needs: needs ?? [], ...(metric === 'custom_events' && { sumsOver: 'event_name' }) },
    hasParts,
  )
  return needs || plan.refusal === 'no_days' ? plan : { ...plan, parts: [], refusal: 'numbers' }
}

/** Metrics of the same tables and days are read once. */
function groupByParts(plans: readonly [string, TotalsPlan][]): { parts: Part[]; metrics: string[] }[] {
  const groups = new Map<string, { parts: Part[]; metrics: string[] }>()
  for (const [metric, { parts }] of plans) {
    if (parts.length === 0) continue
    const key = parts.map(({ family, from, to }) => [family.familyNo, from, to].join()).join(';')
    const group = groups.get(key)
    if (group) group.metrics.push(metric)
    else groups.set(key, { parts, metrics: [metric] })
  }
  return [...groups.values()]
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
