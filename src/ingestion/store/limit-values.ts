import type { Db, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { DAY_MS } from '../../platform/lib/time.ts'
import type { EnrichedHit } from '../hit.ts'
import { errorFingerprint } from '../stages/error.ts'
import { DailyValues, type ValueKind } from './daily-values.ts'

// The tracking key is public, so a sender can use a new name with every hit. Without a limit, each name would stay for ever:
// in rollups, in the value dictionary, in error groups, and on every page that lists them.

/** Maximum distinct values of a site and UTC day, for event names, property keys and error groups each (docs/api.md "Sending hits"). */
export const MOST_VALUES = 10_000
/** Replacement for values above the limit. */
const OTHER = '(other)'

/** Properties that describe an error (docs/api.md "Sending hits"). */
const ERROR_PROPERTIES = new Set(['name', 'message', 'stack', 'file_name', 'line_number', 'column_number'])

/** Values that goals match exactly: event names and property keys. */
const selectGoalValues = query<{ siteNos: number[] }, { siteNo: number; kind: ValueKind; value: string }>(
  'select-goal-values',
  `select site_no as "siteNo", 'event_name' as kind, match_value as value
  from goals
  where site_no = any(:siteNos::int[]) and type = 'event' and match_operator = 'is'
  union all
  select site_no, 'property_key', jsonb_object_keys(custom_props)
  from goals
  where site_no = any(:siteNos::int[])`,
)

/**
 * Replaces values above the limit with `(other)`: event names, property keys and errors after the first `limit` distinct ones
 * of a site and the UTC day of the hit. Keeps values that a goal uses, so that goals still count during a flood of values.
 * @param hits in the order in which they count; not modified, because the transaction can run again with them
 * @param tx the transaction of `db` that stores them
 * @returns the hits in the same order, and how many got `(other)`, by kind; `commit` must be called after the commit and returns
 * the sites, days and kinds that reached the limit
 */
export async function limitValues(db: Db, tx: Transaction, hits: EnrichedHit[], limit: number) {
  const values = new DailyValues(db, limit)
  for (const hit of hits) {
    const day = dayOf(hit)
    const name = nameOf(hit)
    if (name !== undefined) values.register(hit.siteNo, day, 'event_name', name)
    const errorId = errorOf(hit)
    if (errorId !== undefined) values.register(hit.siteNo, day, 'error_group', errorId)
    if (hit.props) {
      for (const key in hit.props) if (key !== OTHER) values.register(hit.siteNo, day, 'property_key', key)
    }
  }
  await values.decide(tx)
  const others = { event_name: 0, property_key: 0, error_group: 0 }
  const exceeded = values.exceededSets()
  if (exceeded.length > 0) {
    const siteNos = [...new Set(exceeded.map(({ siteNo }) => siteNo))]
    for (const goal of await selectGoalValues(tx, { siteNos }))
      values.allow(goal.siteNo, goal.kind, goal.value)
  }
  return {
    hits: exceeded.length > 0 ? hits.map(hit => limitHit(hit, values, others)) : hits,
    others,
    commit: () => values.commit(),
  }
}

export type LimitedHits = Awaited<ReturnType<typeof limitValues>>

const dayOf = ({ at }: EnrichedHit): number => Math.floor(at / DAY_MS)

/** Returns a name that the sender chose; undefined for autocaptured types, which have only five names. */
function nameOf({ type, name }: EnrichedHit): string | undefined {
  return (type === 'event' || type === 'error') && name !== undefined && name !== OTHER ? name : undefined
}

const errorOf = ({ errorId, error }: EnrichedHit) => (error?.message === OTHER ? undefined : errorId)

function limitHit(hit: EnrichedHit, values: DailyValues, others: Record<ValueKind, number>): EnrichedHit {
  const isAbove = (kind: ValueKind, text: string) => values.isAboveLimit(hit.siteNo, dayOf(hit), kind, text)
  let limited = hit
  const name = nameOf(hit)
  if (name !== undefined && isAbove('event_name', name)) {
    others.event_name += 1
    limited = withName(limited)
  }
  const errorId = errorOf(hit)
  if (errorId !== undefined && isAbove('error_group', errorId)) {
    others.error_group += 1
    limited = withoutError(limited)
  }
  const { props } = limited
  if (props && Object.keys(props).some(key => key !== OTHER && isAbove('property_key', key))) {
    others.property_key += 1
    limited = { ...limited, props: withoutKeys(props, key => key !== OTHER && isAbove('property_key', key)) }
  }
  return limited
}

/** Replaces the event name; the name of an error must stay equal to that of its event. */
function withName(hit: EnrichedHit): EnrichedHit {
  return { ...hit, name: OTHER, ...(hit.error && { error: { ...hit.error, name: OTHER } }) }
}

/** Removes the error's own data, from the error and from properties. */
function withoutError(hit: EnrichedHit): EnrichedHit {
  const props = Object.entries(hit.props ?? {}).filter(([key]) => !ERROR_PROPERTIES.has(key))
  return {
    ...hit,
    name: OTHER,
    error: { name: OTHER, message: OTHER },
    errorId: errorFingerprint(hit.siteId, OTHER),
    props: props.length > 0 ? Object.fromEntries(props) : undefined,
  }
}

/** Replaces all keys above the limit with one key and one value: a value has no meaning without its key. */
function withoutKeys(props: Record<string, string>, isAbove: (key: string) => boolean) {
  const kept = Object.entries(props).filter(([key]) => !isAbove(key))
  return Object.fromEntries([...kept, [OTHER, OTHER]])
}
