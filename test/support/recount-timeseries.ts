import { bucketing, bucketsOf, countsPerBucket, labelsOf } from './recount-buckets.ts'
import type { Period } from './recount-days.ts'
import type { PeriodMetrics } from './recount-metrics.ts'
import { beforeOf, keptOf, metricsWithin, type Query, recountComparison } from './recount-metrics.ts'
import { type EventType, eventTypes, type World } from './recount-world.ts'

/** A query for buckets: `range` is the preset when the days come from one. */
export interface SeriesQuery extends Query {
  range?: string
}

/**
 * One metric per bucket. `previous` has the buckets of the days before, in the same grouping, first beside first:
 * 0 where the days before have fewer buckets, and none beyond the last label.
 */
export function recountMetricSeries(world: World, metric: keyof PeriodMetrics, query: SeriesQuery) {
  const { group, buckets, labels } = bucketing(world, query)
  const before = beforeOf(world, query)
  const bucketsBefore = bucketsOf(world.zone, before, group)
  const valuesOf = (asked: Query, parts: Period[]) => {
    const kept = keptOf(world, asked)
    return parts.map(part => metricsWithin(kept, part)[metric])
  }
  const valuesBefore = valuesOf(before, bucketsBefore)
  return {
    labels,
    values: valuesOf(query, buckets),
    previous: labels.map((_, index) => valuesBefore[index] ?? 0),
    ...comparisonOf(world, query, bucketsBefore),
    group,
  }
}

/** The fields that a series has with a comparison. */
export const comparisonOf = (world: World, query: Query, bucketsBefore: Period[]) =>
  query.compare
    ? { ...recountComparison(world, query), previous_labels: labelsOf(world.zone, bucketsBefore) }
    : {}

/**
 * Hits of the event log per bucket and type: the types that occur, in the order of the specification.
 * @param types empty means all
 */
export function recountEventSeries(world: World, types: EventType[], query: SeriesQuery) {
  const { group, buckets, labels } = bucketing(world, query)
  const { hits } = keptOf(world, query)
  const series: Partial<Record<EventType, number[]>> = {}
  for (const type of eventTypes) {
    if (types.length > 0 && !types.includes(type)) continue
    const moments = hits.filter(hit => hit.type === type).map(hit => hit.at)
    if (moments.length > 0) series[type] = countsPerBucket(buckets, moments)
  }
  return { labels, types: Object.keys(series) as EventType[], series, group }
}
