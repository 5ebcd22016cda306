import type { Db, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { createTeamTurns } from '../../platform/lib/team-turns.ts'
import { limitTime } from '../../platform/lib/time-budget.ts'
import type { Log } from '../../platform/runtime/log.ts'
import { announceChanges, newsOf } from '../../storage/events/announcements.ts'
import { reconcilePayments } from '../sales/reconcile-payments.ts'
import { inProcessorTransaction } from '../transactions.ts'
import { MOST_AT_ONCE, recomputeSubscriptions } from './recompute-subscription.ts'

/** Time limit of one call: Stripe waits for the response, and other scheduled jobs wait for their turn. */
const BUDGET_MS = 2_000

interface Announced {
  announcedAt: Date | null
  /** What happened before it is no news. */
  announcedSince: Date | null
}

const insertQueued = query<{ siteNo: number; subscriptionIds: readonly string[] } & Announced>(
  'enqueue-recomputes',
  `insert into recompute_queue (site_no, subscription_id, announced_at, announced_since)
  select :siteNo::int, subscription_id, :announcedAt::timestamptz, :announcedSince::timestamptz
  from unnest(:subscriptionIds::text[]) as subscription_id
  on conflict (site_no, subscription_id) do update
  set announced_at = excluded.announced_at, announced_since = excluded.announced_since
  where recompute_queue.announced_at is null`,
)

const selectQueued = query<{ siteNo: number; limit: number }, { subscriptionId: string } & Announced>(
  'select-recompute-queue',
  `select
    subscription_id as "subscriptionId", announced_at as "announcedAt", announced_since as "announcedSince"
  from recompute_queue
  where site_no = :siteNo and exists (select 1 from sites where site_no = :siteNo and deleted_at is null)
  order by announced_at nulls first, announced_since nulls first, subscription_id
  limit :limit`,
)

const deleteQueued = query<{ siteNo: number; subscriptionIds: string[] }>(
  'dequeue-recomputes',
  'delete from recompute_queue where site_no = :siteNo and subscription_id = any(:subscriptionIds::text[])',
)

const selectSites = query<void, { siteNo: number; teamId: string }>(
  'select-sites-to-recompute',
  `select site_no as "siteNo", team_id as "teamId"
  from sites
  where deleted_at is null and site_no in (select site_no from recompute_queue)
  order by site_no`,
)

/** Adds subscriptions to the recompute queue. Their changes are announced if those of the transaction are. */
export async function enqueueRecomputes(
  tx: Transaction,
  siteNo: number,
  subscriptionIds: readonly string[],
): Promise<void> {
  if (subscriptionIds.length === 0) return
  const news = newsOf(tx)
  await insertQueued(tx, {
    siteNo,
    subscriptionIds,
    announcedAt: news?.at ?? null,
    announcedSince: news?.since ?? null,
  })
}

/**
 * Recomputes the subscriptions of a site in the recompute queue, for up to two seconds. Each batch leaves the queue in the
 * transaction that recomputes it, so that an interruption loses no subscription.
 * @returns whether the queue has more of the site
 */
export async function recomputeSite({ db, log }: { db: Db; log: Log }, siteNo: number): Promise<boolean> {
  const endsAt = performance.now() + BUDGET_MS
  for (let limit = MOST_AT_ONCE; performance.now() < endsAt; ) {
    let subscriptionIds: string[] = []
    let isLast = false
    try {
      await inProcessorTransaction(db, siteNo, async tx => {
        const queued = await selectQueued(tx, { siteNo, limit })
        const { announcedAt: at, announcedSince: since } = queued[0] ?? {}
        const isSame = (row: Announced) =>
          row.announcedAt?.getTime() === at?.getTime() && row.announcedSince?.getTime() === since?.getTime()
        const rows = queued.filter(isSame)
        isLast = queued.length < limit && rows.length === queued.length
        if (at) announceChanges(tx, at, since ?? undefined)
        subscriptionIds = rows.map(({ subscriptionId }) => subscriptionId)
        const { renewalsChanged } = await recomputeSubscriptions(tx, siteNo, subscriptionIds)
        for (const invoiceId of renewalsChanged) await reconcilePayments(tx, { siteNo }, [invoiceId])
        if (rows.length > 0) await deleteQueued(tx, { siteNo, subscriptionIds })
      })
      if (isLast) return false
      limit = Math.min(MOST_AT_ONCE, limit * 2)
    } catch (error) {
      if (!(error instanceof RangeError || error instanceof AppError)) throw error
      // One subscription of the batch cannot be computed. Halve the batch until only that one is left, then drop it.
      if (limit === 1) {
        log.warn({ siteNo, subscriptionIds, reason: error.message }, 'MRR cannot be worked out')
        await deleteQueued(db, { siteNo, subscriptionIds })
      }
      limit = Math.ceil(limit / 2)
    }
  }
  return true
}

/**
 * Runs `recomputeSite` for sites with subscriptions in the recompute queue, in turns of their teams, until two seconds have passed. They
 * remain there after an interruption or when the time limit was reached. A failure of one site does not stop the others.
 * @param options.teams kept from run to run, so that the next team comes first in the next one
 * @returns whether more work can be done at once
 * @throws the first failure, after the other sites
 */
export async function recomputeAllSites(
  services: { db: Db; log: Log },
  { teams = createTeamTurns(), hasTime = limitTime(BUDGET_MS) } = {},
): Promise<boolean> {
  let isMore = false
  const failures: unknown[] = []
  for (const { siteNo } of teams.each(await selectSites(services.db))) {
    try {
      if (await recomputeSite(services, siteNo)) isMore = true
    } catch (error) {
      failures.push(error)
    }
    if (hasTime()) continue
    isMore = true
    break
  }
  if (failures.length > 0) throw failures[0]
  return isMore
}
