import { statement, type Transaction } from '../infra/db.ts'
import type { Aggregate } from './aggregates.ts'

const BUCKET_MS = 15 * 60_000

const markDirty = statement('mark-dirty')
const markRollupsDirty = statement('mark-daily-rollups')

/**
 * Marks the buckets of changed rows below an aggregate's watermark: readers use raw rows for them until they are refreshed.
 * Call it in the transaction that writes the rows, after the writes, and only once for each aggregate: two transactions
 * that call it twice could deadlock.
 * @param touched any time inside each bucket, Unix milliseconds
 */
export async function markBuckets(
  tx: Transaction,
  aggregate: Aggregate,
  touched: { siteNo: number; at: number }[],
): Promise<void> {
  const buckets = new Map<string, { siteNo: number; at: number }>()
  for (const { siteNo, at } of touched) {
    const bucket = Math.floor(at / BUCKET_MS) * BUCKET_MS
    buckets.set(`${siteNo}/${bucket}`, { siteNo, at: bucket })
  }
  if (buckets.size === 0) return
  const values = [...buckets.values()]
  await markDirty(
    tx,
    aggregate,
    values.map(value => value.siteNo),
    values.map(value => value.at),
  )
}

/**
 * Marks the days whose rollups may hold the changed rows. The rules of `markBuckets` apply.
 * @param touched `at`: any time in the day, rounded down to a quarter hour; `changedAt`: a rollup built up to a later time
 * holds the row. For a hit this is its own time; for a session, `closesAt` of its last hit before or after the change,
 * whichever is earlier
 */
export async function markRollups(
  tx: Transaction,
  touched: { siteNo: number; at: number; changedAt: number }[],
): Promise<void> {
  const buckets = new Map<string, { siteNo: number; at: number; changedAt: number }>()
  for (const { siteNo, at, changedAt } of touched) {
    const bucket = Math.floor(at / BUCKET_MS) * BUCKET_MS
    const key = `${siteNo}/${bucket}`
    const known = buckets.get(key)
    if (known) known.changedAt = Math.min(known.changedAt, changedAt)
    else buckets.set(key, { siteNo, at: bucket, changedAt })
  }
  if (buckets.size === 0) return
  const values = [...buckets.values()]
  await markRollupsDirty(
    tx,
    values.map(value => value.siteNo),
    values.map(value => value.at),
    values.map(value => value.changedAt),
  )
}
