import { inTransaction, type Queryable } from '../../platform/db/connect.ts'
import { queries, query } from '../../platform/db/query.ts'
import type { TableName } from '../../platform/db/tables.ts'
import { markBuckets } from './dirty.ts'

// Deletes kept buckets, and says how much a deletion may do at once.

/** Maximum rows of one transaction: a longer one would block others by its locks, or the embedded database's only session. */
export const MAX_ROWS = 20_000
/** A deletion pauses while more buckets than this wait for a refresh. */
export const MAX_MARKS = 5_000

/** Buckets that wait for a refresh or a rollup. */
export const countDirty = query<{ siteNo: number }, { all: number; ofSite: number }>(
  'count-dirty',
  `
  select count(*)::int as "all", (count(*) filter (where site_no = :siteNo::int))::int as "ofSite"
  from dirty_buckets`,
)

const deletionFrom = (table: TableName) => `delete from ${table}
  where site_no = :siteNo::int and ctid = any(array(
    select ctid from ${table}
    where site_no = :siteNo::int and bucket < :before::timestamptz
    order by bucket
    limit :limit::int
  ))
  returning bucket`

/** @public the test of all statements reads them */
export const KEPT_TEXTS = {
  hit: deletionFrom('kept_hit_buckets'),
  session: deletionFrom('kept_session_buckets'),
}
const deleteKept = queries<
  keyof typeof KEPT_TEXTS,
  { siteNo: number; before: Date; limit: number },
  { bucket: Date }
>('delete-kept-buckets-of', KEPT_TEXTS)

/** Kept buckets of one transaction. */
const KEPT_BUCKETS = 2_000
/** Upper bound of all times. */
const LATEST = new Date('9999-01-01T00:00:00Z')

/**
 * Deletes kept buckets of a site. Those of hits are marked dirty: their aggregate may still have them, though the hits are gone.
 * @returns true when there may be more
 */
export async function deleteKeptBuckets(db: Queryable, siteNo: number, before = LATEST): Promise<boolean> {
  const some = { siteNo, before, limit: KEPT_BUCKETS }
  const hits = await inTransaction(db, async transaction => {
    const gone = await deleteKept.hit(transaction, some)
    await markBuckets(
      transaction,
      'hits',
      gone.map(({ bucket }) => ({ siteNo, at: bucket.getTime() })),
    )
    return gone
  })
  const sessions = await deleteKept.session(db, some)
  return [hits, sessions].some(({ length }) => length === KEPT_BUCKETS)
}
