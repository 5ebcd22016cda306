import { type Db, statement, type Transaction } from '../../infra/db.ts'
import type { EnrichedHit } from '../hit.ts'
import { errorFingerprint } from '../stages/error.ts'
import { DailyValues, type ValueKind } from './daily-values.ts'

// The tracking key is public, so a sender can use a new name with every hit. Without a limit, each name would stay for ever:
// in rollups, in the value dictionary, in error groups, and on every page that lists them.

/** Maximum distinct values of a site and UTC day, for event names, property keys and error groups each (contract §7). */
export const MOST_VALUES = 10_000
/** Replacement for values above the limit. */
const OTHER = '(other)'

/** Properties that describe an error (contract §7). */
const ERROR_PROPERTIES = new Set(['name', 'message', 'stack', 'file_name', 'line_number', 'column_number'])

const DAY_MS = 86_400_000

const selectGoalValues = statement<{ siteNo: number; kind: ValueKind; value: string }>('select-goal-values')

/** Result of limiting a batch. */
export interface BoundedHits {
  /** Hits in the same order; a hit without a value above the limit is the same object. */
  hits: EnrichedHit[]
  /** Number of hits with a value replaced by `(other)`, by kind. */
  others: Record<ValueKind, number>
  /** Must be called after the commit; returns the sites, days and kinds that reached the limit. */
  commit: () => { siteNo: number; day: number; kind: ValueKind }[]
}

/**
 * Replaces values above the limit with `(other)`: event names, property keys and errors after the first `limit` distinct ones
 * of a site and the UTC day of the hit. Keeps values that a goal uses, so that goals still count during a flood of values.
 * @param hits in the order in which they count; not modified, because the transaction can run again with them
 * @param tx the transaction of `db` that stores them
 */
export async function boundValues(
  db: Db,
  tx: Transaction,
  hits: EnrichedHit[],
  limit: number,
): Promise<BoundedHits> {
  const values = new DailyValues(db, limit)
  for (const hit of hits) {
    const day = dayOf(hit)
    const name = nameOf(hit)
    if (name !== undefined) values.ask(hit.siteNo, day, 'event_name', name)
    const errorId = errorOf(hit)
    if (errorId !== undefined) values.ask(hit.siteNo, day, 'error_group', errorId)
    if (hit.props) {
      for (const key in hit.props) if (key !== OTHER) values.ask(hit.siteNo, day, 'property_key', key)
    }
  }
  await values.settle(tx)
  const others = { event_name: 0, property_key: 0, error_group: 0 }
  const beyond = values.beyond()
  if (beyond.length > 0) {
    const siteNos = [...new Set(beyond.map(({ siteNo }) => siteNo))]
    for (const goal of await selectGoalValues(tx, siteNos)) values.admit(goal.siteNo, goal.kind, goal.value)
  }
  return {
    hits: beyond.length > 0 ? hits.map(hit => bound(hit, values, others)) : hits,
    others,
    commit: () => values.commit(),
  }
}

const dayOf = ({ at }: EnrichedHit): number => Math.floor(at / DAY_MS)

/** Returns a name that the sender chose; undefined for autocaptured types, which have only five names. */
function nameOf({ type, name }: EnrichedHit): string | undefined {
  return (type === 'event' || type === 'error') && name !== undefined && name !== OTHER ? name : undefined
}

const errorOf = ({ errorId, error }: EnrichedHit) => (error?.message === OTHER ? undefined : errorId)

function bound(hit: EnrichedHit, values: DailyValues, others: BoundedHits['others']): EnrichedHit {
  const isBeyond = (kind: ValueKind, text: string) => values.isBeyond(hit.siteNo, dayOf(hit), kind, text)
  let bounded = hit
  const name = nameOf(hit)
  if (name !== undefined && isBeyond('event_name', name)) {
    others.event_name += 1
    bounded = withName(bounded)
  }
  const errorId = errorOf(hit)
  if (errorId !== undefined && isBeyond('error_group', errorId)) {
    others.error_group += 1
    bounded = withoutError(bounded)
  }
  const { props } = bounded
  if (props && Object.keys(props).some(key => key !== OTHER && isBeyond('property_key', key))) {
    others.property_key += 1
    bounded = { ...bounded, props: withoutKeys(props, key => key !== OTHER && isBeyond('property_key', key)) }
  }
  return bounded
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
function withoutKeys(props: Record<string, string>, isBeyond: (key: string) => boolean) {
  const kept = Object.entries(props).filter(([key]) => !isBeyond(key))
  return Object.fromEntries([...kept, [OTHER, OTHER]])
}
