import { z } from 'zod'
import { capped } from '../../platform/schema/amounts.ts'
import { Comparison, checkComparison, compareFields } from '../../platform/time/comparison.ts'
import { buckets, groupField, seriesBuckets } from '../../platform/time/range.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { Group, Labels } from '../reads/timeseries.ts'
import { CHANGE_KINDS, countMrrChanges, type MrrBucket } from './mrr-changes.ts'

export const MrrMovementsQuery = StatsQuery.safeExtend({ ...groupField, ...compareFields }).superRefine(
  checkComparison,
)
export type MrrMovementsQuery = z.infer<typeof MrrMovementsQuery>

const amounts = (description: string, ...example: number[]) => z.array(z.int()).meta({ description, example })

const series = {
  new: amounts('From customers who never had MRR before.', 1_000, 0),
  expansion: amounts('From customers whose MRR rose.', 0, 500),
  contraction: amounts('From customers whose MRR fell, but not to 0.', -200, 0),
  churn: amounts('From customers whose MRR fell to 0.', 0, -1_000),
  reactivation: amounts('From customers who had MRR, then none, and have some again.', 0, 0),
  mrr: amounts('MRR at the end of each bucket.', 10_800, 10_300),
}

export type MovementMetric = keyof typeof series

/** @see docs/metrics.md "MRR change of a customer" */
export const MrrMovements = z
  .object({
    labels: Labels,
    ...series,
    previous: z.object(series).meta({
      id: 'PreviousMrrMovements',
      description: 'The same of the period before, or of the compared one, by its own buckets.',
    }),
    previous_labels: Labels,
    comparison: Comparison.optional(),
    group: Group,
  })
  .meta({ id: 'MrrMovements', description: "Minor units of the site's currency." })
export type MrrMovements = z.infer<typeof MrrMovements>

/** Returns the changes of MRR by kind in each bucket of the range and of the period before, and the MRR at their ends. */
export async function getMrrMovements(
  services: StatsServices,
  site: StatsSite,
  query: MrrMovementsQuery,
): Promise<MrrMovements> {
  const { range, rangeBefore, resolved, resolvedBefore, comparison } = await resolveContext(
    services,
    site,
    query,
  )
  const all = seriesBuckets(range)
  const before = comparison
    ? seriesBuckets(rangeBefore, query.compare === 'custom' ? 'compare_from' : query.group ? 'group' : 'from')
    : buckets(rangeBefore)
  const { periods } = await countMrrChanges(services, site, [
    { resolved, buckets: all },
    { resolved: resolvedBefore, buckets: before },
  ])
  const [current, previous] = periods.map(period => presentSeries(period.buckets))
  return {
    labels: all.map(({ label }) => label),
    ...current!,
    previous: previous!,
    previous_labels: before.map(({ label }) => label),
    ...(comparison && { comparison }),
    group: range.group,
  }
}

function presentSeries(all: MrrBucket[]) {
  const byKind = CHANGE_KINDS.map(kind => [kind, all.map(({ amounts }) => capped(amounts[kind]))])
  return {
    ...(Object.fromEntries(byKind) as Record<(typeof CHANGE_KINDS)[number], number[]>),
    mrr: all.map(({ mrrAfter }) => capped(mrrAfter)),
  }
}
