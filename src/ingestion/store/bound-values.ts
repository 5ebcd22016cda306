import { type Db, statement, type Transaction } from '../../infra/db.ts'
import type { EnrichedHit } from '../hit.ts'
import { errorFingerprint } from '../stages/error.ts'
import { DailyValues, type ValueKind } from './daily-values.ts'

// With the public tracking key anybody can send a new name with every hit. Each would be a value of its own for ever: in
// rollups, in the value dictionary, in error groups, and on every page that lists them.

/** Distinct event names, property keys and error groups of a site and UTC day, of each kind (contract §7). */
export const MOST_VALUES = 10_000
/** What is beyond counts under it. */
const OTHER = '(other)'

/** Properties that say what an error was (contract §7). */
const ERROR_PROPERTIES = new Set(['name', 'message', 'stack', 'file_name', 'line_number', 'column_number'])

const DAY_MS = 86_400_000

const selectGoalValues = statement<{ siteNo: number; kind: ValueKind; value: string }>('select-goal-values')

/** What came of a batch. */
export interface BoundedHits {
  /** In the same order; those that have nothing beyond are the same objects. */
  hits: EnrichedHit[]
  /** Hits with a value that counts under `(other)`, by its kind. */
  others: Record<ValueKind, number>
  /** To be called when the transaction is committed; returns which kinds of which sites and days have become full. */
  commit: () => { siteNo: number; day: number; kind: ValueKind }[]
}

/**
 * Puts `(other)` in place of what is beyond the first `limit` distinct event names, property keys and errors of a site and of
 * the UTC day of the hit. What a goal names stays, so that a flood does not blind it.
 * @param hits in the order in which they count; they stay as they are, since a transaction may be run again with them
 * @param tx a transaction of `db` that stores them
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

/** The name that somebody chose; autocaptured kinds have five. */
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

/** The name of an error is that of its event. */
function withName(hit: EnrichedHit): EnrichedHit {
  return { ...hit, name: OTHER, ...(hit.error && { error: { ...hit.error, name: OTHER } }) }
}

/** Nothing of the error itself is kept, however it was sent. */
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

/** All keys that are beyond become one, which has one value: without its key a value says nothing. */
function withoutKeys(props: Record<string, string>, isBeyond: (key: string) => boolean) {
  const kept = Object.entries(props).filter(([key]) => !isBeyond(key))
  return Object.fromEntries([...kept, [OTHER, OTHER]])
}
