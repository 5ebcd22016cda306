import { statement, type Transaction } from '../infra/db.ts'
import type { Aggregate } from './aggregates.ts'

const BUCKET_MS = 15 * 60_000

const markDirty = statement('mark-dirty')
const markFoldsDirty = statement('mark-folds')

/**
 * For whoever has written rows below an aggregate's horizon, in the same transaction and after them: readers take the
 * buckets from raw rows until they are refreshed. Once a transaction and aggregate, so that two never wait for each other.
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
 * The same of the days whose folds may hold what was changed.
 * @param touched `at`: any time in the day, to the quarter hour; `changedAt`: a fold that is made up to a later time holds
 * it: a hit's own time, of a session `closesAt` of its last hit before the change or after it, whichever is earlier
 */
export async function markFolds(
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
  await markFoldsDirty(
    tx,
    values.map(value => value.siteNo),
    values.map(value => value.at),
    values.map(value => value.changedAt),
  )
}
