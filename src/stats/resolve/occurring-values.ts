import { type Dimension, isHitDimension } from '../../dimensions/dimensions.ts'
import type { Condition } from '../../filters/conditions.ts'
import type { Services } from '../../services.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { type FilteredQuery, filteredQuery } from '../sql/filtered-query.ts'

type Reads = Pick<Services, 'reads'>

/** One chunk of the values. `found` is null in every row when all values together are longer than `characters`. */
interface ValueRow {
  found: string[] | null
}

/**
 * Statement that returns the rows `value` of another in chunks. The driver reads a row in one step: a row of 20 million
 * characters blocked the event loop for 300 ms.
 */
const inChunks = (distinctValues: string) => `select
    case when sum(sum(length(value))) over () <= (select characters from params) then array_agg(value) end as found
  from (
    select value, sum(length(value) + 8) over (rows unbounded preceding) / 50000 as chunk
    from (${distinctValues}) as distinct_value
  ) as numbered
  group by chunk`

/** Every value of a dimension among the filtered hits. */
const listDistinctValues = filteredQuery<{ characters: number }, ValueRow>(
  'list-distinct-values',
  ['filtered_hits'],
  inChunks('select distinct value from filtered_hits'),
)

/** Every value of a dimension among the sessions that money is attributed to. */
const listDistinctMoneyValues = filteredQuery<{ characters: number }, ValueRow>(
  'list-distinct-money-values',
  ['filtered_payments', 'filtered_movements'],
  inChunks('select value from filtered_payments union select value from filtered_movements'),
)

/** Every property key of the filtered hits. */
const listDistinctPropertyKeys = filteredQuery<{ characters: number }, ValueRow>(
  'list-distinct-property-keys',
  ['filtered_hits'],
  inChunks(`
    select distinct property.key as value
    from filtered_hits
    cross join lateral jsonb_object_keys(props) as property (key)`),
)

/** Every value that the filtered hits have under one of `keys`, or under any key if there are none. */
const listDistinctPropertyValues = filteredQuery<{ characters: number; keys: string[] }, ValueRow>(
  'list-distinct-property-values',
  ['filtered_hits'],
  inChunks(`
    select distinct property.value
    from filtered_hits
    cross join lateral jsonb_each_text(props) as property
    where cardinality((select keys from params)) = 0 or property.key = any((select keys from params)::text[])`),
)

/** Limit of the characters of all values that are compared. */
const params = { characters: 20_000_000 }

/**
 * Returns values of hits in the time span, and of sessions that money belongs to; these may lie long before it.
 * @returns undefined when there are too many, as all functions here
 */
export async function listValues(
  { reads }: Reads,
  unfiltered: ResolvedQuery,
  value: Dimension,
): Promise<string[] | undefined> {
  const list = async (run: FilteredQuery<typeof params, ValueRow>) =>
    joined(await run(reads, unfiltered, { params, value }))
  const ofHits = await list(listDistinctValues)
  if (isHitDimension(value)) return ofHits
  const ofMoney = await list(listDistinctMoneyValues)
  return ofHits && ofMoney && ofHits.concat(ofMoney)
}

export const listPropertyKeys = async ({ reads }: Reads, unfiltered: ResolvedQuery) =>
  joined(await listDistinctPropertyKeys(reads, unfiltered, { params }))

/** @param keys when each of them names one key, only values under these keys are returned */
export async function listPropertyValues({ reads }: Reads, unfiltered: ResolvedQuery, keys: Condition[]) {
  const isExact = keys.every(({ operator }) => operator === 'is')
  const named = isExact ? keys.flatMap(({ values }) => values) : []
  return joined(await listDistinctPropertyValues(reads, unfiltered, { params: { ...params, keys: named } }))
}

function joined(rows: ValueRow[]): string[] | undefined {
  const chunks = rows.map(({ found }) => found)
  return chunks.every(found => found !== null) ? chunks.flat() : undefined
}
