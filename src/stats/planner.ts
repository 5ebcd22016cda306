import { DIMENSIONS, levelOf } from '../platform/dimensions/dimensions.ts'
import { isRolledUpDimension } from '../platform/dimensions/rolled-up.ts'
import { isUnfiltered, type ResolvedQuery } from './filters/resolved-query.ts'

/**
 * Where the numbers of a read come from. The only file that decides it; what each source lacks (days that are not rolled up yet, details that
 * were dropped) is up to those who read the source.
 * - `columns`: count functions over the hits and sessions of the range.
 * - `rollups`: daily rollups of days that are over, and columns of the others; kept buckets and imported totals stand for days without
 *   details.
 * - `newest`: columns of the newest days of the range, and of more days until a page is full.
 * - `buckets`: quarter-hours of revenue.
 * - `ledger`: rows of payments and MRR movements, which are never dropped.
 * - `rows`: rows that an index finds: those of given visitors or sessions, recordings, the hit of a title at a known time.
 */
export type Source = 'columns' | 'rollups' | 'newest' | 'buckets' | 'ledger' | 'rows'

/** Source of each read without filters. With filters, it is columns. */
const WITHOUT_FILTERS = {
  traffic: 'rollups',
  values: 'rollups',
  hits: 'rollups',
  sessions: 'rollups',
  visitors: 'newest',
  countedSessions: 'newest',
  money: 'buckets',
  mrr: 'ledger',
  moneyByValue: 'ledger',
  sessionsOfVisitors: 'rows',
  hitsOfSessions: 'rows',
  recordings: 'rows',
  titlePlaces: 'rows',
} as const satisfies Record<string, Source>

export type Read = keyof typeof WITHOUT_FILTERS

/**
 * Returns the source of a read.
 * @param dimension of `values` and `moneyByValue`; other sources may lack it
 */
export function sourceOf(read: Read, resolved: ResolvedQuery, dimension?: string): Source {
  const source: Source = WITHOUT_FILTERS[read]
  const hasDimension = dimension === undefined || HAS_DIMENSION[source]?.(dimension) === true
  return isUnfiltered(resolved) && hasDimension ? source : 'columns'
}

const KEPT_LEVELS: ReadonlySet<string> = new Set(['session', 'session-row'])

const HAS_DIMENSION: Partial<Record<Source, (dimension: string) => boolean>> = {
  rollups: isRolledUpDimension,
  // The ledger keeps what never changes of a session, also when its row is gone.
  ledger: dimension => DIMENSIONS.some(known => known === dimension && KEPT_LEVELS.has(levelOf(known))),
}
