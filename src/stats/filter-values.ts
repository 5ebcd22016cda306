import { z } from 'zod'
import { label } from '../infra/fields.ts'
import { integerParameter } from '../infra/pagination.ts'
import { DIMENSIONS, isHitDimension } from './filters/dimensions.ts'
import { StatsQuery } from './filters/query.ts'
import { checkPatterns } from './filters/resolve.ts'
import { readFiltered } from './filters/rows.ts'
import { mergeSlices, rankSlices, readSlices } from './filters/slices.ts'
import { readQuestion, type StatsServices, type StatsSite } from './question.ts'
import { rankRolledUp } from './rolled-up.ts'

export const FilterValuesQuery = StatsQuery.safeExtend({
  dimension: z.enum(DIMENSIONS).meta({ description: 'Whose values.' }),
  limit: integerParameter(1, 1_000).default(1_000).meta({ description: 'Most values.' }),
})
export type FilterValuesQuery = z.infer<typeof FilterValuesQuery>

/** @see spec.md "GET /stats/filter-values" */
export const FilterValues = z.object({
  values: z
    .array(
      z.object({
        value: label('What to filter by.', '/pricing'),
        label: label('What people read: the same.', '/pricing'),
      }),
    )
    .meta({ description: 'Most frequent first.' }),
})
export type FilterValues = z.infer<typeof FilterValues>

/** Returns the values of a dimension, most hits or sessions first; the filter on this dimension itself is not applied. */
export async function getFilterValues(
  services: StatsServices,
  site: StatsSite,
  { dimension, limit, ...query }: FilterValuesQuery,
): Promise<FilterValues> {
  const others = {
    ...query,
    [dimension]: undefined,
    ...(dimension === 'utm_campaign' && { campaign: undefined }),
  }
  await checkPatterns(services, site, { [dimension]: query[dimension], campaign: query.campaign })
  const { scope } = await readQuestion(services, site, others)
  const rolledUp = await rankRolledUp(services, scope, {
    dimension,
    by: [isHitDimension(dimension) ? 'hits' : 'sessions'],
    shown: [isHitDimension(dimension) ? 'hits' : 'sessions'],
    leavesOutEmpty: true,
    limit,
    offset: 0,
  })
  if (rolledUp) return present(rolledUp.rows)
  if (services.slices) {
    const name = isHitDimension(dimension) ? 'count-hit-values' : 'count-session-values'
    const counted = await readSlices<{ value: string; found: number }>(services, name, scope, {
      value: dimension,
    })
    const merged = mergeSlices(counted, ({ value }) => value)
    return present(rankSlices(merged, ['found'], ({ value }) => value, { limit, offset: 0 }))
  }
  const statement = isHitDimension(dimension) ? 'rank-hit-values' : 'rank-session-values'
  const rows = await readFiltered<{ value: string }>(services.reads, statement, scope, {
    asked: { limit },
    value: dimension,
  })
  return present(rows)
}

const present = (rows: { value: string }[]): FilterValues => ({
  values: rows.map(({ value }) => ({ value, label: value })),
})
