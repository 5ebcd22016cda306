import { ADVISORY_LOCKS } from '../../platform/db/advisory-locks.ts'
import type { Db, Transaction } from '../../platform/db/connect.ts'
import { isDataFault, isRetryable, sqlState } from '../../platform/db/database-errors.ts'
import { query } from '../../platform/db/query.ts'
import { Unreplicated, unreplicatedCommits } from '../../platform/db/unreplicated.ts'
import { type RetryOptions, retry } from '../../platform/lib/retry.ts'
import { HOUR_MS, MINUTE_MS } from '../../platform/lib/time.ts'
import type { Log } from '../../platform/runtime/log.ts'
import { noteCandidates } from '../../storage/events/goal-candidates.ts'
import { type EnrichedHit, PARTITIONS, type RestoredHit } from '../hit.ts'
import { findStored } from './find-stored.ts'
import { type LimitedHits, limitValues, MOST_VALUES } from './limit-values.ts'
import { loadBatchContext } from './load-batch-context.ts'
import { Contradiction, restoreHit, restoreReport } from './restore-rules.ts'
import { type AssignedReport, assignReport, assignToSession, type SessionizedHit } from './session-rules.ts'
import { type UnifiedSources, unifySources } from './unify-sources.ts'
import { writeBatch } from './write-batch.ts'
import { type ReportsToWrite, sortReports } from './write-reports.ts'

/**
 * Blocks other consumers of the partition until the transaction ends; does not determine their order.
 * Turns off the limit of 100,000 decompressed rows in a transaction: a late hit may change a session in the columnstore, and
 * TimescaleDB counts the whole compressed batches of the few rows that change.
 */
const lockPartition = query<{ lock: number; partition: number }>(
  'lock-partition',
  `select
    set_config('timescaledb.max_tuples_decompressed_per_dml_transaction', '0', true),
    pg_advisory_xact_lock(:lock::int, :partition::int)`,
)

export const selectLiveSites = query<
  { siteNos: number[] },
  { siteNo: number; detailsFrom: Date | null; watchesGoals: boolean }
>(
  'select-live-sites',
  `select site_no as "siteNo", details_from as "detailsFrom", watches_goals as "watchesGoals"
  from sites
  where site_no = any(:siteNos::int[]) and deleted_at is null`,
)

/**
 * Writes to the log of the database: the commit then waits until the synchronous standby has everything that was written before.
 * A transaction that writes nothing does not wait.
 */
const writeToLog = query<void, { position: string }>(
  'write-to-log',
  "select pg_logical_emit_message(true, 'stored again', '')::text as position",
)

const ALL_PARTITIONS = Array.from({ length: PARTITIONS }, (_, partition) => partition)

/**
 * Blocks all storing of hits of partitions until the transaction ends.
 * @param partition 'all' for a transaction that changes what hits of any visitor have made
 */
export async function lockPartitions(
  tx: Transaction,
  partition: number | readonly number[] | 'all',
): Promise<void> {
  const partitions = partition === 'all' ? ALL_PARTITIONS : [partition].flat()
  // Lock in a fixed order to prevent deadlocks.
  for (const locked of partitions.toSorted((a, b) => a - b))
    await lockPartition(tx, { lock: ADVISORY_LOCKS.partition, partition: locked })
}

export interface Stored {
  stored: number
  /** Hits that an earlier delivery had already stored. */
  repeated: number
  /** Hits of deleted sites. */
  dropped: number
  /** Hits before the `details_from` of their site: the numbers of those days no longer change. */
  expired: EnrichedHit[]
  /** Restored hits that contradict what is stored, and why. */
  refused: { hit: EnrichedHit; reason: string }[]
  /** Orphan engagement, and web vitals without a pageview: it may still arrive in another batch. */
  orphanEngagement: EnrichedHit[]
  /** Hits of sites whose database server does not answer: they were not tried. */
  unreachable: EnrichedHit[]
  /** Hits with a value above the limit of their site and day, by kind of value. */
  others: LimitedHits['others']
  /** Sites, days and kinds of values that reached the limit with this batch. */
  filled: ReturnType<LimitedHits['commit']>
}

/** Adds the results of two batches, or of the two halves of a batch. */
function addStored(a: Stored, b: Stored): Stored {
  return {
    stored: a.stored + b.stored,
    repeated: a.repeated + b.repeated,
    dropped: a.dropped + b.dropped,
    expired: [...a.expired, ...b.expired],
    refused: [...a.refused, ...b.refused],
    orphanEngagement: [...a.orphanEngagement, ...b.orphanEngagement],
    unreachable: [...a.unreachable, ...b.unreachable],
    others: {
      event_name: a.others.event_name + b.others.event_name,
      property_key: a.others.property_key + b.others.property_key,
      error_group: a.others.error_group + b.others.error_group,
    },
    filled: [...a.filled, ...b.filled],
  }
}

/** Returns the result of an empty batch. */
export const nothingStored = (): Stored => ({
  stored: 0,
  repeated: 0,
  dropped: 0,
  expired: [],
  refused: [],
  orphanEngagement: [],
  unreachable: [],
  others: { event_name: 0, property_key: 0, error_group: 0 },
  filled: [],
})

/**
 * Stores a batch in one transaction. Skips hits that are already stored, so that a batch can be delivered any number of times.
 * @param partition one or more partitions of the hits' visitors; 'all' if unknown, which blocks every other batch
 * @param mostValues limit of distinct values of a site and day, for event names, property keys and errors each
 * @throws the database error; nothing is stored then, or `Unreplicated`
 */
export async function storeHits(
  db: Db,
  partition: number | number[] | 'all',
  hits: EnrichedHit[],
  mostValues = MOST_VALUES,
): Promise<Stored> {
  let limited: LimitedHits | undefined
  let unified: UnifiedSources | undefined
  const unreplicated = unreplicatedCommits()
  const stored = (await db.begin(async tx => {
    limited = undefined
    unified = undefined
    await lockPartitions(tx, partition)
    const sites = await selectLiveSites(tx, { siteNos: [...new Set(hits.map(hit => hit.siteNo))] })
    const keptFrom = new Map(sites.map(({ siteNo, detailsFrom }) => [siteNo, detailsFrom?.getTime()]))
    const ofLiveSites = hits.filter(hit => keptFrom.has(hit.siteNo))
    const isExpired = (hit: EnrichedHit) => hit.at < (keptFrom.get(hit.siteNo) ?? Number.NEGATIVE_INFINITY)
    const expired = ofLiveSites.filter(isExpired)
    const live = expired.length > 0 ? ofLiveSites.filter(hit => !isExpired(hit)) : ofLiveSites
    const isReport = (hit: EnrichedHit) => hit.type === 'web_vitals'
    const reports = live.filter(isReport)
    const ownRows = reports.length > 0 ? live.filter(hit => !isReport(hit)) : live
    const seen = await findStored(tx, ownRows)
    // Also remove duplicates: a batch merged from two deliveries of one job holds a hit twice.
    const fresh = ownRows.filter(hit => !seen.has(hit.id) && seen.add(hit.id))
    const sessionized: SessionizedHit[] = []
    const orphanEngagement: EnrichedHit[] = []
    const refused: Stored['refused'] = []
    let written: ReportsToWrite | undefined
    if (fresh.length + reports.length > 0) {
      fresh.sort(byTime)
      limited = await limitValues(db, tx, fresh, mostValues)
      unified = await unifySources(db, tx, limited.hits)
      const inOrder = reports.length > 0 ? [...unified.hits, ...reports].sort(byTime) : unified.hits
      const context = await loadBatchContext(db, tx, inOrder)
      const assignedReports: AssignedReport[] = []
      for (const hit of inOrder) {
        try {
          if (isReport(hit)) {
            const report = isRestored(hit) ? restoreReport(context, hit) : assignReport(context, hit)
            if (report) assignedReports.push(report)
            else orphanEngagement.push(hit)
            continue
          }
          const assigned = isRestored(hit) ? restoreHit(context, hit) : assignToSession(context, hit)
          if (assigned) sessionized.push(assigned)
          else orphanEngagement.push(hit)
        } catch (error) {
          if (!(error instanceof Contradiction)) throw error
          refused.push({ hit, reason: error.message })
        }
      }
      if (assignedReports.length > 0) written = await sortReports(tx, assignedReports)
      await writeBatch(tx, sessionized, [...context.visitors.values()], written)
      await noteImports(tx, inOrder)
      const watching = new Set(sites.flatMap(({ siteNo, watchesGoals }) => (watchesGoals ? [siteNo] : [])))
      if (watching.size > 0)
        await noteCandidates(tx, sessionized.map(({ hit }) => hit).filter(mayConvert(watching)))
    }
    const repeated = ownRows.length - fresh.length + (written?.repeated ?? 0)
    // The connection of the earlier delivery may have ended while it waited for the standby.
    if (repeated > 0) await writeToLog(tx)
    return {
      stored: sessionized.length + (written?.applied ?? 0),
      repeated,
      dropped: hits.length - ofLiveSites.length,
      expired,
      refused,
      orphanEngagement,
    }
  })) as Omit<Stored, 'unreachable' | 'others' | 'filled'>
  if (unreplicatedCommits() > unreplicated) throw new Unreplicated('the standby may not have the hits')
  unified?.commit()
  return {
    ...stored,
    unreachable: [],
    others: limited?.others ?? nothingStored().others,
    filled: limited?.commit() ?? [],
  }
}

/** Imported hits that are older than this change nothing that alerts look at. */
const IMPORTED_NEWS_MS = 3 * HOUR_MS

/** Notes how new imported hits are: alerts do not take them for traffic. */
const noteImported = query<{ siteNo: number; at: Date }>(
  'note-imported-until',
  `update sites
  set imported_until = :at
  where site_no = :siteNo and (imported_until is null or imported_until < :at)`,
)

async function noteImports(tx: Transaction, hits: readonly EnrichedHit[]): Promise<void> {
  const since = Date.now() - IMPORTED_NEWS_MS
  const newest = new Map<number, number>()
  for (const { siteNo, at, line } of hits) {
    if (line !== undefined && at > since) newest.set(siteNo, Math.max(at, newest.get(siteNo) ?? 0))
  }
  for (const [siteNo, at] of [...newest].sort(([a], [b]) => a - b))
    await noteImported(tx, { siteNo, at: new Date(at) })
}

const isRestored = (hit: EnrichedHit): hit is EnrichedHit & { restored: RestoredHit } =>
  hit.restored !== undefined

/** Imported hits convert goals in reports, but they are no news. */
const mayConvert =
  (watching: Set<number>) =>
  ({ siteNo, line, type }: EnrichedHit): boolean =>
    line === undefined && watching.has(siteNo) && type !== 'identify' && type !== 'error'

function byTime(a: EnrichedHit, b: EnrichedHit): number {
  const byRank = Number(a.comesLast ?? false) - Number(b.comesLast ?? false)
  return a.at - b.at || byRank || (a.line ?? 0) - (b.line ?? 0) || (a.id < b.id ? -1 : 1)
}

const RETRY_MS = 500
/** Time that a command retries while the database is unavailable. */
const COMMAND_RETRIES_MS = MINUTE_MS

/** Two partitions can insert the same visitor when a sender sends an id that was derived from an address. */
const isUniqueViolation = (error: unknown) => sqlState(error) === '23505'

/**
 * Retries without limit, except for data faults (unique violations get three attempts): other failures are temporary or need an
 * operator.
 */
export const STORE_RETRY = {
  shouldRetry: (error: unknown, attempt: number) =>
    !isDataFault(error) || (isUniqueViolation(error) && attempt < 3),
  delayMs: (attempt: number, error: unknown) =>
    isRetryable(error) ? Math.min(20 * attempt, RETRY_MS) : RETRY_MS,
} satisfies RetryOptions

/** Retries with `STORE_RETRY` for at most a minute: a command must not block its terminal longer. */
export const retryForAMinute = <Result>(log: Log, run: () => Promise<Result>): Promise<Result> =>
  retry(run, {
    ...STORE_RETRY,
    withinMs: COMMAND_RETRIES_MS,
    onRetry: (error, attempt) => log.warn({ reason: (error as Error).message, attempt }, 'storing waits'),
  })

/**
 * Stores a batch. On a data fault, bisects the batch until it has isolated the hits that cannot be stored.
 * @param reject called with each hit that cannot be stored
 * @throws any error of `store` that is not a data fault
 */
export async function storeWithBisection(
  hits: EnrichedHit[],
  store: (hits: EnrichedHit[]) => Promise<Stored>,
  reject: (hit: EnrichedHit, error: unknown) => Promise<void>,
): Promise<Stored> {
  if (hits.length === 0) return nothingStored()
  try {
    return await store(hits)
  } catch (error) {
    if (!isDataFault(error)) throw error
    if (hits.length === 1) {
      await reject(hits[0]!, error)
      return nothingStored()
    }
    const middle = hits.length >> 1
    const first = await storeWithBisection(hits.slice(0, middle), store, reject)
    const second = await storeWithBisection(hits.slice(middle), store, reject)
    return addStored(first, second)
  }
}
