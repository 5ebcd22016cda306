import { ADVISORY_LOCKS } from '../../../platform/db/advisory-locks.ts'
import type { Db, Transaction } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { decodeColumns } from '../../../storage/rollups/daily/codec.ts'
import { lockRollups } from '../../../storage/rollups/daily/roll-up-day.ts'
import { type Erasure, itemsOf, type Outcome, removeItems } from './items.ts'

/** Rollups that are read at once. */
const PAGE = 200

const selectValueIds = query<{ siteNo: number; digests: string[] }, { valueId: number; digest: string }>(
  'select-erased-value-ids',
  `select value_id as "valueId", sha256 as digest
  from value_dictionary
  where site_no = :siteNo and sha256 = any(:digests::uuid[])`,
)

/** Changes with every change of a rollup of the site. */
const stampRollups = query<{ siteNo: number }, { stamp: string | null }>(
  'stamp-rollups',
  `select md5(string_agg(version::text, ',' order by starts_at, ends_at)) as stamp
  from daily_rollups
  where site_no = :siteNo`,
)

interface ValueRollup {
  dimension: string
  startsAt: Date
  endsAt: Date
  counts: Buffer
  isStale: boolean
}

/** A page of counts by value, in the order of their key. Stale: the day waits to be rolled up again. */
const selectRollups = query<
  { siteNo: number; dimension: string; startsAt: Date; endsAt: Date; limit: number },
  ValueRollup
>(
  'select-rollups-after',
  `select
    dimension, starts_at as "startsAt", ends_at as "endsAt", counts,
    exists (
      select from dirty_buckets
      where aggregate = 'daily_rollups' and dirty_buckets.site_no = :siteNo::int and bucket >= starts_at and bucket < ends_at
    ) as "isStale"
  from daily_value_rollups
  where site_no = :siteNo::int and counts is not null
    and (dimension, starts_at, ends_at) > (:dimension::text, :startsAt::timestamptz, :endsAt::timestamptz)
  order by dimension, starts_at, ends_at
  limit :limit::int`,
)

const deleteValues = query<{ siteNo: number; valueIds: number[] }>(
  'delete-erased-values',
  'delete from value_dictionary where site_no = :siteNo and value_id = any(:valueIds::int[])',
)

/**
 * Deletes values of the erased hits from the value dictionary, as far as no rollup has them. Rollups of the days that the erasure
 * changed have them until the days are rolled up again: then the step waits.
 */
export async function forgetValues(db: Db, erasure: Erasure): Promise<Outcome> {
  const { siteNo } = erasure
  const digests = await itemsOf(db, erasure, 'value')
  const candidates = await selectValueIds(db, { siteNo, digests })
  if (candidates.length === 0) return 'done'
  const [before] = await stampRollups(db, { siteNo })
  const used = await findUsed(db, siteNo)
  const isSettled = await db.begin(async tx => {
    await lockRollups(tx, { lock: ADVISORY_LOCKS.dailyRollups, siteNo })
    const [now] = await stampRollups(tx, { siteNo })
    if (now!.stamp !== before!.stamp) return false
    await settle(tx, erasure, candidates, used)
    return true
  })
  const isWaiting = candidates.some(({ valueId }) => used.stale.has(valueId) && !used.fresh.has(valueId))
  return isSettled && !isWaiting ? 'done' : 'waiting'
}

/** Ids of values in rollups that agree with the rows, and in those that do not. */
interface Used {
  fresh: Set<number>
  stale: Set<number>
}

async function findUsed(db: Db, siteNo: number): Promise<Used> {
  const used: Used = { fresh: new Set(), stale: new Set() }
  let after = { dimension: '', startsAt: new Date(0), endsAt: new Date(0) }
  for (;;) {
    const rollups = await selectRollups(db, { siteNo, ...after, limit: PAGE })
    for (const { counts, isStale } of rollups) {
      const into = isStale ? used.stale : used.fresh
      for (const valueId of decodeColumns(counts).valueIds) into.add(valueId)
    }
    if (rollups.length < PAGE) return used
    after = rollups.at(-1)!
  }
}

async function settle(
  tx: Transaction,
  erasure: Erasure,
  candidates: { valueId: number; digest: string }[],
  { fresh, stale }: Used,
): Promise<void> {
  const unused = candidates.filter(({ valueId }) => !fresh.has(valueId) && !stale.has(valueId))
  await deleteValues(tx, { siteNo: erasure.siteNo, valueIds: unused.map(({ valueId }) => valueId) })
  const settled = candidates.filter(({ valueId }) => fresh.has(valueId) || !stale.has(valueId))
  await removeItems(
    tx,
    erasure,
    'value',
    settled.map(({ digest }) => digest),
  )
}
